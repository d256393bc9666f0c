// Attributes of mutexes, condition variables, rwlocks and barriers.
#include "check.h"

CHECK(mutex_defaults)
{
	pthread_mutexattr_t a;
	int v = -1;
	EQUAL(pthread_mutexattr_init(&a), 0);
	EQUAL(pthread_mutexattr_gettype(&a, &v), 0);
	EQUAL(v, PTHREAD_MUTEX_DEFAULT);
	EQUAL(pthread_mutexattr_getpshared(&a, &v), 0);
	EQUAL(v, PTHREAD_PROCESS_PRIVATE);
	EQUAL(pthread_mutexattr_getprotocol(&a, &v), 0);
	EQUAL(v, PTHREAD_PRIO_NONE);
	EQUAL(pthread_mutexattr_getrobust(&a, &v), 0);
	EQUAL(v, PTHREAD_MUTEX_STALLED);
	EQUAL(pthread_mutexattr_destroy(&a), 0);
}

CHECK(mutex_settings)
{
	pthread_mutexattr_t a;
	int v = -1;
	pthread_mutexattr_init(&a);
	EQUAL(pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE), 0);
	EQUAL(pthread_mutexattr_gettype(&a, &v), 0);
	EQUAL(v, PTHREAD_MUTEX_RECURSIVE);
	EQUAL(pthread_mutexattr_settype(&a, 77), EINVAL);
	EQUAL(pthread_mutexattr_setrobust(&a, 77), EINVAL);
	EQUAL(pthread_mutexattr_setprotocol(&a, 77), EINVAL);
	EQUAL(pthread_mutexattr_setpshared(&a, 77), EINVAL);
	EQUAL(pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_INHERIT), 0);
	EQUAL(pthread_mutexattr_getprotocol(&a, &v), 0);
	EQUAL(v, PTHREAD_PRIO_INHERIT);
	EQUAL(pthread_mutexattr_setprioceiling(&a, -5), EINVAL);
	EQUAL(pthread_mutexattr_setprioceiling(&a, 3), 0);
	EQUAL(pthread_mutexattr_getprioceiling(&a, &v), 0);
	EQUAL(v, 3);
	pthread_mutexattr_destroy(&a);
}

CHECK(inherited_priority_is_a_mutex_that_knows_its_owner)
{
	pthread_mutexattr_t a;
	pthread_mutex_t m;
	pthread_mutexattr_init(&a);
	pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_INHERIT);
	EQUAL(pthread_mutex_init(&m, &a), 0);
	EQUAL(pthread_mutex_unlock(&m), EPERM);
	EQUAL(pthread_mutex_lock(&m), 0);
	EQUAL(pthread_mutex_trylock(&m), EBUSY);
	EQUAL(pthread_mutex_unlock(&m), 0);
	EQUAL(pthread_mutex_destroy(&m), 0);
	pthread_mutexattr_settype(&a, PTHREAD_MUTEX_ERRORCHECK);
	EQUAL(pthread_mutex_init(&m, &a), 0);
	EQUAL(pthread_mutex_lock(&m), 0);
	EQUAL(pthread_mutex_lock(&m), EDEADLK);
	EQUAL(pthread_mutex_trylock(&m), EDEADLK);
	EQUAL(pthread_mutex_unlock(&m), 0);
	EQUAL(pthread_mutex_destroy(&m), 0);
}

CHECK(ceilings)
{
	pthread_mutexattr_t a;
	pthread_mutex_t m;
	int v = -1;
	pthread_mutexattr_init(&a);
	EQUAL(pthread_mutex_init(&m, &a), 0);
	EQUAL(pthread_mutex_getprioceiling(&m, &v), EINVAL);
	EQUAL(pthread_mutex_setprioceiling(&m, 3, &v), EINVAL);
	EQUAL(pthread_mutex_destroy(&m), 0);
	pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_PROTECT);
	pthread_mutexattr_setprioceiling(&a, 7);
	EQUAL(pthread_mutex_init(&m, &a), 0);
	EQUAL(pthread_mutex_getprioceiling(&m, &v), 0);
	EQUAL(v, 7);
	EQUAL(pthread_mutex_setprioceiling(&m, 9, &v), 0);
	EQUAL(v, 7);
	EQUAL(pthread_mutex_getprioceiling(&m, &v), 0);
	EQUAL(v, 9);
	EQUAL(pthread_mutex_destroy(&m), 0);
}

CHECK(shared_mutex_in_a_shared_mapping)
{
	pthread_mutexattr_t a;
	pthread_mutex_t m;
	pthread_mutexattr_init(&a);
	EQUAL(pthread_mutexattr_setpshared(&a, PTHREAD_PROCESS_SHARED), 0);
	EQUAL(pthread_mutex_init(&m, &a), 0);
	EQUAL(pthread_mutex_lock(&m), 0);
	EQUAL(pthread_mutex_trylock(&m), EBUSY);
	EQUAL(pthread_mutex_unlock(&m), 0);
	EQUAL(pthread_mutex_destroy(&m), 0);
}

CHECK(condition_variable)
{
	pthread_condattr_t a;
	clockid_t clock = -1;
	int v = -1;
	EQUAL(pthread_condattr_init(&a), 0);
	EQUAL(pthread_condattr_getclock(&a, &clock), 0);
	EQUAL(clock, CLOCK_REALTIME);
	EQUAL(pthread_condattr_getpshared(&a, &v), 0);
	EQUAL(v, PTHREAD_PROCESS_PRIVATE);
	EQUAL(pthread_condattr_setclock(&a, CLOCK_PROCESS_CPUTIME_ID), EINVAL);
	EQUAL(pthread_condattr_setclock(&a, CLOCK_MONOTONIC), 0);
	EQUAL(pthread_condattr_getclock(&a, &clock), 0);
	EQUAL(clock, CLOCK_MONOTONIC);
	EQUAL(pthread_condattr_destroy(&a), 0);
}

CHECK(rwlock)
{
	pthread_rwlockattr_t a;
	int v = -1;
	EQUAL(pthread_rwlockattr_init(&a), 0);
	EQUAL(pthread_rwlockattr_getkind_np(&a, &v), 0);
	EQUAL(v, PTHREAD_RWLOCK_PREFER_READER_NP);
	EQUAL(pthread_rwlockattr_setkind_np(&a, 77), EINVAL);
	EQUAL(pthread_rwlockattr_setkind_np(&a, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP), 0);
	EQUAL(pthread_rwlockattr_getkind_np(&a, &v), 0);
	EQUAL(v, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
	EQUAL(pthread_rwlockattr_setpshared(&a, PTHREAD_PROCESS_SHARED), 0);
	EQUAL(pthread_rwlockattr_getpshared(&a, &v), 0);
	EQUAL(v, PTHREAD_PROCESS_SHARED);
	EQUAL(pthread_rwlockattr_destroy(&a), 0);
}

CHECK(barrier)
{
	pthread_barrierattr_t a;
	pthread_barrier_t b;
	int v = -1;
	EQUAL(pthread_barrierattr_init(&a), 0);
	EQUAL(pthread_barrierattr_getpshared(&a, &v), 0);
	EQUAL(v, PTHREAD_PROCESS_PRIVATE);
	EQUAL(pthread_barrierattr_setpshared(&a, PTHREAD_PROCESS_SHARED), 0);
	EQUAL(pthread_barrier_init(&b, &a, 1), 0);
	EQUAL(pthread_barrier_wait(&b), PTHREAD_BARRIER_SERIAL_THREAD);
	EQUAL(pthread_barrier_destroy(&b), 0);
	EQUAL(pthread_barrierattr_destroy(&a), 0);
}
