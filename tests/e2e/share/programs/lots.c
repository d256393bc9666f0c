/* SPDX-License-Identifier: Apache-2.0 */
// Behaviours whose probabilities under random schedules are known; the exit status says whether one occurred.
//   turns   two threads make three steps each at one place, and take turns.  Each step races with what the other one is about
//           to do, so where priorities are drawn anew each of the six is a coin; with old ones all of them would have to be
//           in descending order, one in 720.
//   late    a thread makes ten steps that nobody else notices before the other one makes its only one.  Where each step is
//           drawn by itself that is less than one half to the tenth; by priorities one in about a dozen.
//   locks   the same with a lock of its own, taken and given back five times, before both take another one.
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

static atomic_int steps, own, word;

static void *take_turns(void *first)
{
	int one = atomic_fetch_add(&steps, 1), two = atomic_fetch_add(&steps, 1), three = atomic_fetch_add(&steps, 1);
	return (void *)(intptr_t)((one - (intptr_t)first) | (two - (intptr_t)first - 2) | (three - (intptr_t)first - 4));
}

static void *be_late(void *unused)
{
	atomic_fetch_add(&own, 1), atomic_fetch_add(&own, 1), atomic_fetch_add(&own, 1), atomic_fetch_add(&own, 1);
	atomic_fetch_add(&own, 1), atomic_fetch_add(&own, 1), atomic_fetch_add(&own, 1), atomic_fetch_add(&own, 1);
	atomic_fetch_add(&own, 1), atomic_fetch_add(&own, 1), atomic_store(&word, 1);
	return unused;
}

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;

static void *be_late_by_locks(void *unused)
{
	pthread_mutex_lock(&first), pthread_mutex_unlock(&first), pthread_mutex_lock(&first), pthread_mutex_unlock(&first);
	pthread_mutex_lock(&first), pthread_mutex_unlock(&first), pthread_mutex_lock(&first), pthread_mutex_unlock(&first);
	pthread_mutex_lock(&first), pthread_mutex_unlock(&first), pthread_mutex_lock(&second), word = 1, pthread_mutex_unlock(&second);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t t;
	if (argc > 1 && !strcmp(argv[1], "late")) {
		pthread_create(&t, NULL, be_late, NULL);
		int seen = atomic_load(&word);
		pthread_join(t, NULL);
		return seen;
	}
	if (argc > 1 && !strcmp(argv[1], "locks")) {
		pthread_create(&t, NULL, be_late_by_locks, NULL);
		pthread_mutex_lock(&second);
		int seen = atomic_load(&word);
		pthread_mutex_unlock(&second);
		pthread_join(t, NULL);
		return seen;
	}
	void *a = NULL, *b;
	pthread_create(&t, NULL, take_turns, (void *)1);
	b = take_turns((void *)0);
	pthread_join(t, &a);
	return !a && !b;
}
