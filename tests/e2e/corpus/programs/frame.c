// A thread works on a variable of the function that started it.  WRONG: the function does not wait.
#include "corpus.h"
static pthread_t t;
static int result;
static void *work(void *arg)
{
	result = *(int *)arg;
	return NULL;
}
static __attribute__((noinline)) void start(int value)
{
	int request = value;
	pthread_create(&t, NULL, work, &request);
#ifndef WRONG
	pthread_join(t, NULL);
#endif
}
int main(void)
{
	start(3);
#ifdef WRONG
	pthread_join(t, NULL);
#endif
	return result != 3;
}
