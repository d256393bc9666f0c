// Two threads print a line each, and the sum of the lines is counted.  WRONG: without the lock.
#include "corpus.h"
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int lines;
static void *print(void *arg)
{
#ifndef WRONG
	LOCK(&m);
#endif
	printf("line %d\n", lines);
	lines++;
#ifndef WRONG
	UNLOCK(&m);
#endif
	return arg;
}
int main(void)
{
	RUN2(print, print);
	assert(lines == 2);
	return 0;
}
