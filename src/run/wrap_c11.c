/* SPDX-License-Identifier: Apache-2.0 */
/* Threads of C11: glibc's are its POSIX ones under other names, and so are these. */
#include <errno.h>
#include <threads.h>

#include "run/real.h"
#include "run/run.h"

static int code(int rc)
{
	switch (rc) {
	case 0:
		return thrd_success;
	case ENOMEM:
		return thrd_nomem;
	case ETIMEDOUT:
		return thrd_timedout;
	case EBUSY:
		return thrd_busy;
	default:
		return thrd_error;
	}
}

struct start {
	thrd_start_t routine;
	void *argument;
};

static void *start(void *value)
{
	struct start s = *(struct start *)value;
	__libc_free(value);
	return (void *)(intptr_t)s.routine(s.argument);
}

RUN_EXPORT int thrd_create(thrd_t *thread, thrd_start_t routine, void *argument)
{
	struct start *s = __libc_malloc(sizeof(*s));
	if (!s)
		return thrd_nomem;
	*s = (struct start){ routine, argument };
	int rc = pthread_create(thread, NULL, start, s);
	if (rc)
		__libc_free(s);
	return rc == EAGAIN ? thrd_nomem : code(rc);
}

RUN_EXPORT int thrd_join(thrd_t thread, int *result)
{
	void *value;
	int rc = pthread_join(thread, &value);
	if (!rc && result)
		*result = (int)(intptr_t)value;
	return code(rc);
}

RUN_EXPORT int thrd_detach(thrd_t thread)
{
	return code(pthread_detach(thread));
}

RUN_EXPORT int mtx_lock(mtx_t *m)
{
	return code(pthread_mutex_lock((pthread_mutex_t *)m));
}

RUN_EXPORT int mtx_trylock(mtx_t *m)
{
	return code(pthread_mutex_trylock((pthread_mutex_t *)m));
}

RUN_EXPORT int mtx_timedlock(mtx_t *restrict m, const struct timespec *restrict end)
{
	return code(pthread_mutex_timedlock((pthread_mutex_t *)m, end));
}

RUN_EXPORT int mtx_unlock(mtx_t *m)
{
	return code(pthread_mutex_unlock((pthread_mutex_t *)m));
}

RUN_EXPORT void mtx_destroy(mtx_t *m)
{
	pthread_mutex_destroy((pthread_mutex_t *)m);
}

RUN_EXPORT int cnd_wait(cnd_t *c, mtx_t *m)
{
	return code(pthread_cond_wait((pthread_cond_t *)c, (pthread_mutex_t *)m));
}

RUN_EXPORT int cnd_timedwait(cnd_t *restrict c, mtx_t *restrict m,
			     const struct timespec *restrict end)
{
	return code(pthread_cond_timedwait((pthread_cond_t *)c, (pthread_mutex_t *)m, end));
}

RUN_EXPORT int cnd_signal(cnd_t *c)
{
	return code(pthread_cond_signal((pthread_cond_t *)c));
}

RUN_EXPORT int cnd_broadcast(cnd_t *c)
{
	return code(pthread_cond_broadcast((pthread_cond_t *)c));
}

RUN_EXPORT void cnd_destroy(cnd_t *c)
{
	pthread_cond_destroy((pthread_cond_t *)c);
}

RUN_EXPORT void call_once(once_flag *flag, void (*function)(void))
{
	pthread_once((pthread_once_t *)flag, function);
}
