/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mutexes and condition variables of C11.  In glibc they are those of pthread under another name,
 * and so they are here; only the results have other names.
 */
#include "rt/locks.h"

static int in_c11_words(int rc)
{
	switch (rc) {
	case 0:
		return thrd_success;
	case ETIMEDOUT:
		return thrd_timedout;
	case EBUSY:
		return thrd_busy;
	case ENOMEM:
		return thrd_nomem;
	}
	return thrd_error;
}

RT_EXPORT int mtx_init(mtx_t *m, int type)
{
	bool controlled = rt_wrapper(PC);
	int rc = REAL_FN(mtx_init)(m, type);
	if (controlled && rc == thrd_success)
		mutex_made((pthread_mutex_t *)m, PC);
	return rc;
}

RT_EXPORT void mtx_destroy(mtx_t *m)
{
	if (rt_wrapper(PC))
		mutex_destroy((pthread_mutex_t *)m, PC);
	else
		REAL_FN(mtx_destroy)(m);
}

RT_EXPORT int mtx_lock(mtx_t *m)
{
	if (!rt_lock_wrapper(m, PC))
		return REAL_FN(mtx_lock)(m);
	return in_c11_words(mutex_lock((pthread_mutex_t *)m, FOR_EVER, PC));
}

RT_EXPORT int mtx_trylock(mtx_t *m)
{
	if (!rt_lock_wrapper(m, PC))
		return REAL_FN(mtx_trylock)(m);
	return in_c11_words(mutex_trylock((pthread_mutex_t *)m, PC));
}

RT_EXPORT int mtx_timedlock(mtx_t *restrict m, const struct timespec *restrict when)
{
	if (!rt_lock_wrapper(m, PC))
		return REAL_FN(mtx_timedlock)(m, when);
	struct until until = { when, CLOCK_REALTIME };
	return in_c11_words(mutex_lock((pthread_mutex_t *)m, until, PC));
}

RT_EXPORT int mtx_unlock(mtx_t *m)
{
	if (!rt_lock_wrapper(m, PC))
		return REAL_FN(mtx_unlock)(m);
	return in_c11_words(mutex_unlock((pthread_mutex_t *)m, PC));
}

RT_EXPORT int cnd_init(cnd_t *c)
{
	bool controlled = rt_wrapper(PC);
	int rc = REAL_FN(cnd_init)(c);
	if (controlled && rc == thrd_success)
		cond_made((pthread_cond_t *)c, PC);
	return rc;
}

RT_EXPORT void cnd_destroy(cnd_t *c)
{
	if (rt_wrapper(PC))
		cond_destroy((pthread_cond_t *)c, PC);
	else
		REAL_FN(cnd_destroy)(c);
}

RT_EXPORT int cnd_wait(cnd_t *c, mtx_t *m)
{
	if (!rt_wrapper(PC))
		return REAL_FN(cnd_wait)(c, m);
	return in_c11_words(cond_wait((pthread_cond_t *)c, (pthread_mutex_t *)m, FOR_EVER, PC));
}

RT_EXPORT int cnd_timedwait(cnd_t *restrict c, mtx_t *restrict m,
			    const struct timespec *restrict when)
{
	if (!rt_wrapper(PC))
		return REAL_FN(cnd_timedwait)(c, m, when);
	struct until until = { when, cond_clock((pthread_cond_t *)c) };
	return in_c11_words(cond_wait((pthread_cond_t *)c, (pthread_mutex_t *)m, until, PC));
}

RT_EXPORT int cnd_signal(cnd_t *c)
{
	if (!rt_wrapper(PC))
		return REAL_FN(cnd_signal)(c);
	cond_signal((pthread_cond_t *)c, PC);
	return thrd_success;
}

RT_EXPORT int cnd_broadcast(cnd_t *c)
{
	if (!rt_wrapper(PC))
		return REAL_FN(cnd_broadcast)(c);
	cond_broadcast((pthread_cond_t *)c, PC);
	return thrd_success;
}
