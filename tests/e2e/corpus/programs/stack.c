// A stack of Treiber.  WRONG: push links its node by a plain store of the top.
#include "corpus.h"
struct node { struct node *next; };
static _Atomic(struct node *) top;
static struct node nodes[2];
static void push(struct node *n)
{
	struct node *old = atomic_load(&top);
#ifdef WRONG
	n->next = old;
	atomic_store(&top, n);
#else
	do
		n->next = old;
	while (!atomic_compare_exchange_weak(&top, &old, n));
#endif
}
static void *first(void *arg) { push(&nodes[0]); return arg; }
static void *second(void *arg) { push(&nodes[1]); return arg; }
int main(void)
{
	RUN2(first, second);
	int count = 0;
	for (struct node *n = atomic_load(&top); n; n = n->next)
		count++;
	assert(count == 2);
	return 0;
}
