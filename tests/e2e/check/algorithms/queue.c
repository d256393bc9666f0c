/* SPDX-License-Identifier: Apache-2.0 */
// The queue of Michael and Scott, without reclamation.  WRONG: the tail is moved without looking at what follows it.
#include <stdlib.h>
#include "common.h"

struct node {
	_Atomic(struct node *) next;
	int value;
};
static struct node dummy;
static _Atomic(struct node *) head = &dummy, tail = &dummy;

static void enqueue(int value)
{
	struct node *n = malloc(sizeof(*n));
	n->value = value;
	atomic_init(&n->next, NULL);
	for (;;) {
		struct node *last = atomic_load(&tail), *next = atomic_load(&last->next);
#ifdef WRONG
		(void)next;
		atomic_store(&last->next, n);
		atomic_store(&tail, n);
		return;
#else
		if (next) {
			atomic_compare_exchange_strong(&tail, &last, next);
			continue;
		}
		if (atomic_compare_exchange_strong(&last->next, &next, n)) {
			atomic_compare_exchange_strong(&tail, &last, n);
			return;
		}
#endif
	}
}

static int dequeue(void)
{
	for (;;) {
		struct node *first = atomic_load(&head), *last = atomic_load(&tail), *next = atomic_load(&first->next);
		if (!next)
			return 0;
		if (first == last) {
			atomic_compare_exchange_strong(&tail, &last, next);
			continue;
		}
		int value = next->value;
		if (atomic_compare_exchange_strong(&head, &first, next))
			return value;
	}
}

static void *body(void *number)
{
	enqueue(1 + *(int *)number);
	return NULL;
}

int main(void)
{
	run_threads();
	int a = dequeue(), b = dequeue();
	assert(a + b == 3 && dequeue() == 0);
	return 0;
}
