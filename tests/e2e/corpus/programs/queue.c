// One producer and one consumer with a ring.  WRONG: the index is published before the value.
#include "corpus.h"
static int ring[2];
static atomic_int head, tail;
static void *produce(void *arg)
{
#ifdef WRONG
	atomic_store(&head, 1);
	ring[0] = 7;
#else
	ring[0] = 7;
	atomic_store(&head, 1);
#endif
	return arg;
}
static void *consume(void *arg)
{
	if (atomic_load(&head) > 0) {
		assert(ring[0] == 7);
		atomic_store(&tail, 1);
	}
	return arg;
}
int main(void)
{
	RUN2(produce, consume);
	return 0;
}
