// Timed mutexes: what deadlines do, which of them are valid, on which clocks.
#include "check.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const struct timespec invalid = { .tv_sec = 1, .tv_nsec = 1000000000 };

struct attempt {
	clockid_t clock;	/* -1: pthread_mutex_timedlock */
	struct timespec when;
};

static void *try_until(void *argument)
{
	const struct attempt *a = argument;
	long rc = a->clock < 0 ? pthread_mutex_timedlock(&lock, &a->when) :
				 pthread_mutex_clocklock(&lock, a->clock, &a->when);
	if (!rc)
		pthread_mutex_unlock(&lock);
	return (void *)rc;
}

/* What another thread gets from a timed attempt. */
static long other_gets(clockid_t clock, struct timespec when)
{
	struct attempt a = { clock, when };
	return (long)join(start(try_until, &a));
}

CHECK(free_lock_is_taken_at_once)
{
	struct timespec soon = in_ms(CLOCK_REALTIME, 1000);
	EQUAL(pthread_mutex_timedlock(&lock, &soon), 0);
	EQUAL(pthread_mutex_unlock(&lock), 0);
}

CHECK(free_lock_is_taken_after_the_deadline)
{
	struct timespec past = in_ms(CLOCK_REALTIME, -1000);
	EQUAL(pthread_mutex_timedlock(&lock, &past), 0);
	EQUAL(pthread_mutex_unlock(&lock), 0);
}

CHECK(free_lock_is_taken_whatever_the_time)
{
	EQUAL(pthread_mutex_timedlock(&lock, &invalid), 0);
	EQUAL(pthread_mutex_unlock(&lock), 0);
}

CHECK(held_lock_times_out)
{
	pthread_mutex_lock(&lock);
	struct timespec soon = in_ms(CLOCK_REALTIME, 10);
	EQUAL(other_gets(-1, soon), ETIMEDOUT);
	TRUE(has_passed(CLOCK_REALTIME, &soon));
	EQUAL(other_gets(-1, in_ms(CLOCK_REALTIME, -1000)), ETIMEDOUT);
	EQUAL(other_gets(-1, (struct timespec){ .tv_sec = -1 }), ETIMEDOUT);
	pthread_mutex_unlock(&lock);
}

CHECK(invalid_time_when_it_must_wait)
{
	pthread_mutex_lock(&lock);
	EQUAL(other_gets(-1, invalid), EINVAL);
	EQUAL(other_gets(CLOCK_MONOTONIC, (struct timespec){ .tv_nsec = -1 }), EINVAL);
	pthread_mutex_unlock(&lock);
}

CHECK(clocks)
{
	pthread_mutex_lock(&lock);
	struct timespec soon = in_ms(CLOCK_MONOTONIC, 10);
	EQUAL(other_gets(CLOCK_MONOTONIC, soon), ETIMEDOUT);
	TRUE(has_passed(CLOCK_MONOTONIC, &soon));
	EQUAL(other_gets(CLOCK_REALTIME, in_ms(CLOCK_REALTIME, 10)), ETIMEDOUT);
	EQUAL(other_gets(CLOCK_PROCESS_CPUTIME_ID, soon), EINVAL);
	pthread_mutex_unlock(&lock);
	EQUAL(pthread_mutex_clocklock(&lock, CLOCK_THREAD_CPUTIME_ID, &soon), EINVAL);
}

CHECK(timed_relock)
{
	static pthread_mutex_t check = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
	static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
	struct timespec soon = in_ms(CLOCK_REALTIME, 10);
	EQUAL(pthread_mutex_lock(&check), 0);
	EQUAL(pthread_mutex_timedlock(&check, &soon), EDEADLK);
	EQUAL(pthread_mutex_unlock(&check), 0);
	EQUAL(pthread_mutex_lock(&recursive), 0);
	EQUAL(pthread_mutex_timedlock(&recursive, &soon), 0);
	EQUAL(pthread_mutex_unlock(&recursive), 0);
	EQUAL(pthread_mutex_unlock(&recursive), 0);
	EQUAL(pthread_mutex_lock(&lock), 0);
	EQUAL(pthread_mutex_timedlock(&lock, &soon), ETIMEDOUT);
	EQUAL(pthread_mutex_unlock(&lock), 0);
}

static atomic_int waits;

static void *wait_long(void *unused)
{
	struct timespec late = in_ms(CLOCK_REALTIME, 1000000000);
	atomic_store(&waits, 1);
	long rc = pthread_mutex_timedlock(&lock, &late);
	(void)unused;
	if (!rc)
		pthread_mutex_unlock(&lock);
	return (void *)rc;
}

CHECK(unlock_comes_before_the_deadline)
{
	pthread_mutex_lock(&lock);
	pthread_t t = start(wait_long, NULL);
	await(&waits, 1);
	pthread_mutex_unlock(&lock);
	long rc = (long)join(t);
	/* Under heddle time may jump. */
	TRUE(rc == 0 || rc == ETIMEDOUT);
}
