/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loops that wait for another thread; -DTEST chooses one.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

#define VOLATILE 1	/* a flag */
#define ATOMIC 2
#define TEST_AND_SET 3	/* a lock that is taken by exchange */
#define CAS 4
#define READ_FIRST 5	/* that is looked at before it is taken */
#define SEQLOCK 6	/* a reader that tries again */
#define YIELDING 7	/* with sched_yield, for ever */
#define NEVER 8		/* nobody sets the flag: a livelock */
#define BOTH 9		/* two threads wait for each other */
#define COUNTING 10	/* rounds are counted: not an await */
#define RETRY 11	/* bounded: gives up after three rounds */
#define CALL 12		/* the condition is in a function */
#define OWN_STACK 13	/* the flag is a local variable of the thread that waits */

#define STORES 14	/* stores the same in each round */
#define TWO_STORES 15	/* stores one value and another one in each round: not an await */

static volatile int flag, other;
static _Atomic int word, sequence;
static int data, rounds;

static int is_set(volatile int *p)
{
	return *p;
}

static void *setter(void *arg)
{
#if TEST == VOLATILE || TEST == COUNTING || TEST == RETRY || TEST == CALL || \
	TEST == STORES || TEST == TWO_STORES
	flag = 1;
#elif TEST == ATOMIC
	atomic_store_explicit(&word, 1, memory_order_release);
#elif TEST == TEST_AND_SET || TEST == READ_FIRST || TEST == CAS
	atomic_store_explicit(&word, 0, memory_order_release);
#elif TEST == SEQLOCK
	data = 1;
	atomic_store(&sequence, 2);
#elif TEST == OWN_STACK
	*(volatile int *)arg = 1;
#elif TEST == BOTH
	while (!other)
		;
	flag = 1;
#endif
	return arg;
}

static void waiter(volatile int *local)
{
#if TEST == VOLATILE || TEST == NEVER
	while (!flag)
		;
#elif TEST == BOTH
	while (!flag)
		;
	other = 1;
#elif TEST == ATOMIC
	while (!atomic_load_explicit(&word, memory_order_acquire))
		;
#elif TEST == TEST_AND_SET
	while (atomic_exchange(&word, 1))
		;
#elif TEST == CAS
	int free = 0;
	while (!atomic_compare_exchange_strong(&word, &free, 1))
		free = 0;
#elif TEST == READ_FIRST
	do
		while (atomic_load(&word))
			;
	while (atomic_exchange(&word, 1));
#elif TEST == SEQLOCK
	int before, after, copy;
	do {
		before = atomic_load(&sequence);
		copy = data;
		after = atomic_load(&sequence);
	} while (before & 1 || before != after);
	data = copy;
#elif TEST == YIELDING
	while (!flag)
		sched_yield();
#elif TEST == COUNTING
	while (!flag)
		rounds++;
#elif TEST == RETRY
	for (int i = 0; i < 3 && !flag; i++)
		;
#elif TEST == STORES
	while (!flag)
		other = 7;
#elif TEST == TWO_STORES
	while (!flag) {
		other = 7;
		other = 8;
	}
#elif TEST == OWN_STACK
	while (!*local)
		;
#elif TEST == CALL
	while (!is_set(&flag))
		;
#endif
}

int main(void)
{
	pthread_t t;
	volatile int local = 0;
	word = TEST == TEST_AND_SET || TEST == READ_FIRST || TEST == CAS;	/* taken */
	sequence = 1;								/* somebody writes */
	pthread_create(&t, NULL, setter, (void *)&local);
	waiter(&local);
	pthread_join(t, NULL);
	printf("done\n");
	return 0;
}
