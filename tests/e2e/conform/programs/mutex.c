// Mutexes: types, ownership, error codes, exclusion.
#include "check.h"

static pthread_mutex_t typed(int type)
{
	pthread_mutexattr_t attr;
	pthread_mutex_t m;
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, type);
	pthread_mutex_init(&m, &attr);
	pthread_mutexattr_destroy(&attr);
	return m;
}

/* What another thread gets from a call on the mutex. */
static void *try_lock(void *m)
{
	long rc = pthread_mutex_trylock(m);
	if (!rc)
		pthread_mutex_unlock(m);
	return (void *)rc;
}

static void *unlock(void *m)
{
	return (void *)(long)pthread_mutex_unlock(m);
}

CHECK(normal_locks_and_unlocks)
{
	pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
	EQUAL(pthread_mutex_lock(&m), 0);
	EQUAL(join(start(try_lock, &m)), EBUSY);
	EQUAL(pthread_mutex_unlock(&m), 0);
	EQUAL(join(start(try_lock, &m)), 0);
	EQUAL(pthread_mutex_destroy(&m), 0);
}

CHECK(normal_trylock_by_owner_is_busy)
{
	pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
	EQUAL(pthread_mutex_trylock(&m), 0);
	EQUAL(pthread_mutex_trylock(&m), EBUSY);
	EQUAL(pthread_mutex_unlock(&m), 0);
}

CHECK(errorcheck_relock)
{
	static pthread_mutex_t m = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
	EQUAL(pthread_mutex_lock(&m), 0);
	EQUAL(pthread_mutex_lock(&m), EDEADLK);
	EQUAL(pthread_mutex_trylock(&m), EBUSY);
	EQUAL(pthread_mutex_unlock(&m), 0);
	EQUAL(pthread_mutex_unlock(&m), EPERM);
}

CHECK(errorcheck_unlock_by_other)
{
	pthread_mutex_t m = typed(PTHREAD_MUTEX_ERRORCHECK);
	EQUAL(pthread_mutex_lock(&m), 0);
	EQUAL(join(start(unlock, &m)), EPERM);
	EQUAL(pthread_mutex_unlock(&m), 0);
	EQUAL(pthread_mutex_destroy(&m), 0);
}

CHECK(recursive_counts)
{
	pthread_mutex_t m = typed(PTHREAD_MUTEX_RECURSIVE);
	EQUAL(pthread_mutex_lock(&m), 0);
	EQUAL(pthread_mutex_lock(&m), 0);
	EQUAL(pthread_mutex_trylock(&m), 0);
	EQUAL(pthread_mutex_unlock(&m), 0);
	EQUAL(pthread_mutex_unlock(&m), 0);
	EQUAL(join(start(try_lock, &m)), EBUSY);
	EQUAL(join(start(unlock, &m)), EPERM);
	EQUAL(pthread_mutex_unlock(&m), 0);
	EQUAL(join(start(try_lock, &m)), 0);
	EQUAL(pthread_mutex_unlock(&m), EPERM);
	EQUAL(pthread_mutex_destroy(&m), 0);
}

CHECK(type_of_static_initialisers)
{
	static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
	static pthread_mutex_t adaptive = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;
	EQUAL(pthread_mutex_lock(&recursive), 0);
	EQUAL(pthread_mutex_lock(&recursive), 0);
	EQUAL(pthread_mutex_unlock(&recursive), 0);
	EQUAL(pthread_mutex_unlock(&recursive), 0);
	EQUAL(pthread_mutex_lock(&adaptive), 0);
	EQUAL(pthread_mutex_trylock(&adaptive), EBUSY);
	EQUAL(pthread_mutex_unlock(&adaptive), 0);
}

static pthread_mutex_t shared = PTHREAD_MUTEX_INITIALIZER;
static int total, inside, overlaps;

static void *count(void *unused)
{
	for (int i = 0; i < 20; i++) {
		pthread_mutex_lock(&shared);
		overlaps += inside++ != 0;
		total++;
		inside--;
		pthread_mutex_unlock(&shared);
	}
	return unused;
}

CHECK(excludes)
{
	pthread_t t[3];
	for (int i = 0; i < 3; i++)
		t[i] = start(count, NULL);
	for (int i = 0; i < 3; i++)
		join(t[i]);
	EQUAL(total, 60);
	EQUAL(overlaps, 0);
}

static atomic_int waiting, passed;

static void *lock_and_pass(void *m)
{
	atomic_fetch_add(&waiting, 1);
	pthread_mutex_lock(m);
	atomic_fetch_add(&passed, 1);
	pthread_mutex_unlock(m);
	return NULL;
}

CHECK(lock_blocks_until_unlock)
{
	pthread_mutex_lock(&shared);
	pthread_t t = start(lock_and_pass, &shared);
	await(&waiting, 1);
	settle();
	EQUAL(atomic_load(&passed), 0);
	pthread_mutex_unlock(&shared);
	join(t);
	EQUAL(atomic_load(&passed), 1);
}

CHECK(lock_memory_used_again_is_a_new_lock)
{
	for (int i = 0; i < 3; i++) {
		pthread_mutex_t *m = malloc(sizeof(*m));
		EQUAL(pthread_mutex_init(m, NULL), 0);
		EQUAL(pthread_mutex_lock(m), 0);
		EQUAL(pthread_mutex_unlock(m), 0);
		EQUAL(pthread_mutex_destroy(m), 0);
		EQUAL(pthread_mutex_init(m, NULL), 0);
		EQUAL(pthread_mutex_trylock(m), 0);
		EQUAL(pthread_mutex_unlock(m), 0);
		EQUAL(pthread_mutex_destroy(m), 0);
		free(m);
	}
}
