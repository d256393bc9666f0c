/* SPDX-License-Identifier: Apache-2.0 */
/* THREADS threads increment a counter under the queue lock of Mellor-Crummey and Scott. */
#include "threads.h"

struct waiter {
	_Atomic(struct waiter *) next;
	_Atomic int waits;
};

static _Atomic(struct waiter *) tail;
static struct waiter waiters[THREADS];
static int counter;

static void *increment(void *number)
{
	struct waiter *self = &waiters[NUMBER(number)], *expected = self;
	atomic_store(&self->waits, 1);
	struct waiter *before = atomic_exchange(&tail, self);
	if (before) {
		atomic_store(&before->next, self);
		while (atomic_load(&self->waits))
			;
	}
	counter++;
	if (!atomic_load(&self->next)) {
		if (atomic_compare_exchange_strong(&tail, &expected, NULL))
			return NULL;
		while (!atomic_load(&self->next))
			;
	}
	atomic_store(&atomic_load(&self->next)->waits, 0);
	return NULL;
}

int main(void)
{
	start_all(THREADS, increment);
	join_all(THREADS);
	assert(counter == THREADS);
	return 0;
}
