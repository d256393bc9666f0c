/* SPDX-License-Identifier: Apache-2.0 */
// The queue lock of Mellor-Crummey and Scott.  WRONG: the successor is looked for only once, and may never be woken.
#include "common.h"

struct node {
	_Atomic(struct node *) next;
	atomic_int must_wait;
};
static _Atomic(struct node *) tail;
static struct node nodes[THREADS];

static void *body(void *number)
{
	struct node *me = &nodes[*(int *)number];
	atomic_store(&me->next, NULL);
	atomic_store(&me->must_wait, 1);
	struct node *before = atomic_exchange(&tail, me);
	if (before) {
		atomic_store(&before->next, me);
		while (atomic_load(&me->must_wait))
			;
	}
	critical_section();
	struct node *next = atomic_load(&me->next);
	if (!next) {
		struct node *expected = me;
		if (atomic_compare_exchange_strong(&tail, &expected, NULL))
			return NULL;
#ifdef WRONG
		return NULL;
#else
		while (!(next = atomic_load(&me->next)))
			;
#endif
	}
	atomic_store(&next->must_wait, 0);
	return NULL;
}

int main(void)
{
	run_threads();
	return 0;
}
