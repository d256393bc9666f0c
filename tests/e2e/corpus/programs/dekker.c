// Dekker's entry: both set a flag and look at the other.  WRONG: without sequentially consistent order.
#include "corpus.h"
#ifdef WRONG
#define ORDER_SET memory_order_release
#define ORDER_GET memory_order_acquire
#else
#define ORDER_SET memory_order_seq_cst
#define ORDER_GET memory_order_seq_cst
#endif
static atomic_int wants[2];
static atomic_int inside;
static void enter(int me)
{
	atomic_store_explicit(&wants[me], 1, ORDER_SET);
	if (!atomic_load_explicit(&wants[!me], ORDER_GET)) {
		assert(atomic_fetch_add(&inside, 1) == 0);
		atomic_fetch_sub(&inside, 1);
	}
	atomic_store_explicit(&wants[me], 0, ORDER_SET);
}
static void *first(void *arg) { enter(0); return arg; }
static void *second(void *arg) { enter(1); return arg; }
int main(void)
{
	RUN2(first, second);
	return 0;
}
