/* SPDX-License-Identifier: Apache-2.0 */
/* Two threads that take turns for ever; tells when it has begun. */
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

static volatile unsigned long turns;

static void *work(void *unused)
{
	for (;;) {
		turns++;
		sched_yield();
	}
	return unused;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, work, NULL);
	for (unsigned i = 0;; i++) {
		turns++;
		if (i == 100000)
			(void)!write(1, "begun\n", 6);
	}
	return 0;
}
