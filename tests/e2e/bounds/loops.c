/* SPDX-License-Identifier: Apache-2.0 */
/* Loops that do something in each round, and whose number of rounds has no bound (LONG: a high one). */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

enum { CHOICE, PAUSES, ASKS, BUG, LONG };

int __VERIFIER_nondet_int(void);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int stop, sum, got;

static void *adds(void *arg)
{
	for (int i = 0; KIND == CHOICE ? __VERIFIER_nondet_int() : !stop && (KIND != LONG || i < 400); i++) {
		pthread_mutex_lock(&lock);
		sum++;
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

static void note(int number)
{
	got = number;
}

static void *waits(void *arg)
{
	while (!got)
		pause();
	stop = 1;
	return arg;
}

int main(void)
{
	pthread_t a, b;
	if (KIND == PAUSES) {
		signal(SIGUSR1, note);
		pthread_create(&a, NULL, waits, NULL);
		while (!stop)
			pthread_kill(a, SIGUSR1);
		pthread_join(a, NULL);
		return 0;
	}
	pthread_create(&a, NULL, adds, NULL);
	if (KIND == CHOICE)
		pthread_create(&b, NULL, adds, NULL);
	if (KIND == BUG)
		assert(sum < 2);
	stop = 1;
	pthread_join(a, NULL);
	if (KIND == CHOICE)
		pthread_join(b, NULL);
	return 0;
}
