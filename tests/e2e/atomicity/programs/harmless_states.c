/* SPDX-License-Identifier: Apache-2.0 */
/* A state that others poll while it changes, and an answer that is waited for. */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#include <sched.h>

static atomic_int state, answer = 1;

static void *asks(void *unused)
{
	atomic_store(&answer, 0);
	atomic_store(&state, 1);
	atomic_store(&state, 2);
	while (atomic_load(&answer) == 0)
		sched_yield();
	return unused;
}

static void *answers(void *unused)
{
	while (atomic_load(&state) < 2)
		sched_yield();
	atomic_store(&answer, 1);
	return unused;
}

int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, asks, NULL);
	pthread_create(&b, NULL, answers, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
