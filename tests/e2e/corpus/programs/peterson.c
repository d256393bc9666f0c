// Peterson's algorithm.  WRONG: the turn is given before the flag is set.
#include "corpus.h"
static atomic_int wants[2], turn;
static int shared;
static void enter(int me)
{
#ifdef WRONG
	atomic_store(&turn, !me);
	atomic_store(&wants[me], 1);
#else
	atomic_store(&wants[me], 1);
	atomic_store(&turn, !me);
#endif
	while (atomic_load(&wants[!me]) && atomic_load(&turn) == !me)
		;
	shared++;
	atomic_store(&wants[me], 0);
}
static void *first(void *arg) { enter(0); return arg; }
static void *second(void *arg) { enter(1); return arg; }
int main(void)
{
	RUN2(first, second);
	assert(shared == 2);
	return 0;
}
