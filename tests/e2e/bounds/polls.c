/* SPDX-License-Identifier: Apache-2.0 */
// Loops that poll and whose state does not come back; -DKIND chooses one.
#include <assert.h>
#include <heddle/explore.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

#define COUNTS 1	/* its rounds */
#define PRINTS 2	/* something in each round */
#define LOOKS 3		/* at a clock, and gives up after a second */
#define TIMED_LOCK 4	/* waits for a lock with a deadline in each round */
#define WRITERS 5	/* reads under a read-write lock that lets writers first */
#define CONDITION 6	/* waits for a condition with a deadline in each round */
#define NEVER 7		/* counts, and nobody changes what it reads */
#define BOUNDED 8	/* ends after 40 rounds */
#define TWO 9		/* threads count their rounds */
#define BUG 10		/* counts, and what comes afterwards fails */
#define UNSIGNALLED 11	/* waits for a condition with a deadline, and is never signalled */
#define CHOOSES 12	/* whether to go on, and takes a lock each time */
#define LOCKED 13	/* counts, and looks under a mutex */
#define SLOTS 14	/* scans an array again and again */
#define TIMED_SEMAPHORE 15

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rw;
static sem_t s;
static atomic_int flag, other;
static int plain, seen, slots[3];

static struct timespec soon(void)
{
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_sec++;
	return t;
}

static int look(void)
{
	int found = flag;
	if (KIND == TIMED_LOCK) {
		struct timespec t = soon();
		if (pthread_mutex_timedlock(&m, &t))
			return 0;
		found = plain;
		pthread_mutex_unlock(&m);
	} else if (KIND == TIMED_SEMAPHORE) {
		struct timespec t = soon();
		return !sem_timedwait(&s, &t);
	} else if (KIND == WRITERS) {
		pthread_rwlock_rdlock(&rw);
		found = plain;
		pthread_rwlock_unlock(&rw);
	} else if (KIND == LOCKED) {
		pthread_mutex_lock(&m);
		found = plain;
		pthread_mutex_unlock(&m);
	} else if (KIND == SLOTS) {
		found = 0;
		for (int i = 0; i < 3; i++)
			found |= __atomic_load_n(&slots[i], __ATOMIC_ACQUIRE);
	}
	return found;
}

static void *poller(void *arg)
{
	struct timespec first, now;
	int n = 0;
	clock_gettime(CLOCK_MONOTONIC, &first);
	if (KIND == CONDITION || KIND == UNSIGNALLED) {
		pthread_mutex_lock(&m);
		while (!plain) {
			struct timespec t = soon();
			pthread_cond_timedwait(&c, &m, &t);
		}
		pthread_mutex_unlock(&m);
		return arg;
	}
	if (KIND == CHOOSES) {
		while (heddle_choose(2)) {
			pthread_mutex_lock(&m);
			pthread_mutex_unlock(&m);
		}
		return arg;
	}
	while (!look()) {
		n++;
		if (KIND == COUNTS && n > 3)
			sched_yield();
		if (KIND == PRINTS)
			fprintf(stderr, ".");
		if (KIND == LOOKS) {
			clock_gettime(CLOCK_MONOTONIC, &now);
			if (now.tv_sec > first.tv_sec + 1)
				break;
		}
		if (KIND == BOUNDED && n == 40)
			break;
	}
	if (KIND == BUG)
		assert(other);
	__atomic_store_n(&seen, n > 0, __ATOMIC_RELAXED);
	return arg;
}

static void *setter(void *arg)
{
	if (KIND == TIMED_SEMAPHORE)
		sem_post(&s);
	if (KIND == WRITERS) {
		pthread_rwlock_wrlock(&rw);
		plain = 1;
		pthread_rwlock_unlock(&rw);
	} else if (KIND == TIMED_LOCK || KIND == CONDITION || KIND == UNSIGNALLED || KIND == LOCKED || KIND == CHOOSES) {
		pthread_mutex_lock(&m);
		plain = 1;
		if (KIND == CONDITION)
			pthread_cond_signal(&c);
		pthread_mutex_unlock(&m);
	} else if (KIND == SLOTS) {
		__atomic_store_n(&slots[1], 1, __ATOMIC_RELEASE);
	} else if (KIND != NEVER) {
		flag = 1;
	}
	other = 1;
	return arg;
}

int main(void)
{
	pthread_t t[3];
	pthread_rwlockattr_t first;
	pthread_rwlockattr_init(&first);
	pthread_rwlockattr_setkind_np(&first, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
	pthread_rwlock_init(&rw, &first);
	sem_init(&s, 0, 0);
	pthread_create(&t[0], NULL, setter, NULL);
	pthread_create(&t[1], NULL, poller, NULL);
	if (KIND == TWO)
		pthread_create(&t[2], NULL, poller, NULL);
	for (int i = 0; i < 2 + (KIND == TWO); i++)
		pthread_join(t[i], NULL);
	return 0;
}
