/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two threads spin in a loop of several steps, of which only the last changes what is awaited; one of them gets
 * on, and the other one waits for ever at the end: what it would do next is the first step of the loop.
 */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int stop, lock = 1;
static int compares;

static void *spin(void *arg)
{
	(void)arg;
	for (;;) {
		int expected = 0;	/* a step before the first read */
		if (!compares) {
			if (atomic_load(&stop))
				break;
			if (atomic_exchange(&lock, 1) == 0)
				break;
		} else if (atomic_compare_exchange_strong(&lock, &expected, 1)) {
			break;
		}
	}
	return 0;
}

static void *release(void *arg)
{
	(void)arg;
	atomic_store(&lock, 0);
	return 0;
}

int main(int argc, char **argv)
{
	compares = argc > 1 && *argv[1];
	pthread_t t[3];
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], 0, i < 2 ? spin : release, 0);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], 0);
	return 0;
}
