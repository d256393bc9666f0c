// Which waits end when their thread is cancelled, and what it holds then.
#include "check.h"

#include <semaphore.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static sem_t empty;
static atomic_int waits, cleaned, passed;

/* The mutex is held again when the handler runs. */
static void unlock(void *m)
{
	atomic_fetch_add(&cleaned, pthread_mutex_trylock(m) == EBUSY);
	pthread_mutex_unlock(m);
}

static void *wait_for_ever(void *unused)
{
	pthread_mutex_lock(&lock);
	pthread_cleanup_push(unlock, &lock);
	atomic_store(&waits, 1);
	for (;;)
		pthread_cond_wait(&never, &lock);
	pthread_cleanup_pop(1);
	return unused;
}

static void *wait_for_long(void *unused)
{
	pthread_mutex_lock(&lock);
	pthread_cleanup_push(unlock, &lock);
	atomic_store(&waits, 1);
	for (;;) {
		struct timespec late = in_ms(CLOCK_REALTIME, 100000);
		pthread_cond_timedwait(&never, &lock, &late);
	}
	pthread_cleanup_pop(1);
	return unused;
}

static void *cancelled(pthread_t t)
{
	await(&waits, 1);
	settle();
	EQUAL(pthread_cancel(t), 0);
	void *result = join(t);
	atomic_store(&waits, 0);
	return result;
}

CHECK(condition_wait_is_cancelled_with_its_mutex_held)
{
	TRUE(cancelled(start(wait_for_ever, NULL)) == PTHREAD_CANCELED);
	EQUAL(atomic_load(&cleaned), 1);
	EQUAL(pthread_mutex_trylock(&lock), 0);
	EQUAL(pthread_mutex_unlock(&lock), 0);
}

CHECK(timed_condition_wait_too)
{
	TRUE(cancelled(start(wait_for_long, NULL)) == PTHREAD_CANCELED);
	EQUAL(atomic_load(&cleaned), 2);
}

static void *wait_for_token(void *unused)
{
	atomic_store(&waits, 1);
	sem_wait(&empty);
	return unused;
}

static void *wait_for_token_in_time(void *unused)
{
	atomic_store(&waits, 1);
	struct timespec late = in_ms(CLOCK_MONOTONIC, 100000);
	while (sem_clockwait(&empty, CLOCK_MONOTONIC, &late))
		late = in_ms(CLOCK_MONOTONIC, 100000);
	return unused;
}

CHECK(semaphore_waits)
{
	int value = -1;
	EQUAL(sem_init(&empty, 0, 0), 0);
	TRUE(cancelled(start(wait_for_token, NULL)) == PTHREAD_CANCELED);
	TRUE(cancelled(start(wait_for_token_in_time, NULL)) == PTHREAD_CANCELED);
	EQUAL(sem_getvalue(&empty, &value), 0);
	EQUAL(value, 0);
}

static void *lock_and_pass(void *unused)
{
	atomic_store(&waits, 1);
	pthread_mutex_lock(&lock);
	atomic_store(&passed, 1);
	pthread_mutex_unlock(&lock);
	return unused;
}

CHECK(mutex_is_no_cancellation_point)
{
	EQUAL(pthread_mutex_lock(&lock), 0);
	pthread_t t = start(lock_and_pass, NULL);
	await(&waits, 1);
	EQUAL(pthread_cancel(t), 0);
	settle();
	EQUAL(pthread_mutex_unlock(&lock), 0);
	TRUE(join(t) != PTHREAD_CANCELED);
	EQUAL(atomic_load(&passed), 1);
}
