// Condition variables: wake-up sets, the mutex around the wait, deadlines, clocks.
#include "check.h"

#define WAITERS 3

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int waiting, permits, woken, overlaps, inside;

static void *take_permit(void *unused)
{
	pthread_mutex_lock(&lock);
	waiting++;
	while (!permits) {
		pthread_cond_wait(&changed, &lock);
		overlaps += inside++ != 0;
		inside--;
	}
	permits--;
	woken++;
	pthread_mutex_unlock(&lock);
	return unused;
}

static void start_waiters(pthread_t *t)
{
	waiting = permits = woken = 0;
	for (int i = 0; i < WAITERS; i++)
		t[i] = start(take_permit, NULL);
	/* All of them wait once they have been counted and the mutex is free. */
	for (int all = 0; !all;) {
		pthread_mutex_lock(&lock);
		all = waiting == WAITERS;
		pthread_mutex_unlock(&lock);
		usleep(100);
	}
}

static int woken_now(void)
{
	settle();
	pthread_mutex_lock(&lock);
	int n = woken;
	pthread_mutex_unlock(&lock);
	return n;
}

CHECK(signal_wakes_one_at_a_time)
{
	pthread_t t[WAITERS];
	start_waiters(t);
	EQUAL(woken_now(), 0);
	for (int i = 1; i <= WAITERS; i++) {
		pthread_mutex_lock(&lock);
		permits = 1;
		EQUAL(pthread_cond_signal(&changed), 0);
		pthread_mutex_unlock(&lock);
		while (woken_now() < i)
			;
		EQUAL(woken_now(), i);
	}
	for (int i = 0; i < WAITERS; i++)
		join(t[i]);
	EQUAL(overlaps, 0);
}

CHECK(broadcast_wakes_all)
{
	pthread_t t[WAITERS];
	start_waiters(t);
	pthread_mutex_lock(&lock);
	permits = WAITERS;
	EQUAL(pthread_cond_broadcast(&changed), 0);
	pthread_mutex_unlock(&lock);
	for (int i = 0; i < WAITERS; i++)
		join(t[i]);
	EQUAL(woken, WAITERS);
	EQUAL(overlaps, 0);
}

CHECK(signal_without_waiters_is_lost)
{
	struct timespec soon = in_ms(CLOCK_REALTIME, 10);
	EQUAL(pthread_cond_signal(&changed), 0);
	EQUAL(pthread_cond_broadcast(&changed), 0);
	pthread_mutex_lock(&lock);
	EQUAL(pthread_cond_timedwait(&changed, &lock, &soon), ETIMEDOUT);
	TRUE(has_passed(CLOCK_REALTIME, &soon));
	pthread_mutex_unlock(&lock);
}

static void *try(void *m)
{
	long rc = pthread_mutex_trylock(m);
	if (!rc)
		pthread_mutex_unlock(m);
	return (void *)rc;
}

CHECK(mutex_is_held_after_a_timeout)
{
	struct timespec past = in_ms(CLOCK_REALTIME, -1000);
	pthread_mutex_lock(&lock);
	EQUAL(pthread_cond_timedwait(&changed, &lock, &past), ETIMEDOUT);
	EQUAL(join(start(try, &lock)), EBUSY);
	pthread_mutex_unlock(&lock);
}

CHECK(invalid_time)
{
	struct timespec bad = { .tv_sec = 1, .tv_nsec = 1000000000 };
	pthread_mutex_lock(&lock);
	EQUAL(pthread_cond_timedwait(&changed, &lock, &bad), EINVAL);
	EQUAL(pthread_cond_clockwait(&changed, &lock, CLOCK_MONOTONIC, &bad), EINVAL);
	bad.tv_nsec = 0;
	EQUAL(pthread_cond_clockwait(&changed, &lock, CLOCK_PROCESS_CPUTIME_ID, &bad), EINVAL);
	EQUAL(join(start(try, &lock)), EBUSY);
	pthread_mutex_unlock(&lock);
}

CHECK(clock_of_the_attribute)
{
	pthread_condattr_t attr;
	pthread_cond_t c;
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	EQUAL(pthread_cond_init(&c, &attr), 0);
	struct timespec soon = in_ms(CLOCK_MONOTONIC, 10);
	pthread_mutex_lock(&lock);
	EQUAL(pthread_cond_timedwait(&c, &lock, &soon), ETIMEDOUT);
	TRUE(has_passed(CLOCK_MONOTONIC, &soon));
	pthread_mutex_unlock(&lock);
	EQUAL(pthread_cond_destroy(&c), 0);
}

CHECK(clock_of_the_wait)
{
	pthread_mutex_lock(&lock);
	struct timespec soon = in_ms(CLOCK_MONOTONIC, 10);
	EQUAL(pthread_cond_clockwait(&changed, &lock, CLOCK_MONOTONIC, &soon), ETIMEDOUT);
	TRUE(has_passed(CLOCK_MONOTONIC, &soon));
	soon = in_ms(CLOCK_REALTIME, 10);
	EQUAL(pthread_cond_clockwait(&changed, &lock, CLOCK_REALTIME, &soon), ETIMEDOUT);
	TRUE(has_passed(CLOCK_REALTIME, &soon));
	pthread_mutex_unlock(&lock);
}

CHECK(wait_with_a_mutex_that_is_not_held)
{
	static pthread_mutex_t checked = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
	EQUAL(pthread_cond_wait(&changed, &checked), EPERM);
}

static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

CHECK(recursive_mutex_is_given_up_once)
{
	struct timespec soon = in_ms(CLOCK_REALTIME, 5);
	EQUAL(pthread_mutex_lock(&recursive), 0);
	EQUAL(pthread_cond_timedwait(&changed, &recursive, &soon), ETIMEDOUT);
	EQUAL(pthread_mutex_lock(&recursive), 0);
	EQUAL(pthread_cond_timedwait(&changed, &recursive, &soon), ETIMEDOUT);
	EQUAL(join(start(try, &recursive)), EBUSY);
	EQUAL(pthread_mutex_unlock(&recursive), 0);
	EQUAL(join(start(try, &recursive)), EBUSY);
	EQUAL(pthread_mutex_unlock(&recursive), 0);
	EQUAL(join(start(try, &recursive)), 0);
}

CHECK(destroyed_and_made_again)
{
	pthread_cond_t c;
	EQUAL(pthread_cond_init(&c, NULL), 0);
	EQUAL(pthread_cond_destroy(&c), 0);
	EQUAL(pthread_cond_init(&c, NULL), 0);
	EQUAL(pthread_cond_signal(&c), 0);
	EQUAL(pthread_cond_destroy(&c), 0);
}
