/* SPDX-License-Identifier: Apache-2.0 */
/* THREADS threads push a node onto Treiber's stack, and pop one. */
#include "threads.h"

struct node {
	struct node *next;
};

static _Atomic(struct node *) top;
static struct node nodes[THREADS];
static _Atomic int popped[THREADS];

static void *push_and_pop(void *number)
{
	struct node *own = &nodes[NUMBER(number)], *seen = atomic_load(&top);
	do
		own->next = seen;
	while (!atomic_compare_exchange_strong(&top, &seen, own));
	/* No node is pushed twice, so a top that is equal is the same one. */
	do
		seen = atomic_load(&top);
	while (!atomic_compare_exchange_strong(&top, &seen, seen->next));
	assert(!atomic_exchange(&popped[seen - nodes], 1));
	return NULL;
}

int main(void)
{
	start_all(THREADS, push_and_pop);
	join_all(THREADS);
	assert(!atomic_load(&top));
	return 0;
}
