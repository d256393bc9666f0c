// A message behind a flag.  WRONG: the flag is relaxed.
#include "corpus.h"
#ifdef WRONG
#define SET memory_order_relaxed
#define GET memory_order_relaxed
#else
#define SET memory_order_release
#define GET memory_order_acquire
#endif
static atomic_int ready;
static int message;
static void *send(void *arg)
{
	message = 42;
	atomic_store_explicit(&ready, 1, SET);
	return arg;
}
static void *receive(void *arg)
{
	if (atomic_load_explicit(&ready, GET))
		assert(message == 42);
	return arg;
}
int main(void)
{
	RUN2(send, receive);
	return 0;
}
