/* SPDX-License-Identifier: Apache-2.0 */
/* THREADS threads put a node into the queue of Michael and Scott; one takes what it finds. */
#include "threads.h"

struct node {
	_Atomic(struct node *) next;
	int value;
};

static struct node nodes[THREADS + 1];
static _Atomic(struct node *) head = &nodes[THREADS], tail = &nodes[THREADS];

static void *put(void *number)
{
	struct node *own = &nodes[NUMBER(number)];
	own->value = NUMBER(number) + 1;
	for (;;) {
		struct node *last = atomic_load(&tail), *next = atomic_load(&last->next);
		if (next) {
			atomic_compare_exchange_strong(&tail, &last, next);
		} else if (atomic_compare_exchange_strong(&last->next, &next, own)) {
			atomic_compare_exchange_strong(&tail, &last, own);
			return NULL;
		}
	}
}

static void *take(void *unused)
{
	struct node *first = atomic_load(&head), *next = atomic_load(&first->next);
	if (next && atomic_compare_exchange_strong(&head, &first, next))
		assert(next->value);
	return unused;
}

int main(void)
{
	start_all(THREADS, put);
	start(THREADS, take);
	join_all(THREADS + 1);
	return 0;
}
