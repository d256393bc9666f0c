/* SPDX-License-Identifier: Apache-2.0 */
// Treiber's stack, whose nodes are freed.  A thread is in the middle of a pop while another one pops two nodes, frees the
// first and pushes a new one.  Right as long as no address comes back (heap=fresh); with heap=reuse the exchange may
// succeed on a node that has been away, and brings back one that was popped (ABA).  WRONG: pops in two steps.
#include <stdlib.h>
#include "common.h"

struct node {
	struct node *next;
	int value;
};
static _Atomic(struct node *) top;
static atomic_int is_popping, times_popped[4];

static void push(int value)
{
	struct node *n = malloc(sizeof(*n));
	n->value = value;
	n->next = atomic_load(&top);
	while (!atomic_compare_exchange_strong(&top, &n->next, n))
		;
}

static void popped(const struct node *n)
{
	assert(atomic_fetch_add(&times_popped[n->value], 1) == 0);
}

static void *body(void *number)
{
	if (*(int *)number == 0) {
		struct node *n = atomic_load(&top), *next = n->next;
		atomic_store(&is_popping, 1);
#ifdef WRONG
		atomic_store(&top, next);
		popped(n);
#else
		if (atomic_compare_exchange_strong(&top, &n, next))
			popped(n);
#endif
		return NULL;
	}
	while (!atomic_load(&is_popping))
		;
	struct node *taken[2] = { NULL, NULL };
	for (int k = 0; k < 2; k++) {
		struct node *n = atomic_load(&top);
		if (n && atomic_compare_exchange_strong(&top, &n, n->next)) {
			popped(n);
			taken[k] = n;
		}
	}
	if (taken[1]) {
		free(taken[0]);
		push(3);
	}
	return NULL;
}

int main(void)
{
	push(1);
	push(2);
	run_threads();
	for (struct node *n = atomic_load(&top); n; n = n->next)
		popped(n);
	return 0;
}
