// Robust mutexes: an owner that ends, what the next one gets, and what becomes of the mutex.
#include "check.h"

static pthread_mutex_t robust(int type)
{
	pthread_mutexattr_t attr;
	pthread_mutex_t m;
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, type);
	pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&m, &attr);
	return m;
}

static void *die_holding(void *m)
{
	return (void *)(long)pthread_mutex_lock(m);
}

static void *die_holding_twice(void *m)
{
	pthread_mutex_lock(m);
	return (void *)(long)pthread_mutex_lock(m);
}

static void *try(void *m)
{
	return (void *)(long)pthread_mutex_trylock(m);
}

CHECK(owner_died_and_made_consistent)
{
	static pthread_mutex_t m;
	m = robust(PTHREAD_MUTEX_NORMAL);
	EQUAL(join(start(die_holding, &m)), 0);
	EQUAL(pthread_mutex_lock(&m), EOWNERDEAD);
	EQUAL(join(start(try, &m)), EBUSY);
	EQUAL(pthread_mutex_consistent(&m), 0);
	EQUAL(pthread_mutex_consistent(&m), EINVAL);
	EQUAL(pthread_mutex_unlock(&m), 0);
	EQUAL(pthread_mutex_lock(&m), 0);
	EQUAL(pthread_mutex_unlock(&m), 0);
	EQUAL(pthread_mutex_destroy(&m), 0);
}

CHECK(not_recoverable)
{
	static pthread_mutex_t m;
	struct timespec soon = in_ms(CLOCK_REALTIME, 10);
	m = robust(PTHREAD_MUTEX_NORMAL);
	EQUAL(join(start(die_holding, &m)), 0);
	EQUAL(pthread_mutex_trylock(&m), EOWNERDEAD);
	EQUAL(pthread_mutex_unlock(&m), 0);
	EQUAL(pthread_mutex_lock(&m), ENOTRECOVERABLE);
	EQUAL(pthread_mutex_timedlock(&m, &soon), ENOTRECOVERABLE);
	EQUAL(pthread_mutex_trylock(&m), ENOTRECOVERABLE);
	EQUAL(pthread_mutex_consistent(&m), EINVAL);
	EQUAL(pthread_mutex_destroy(&m), 0);
}

CHECK(dies_again_while_inconsistent)
{
	static pthread_mutex_t m;
	m = robust(PTHREAD_MUTEX_NORMAL);
	EQUAL(join(start(die_holding, &m)), 0);
	EQUAL(join(start(die_holding, &m)), EOWNERDEAD);
	EQUAL(pthread_mutex_lock(&m), EOWNERDEAD);
	EQUAL(pthread_mutex_consistent(&m), 0);
	EQUAL(pthread_mutex_unlock(&m), 0);
	EQUAL(pthread_mutex_destroy(&m), 0);
}

CHECK(recursive_owner)
{
	static pthread_mutex_t m;
	m = robust(PTHREAD_MUTEX_RECURSIVE);
	EQUAL(join(start(die_holding_twice, &m)), 0);
	EQUAL(pthread_mutex_lock(&m), EOWNERDEAD);
	EQUAL(pthread_mutex_consistent(&m), 0);
	EQUAL(pthread_mutex_lock(&m), 0);
	EQUAL(pthread_mutex_unlock(&m), 0);
	EQUAL(pthread_mutex_unlock(&m), 0);
	EQUAL(pthread_mutex_unlock(&m), EPERM);
	EQUAL(pthread_mutex_destroy(&m), 0);
}

CHECK(errorcheck)
{
	static pthread_mutex_t m;
	m = robust(PTHREAD_MUTEX_ERRORCHECK);
	EQUAL(pthread_mutex_lock(&m), 0);
	EQUAL(pthread_mutex_lock(&m), EDEADLK);
	EQUAL(pthread_mutex_trylock(&m), EDEADLK);
	EQUAL(pthread_mutex_unlock(&m), 0);
	EQUAL(pthread_mutex_unlock(&m), EPERM);
}

CHECK(normal_knows_its_owner)
{
	static pthread_mutex_t m;
	m = robust(PTHREAD_MUTEX_NORMAL);
	EQUAL(pthread_mutex_unlock(&m), EPERM);
	EQUAL(pthread_mutex_consistent(&m), EINVAL);
	EQUAL(pthread_mutex_lock(&m), 0);
	EQUAL(pthread_mutex_consistent(&m), EINVAL);
	EQUAL(pthread_mutex_unlock(&m), 0);
}

CHECK(consistent_of_another_mutex)
{
	pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
	EQUAL(pthread_mutex_consistent(&m), EINVAL);
}

static pthread_mutex_t waited;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static atomic_int holds;

static void *hold_then_die(void *unused)
{
	pthread_mutex_lock(&waited);
	atomic_store(&holds, 1);
	usleep(2000);
	return unused;
}

CHECK(waiter_is_told)
{
	waited = robust(PTHREAD_MUTEX_NORMAL);
	pthread_t t = start(hold_then_die, NULL);
	await(&holds, 1);
	EQUAL(pthread_mutex_lock(&waited), EOWNERDEAD);
	EQUAL(pthread_mutex_consistent(&waited), 0);
	EQUAL(pthread_mutex_unlock(&waited), 0);
	join(t);
}

static void *signal_then_die(void *unused)
{
	pthread_mutex_lock(&waited);
	pthread_cond_signal(&condition);
	return unused;
}

CHECK(condition_wait_tells_too)
{
	EQUAL(pthread_mutex_lock(&waited), 0);
	pthread_t t = start(signal_then_die, NULL);
	EQUAL(pthread_cond_wait(&condition, &waited), EOWNERDEAD);
	EQUAL(pthread_mutex_consistent(&waited), 0);
	EQUAL(pthread_mutex_unlock(&waited), 0);
	join(t);
}
