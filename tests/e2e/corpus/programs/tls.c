// Each thread has a variable of its own.  WRONG: it is an ordinary one.
#include "corpus.h"
#ifdef WRONG
static int mine;
#else
static _Thread_local int mine;
#endif
static void *count(void *arg)
{
	for (int i = 0; i < 2; i++)
		mine++;
	assert(mine == 2);
	return arg;
}
int main(void)
{
	RUN2(count, count);
	return 0;
}
