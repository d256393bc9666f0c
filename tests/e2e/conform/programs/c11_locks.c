// C11: mtx_* and cnd_*.
#include "check.h"

#include <threads.h>

static mtx_t lock;
static cnd_t changed;
static int ready;

static void *try(void *m)
{
	long rc = mtx_trylock(m);
	if (rc == thrd_success)
		mtx_unlock(m);
	return (void *)rc;
}

CHECK(plain)
{
	EQUAL(mtx_init(&lock, mtx_plain), thrd_success);
	EQUAL(mtx_lock(&lock), thrd_success);
	EQUAL(join(start(try, &lock)), thrd_busy);
	EQUAL(mtx_unlock(&lock), thrd_success);
	EQUAL(join(start(try, &lock)), thrd_success);
	mtx_destroy(&lock);
}

CHECK(recursive)
{
	EQUAL(mtx_init(&lock, mtx_plain | mtx_recursive), thrd_success);
	EQUAL(mtx_lock(&lock), thrd_success);
	EQUAL(mtx_lock(&lock), thrd_success);
	EQUAL(mtx_trylock(&lock), thrd_success);
	EQUAL(mtx_unlock(&lock), thrd_success);
	EQUAL(mtx_unlock(&lock), thrd_success);
	EQUAL(join(start(try, &lock)), thrd_busy);
	EQUAL(mtx_unlock(&lock), thrd_success);
	EQUAL(mtx_unlock(&lock), thrd_error);
	mtx_destroy(&lock);
}

static void *try_in_time(void *m)
{
	struct timespec t = in_ms(CLOCK_REALTIME, 10);
	return (void *)(long)mtx_timedlock(m, &t);
}

CHECK(timed)
{
	struct timespec t = in_ms(CLOCK_REALTIME, 10);
	EQUAL(mtx_init(&lock, mtx_timed), thrd_success);
	EQUAL(mtx_timedlock(&lock, &t), thrd_success);
	EQUAL(join(start(try_in_time, &lock)), thrd_timedout);
	EQUAL(mtx_unlock(&lock), thrd_success);
	mtx_destroy(&lock);
}

static void *wait_until_ready(void *unused)
{
	mtx_lock(&lock);
	while (!ready)
		cnd_wait(&changed, &lock);
	mtx_unlock(&lock);
	return unused;
}

CHECK(condition)
{
	struct timespec t = in_ms(CLOCK_REALTIME, 10);
	EQUAL(mtx_init(&lock, mtx_plain), thrd_success);
	EQUAL(cnd_init(&changed), thrd_success);
	EQUAL(cnd_signal(&changed), thrd_success);
	mtx_lock(&lock);
	EQUAL(cnd_timedwait(&changed, &lock, &t), thrd_timedout);
	EQUAL(join(start(try, &lock)), thrd_busy);
	mtx_unlock(&lock);
	pthread_t a = start(wait_until_ready, NULL), b = start(wait_until_ready, NULL);
	mtx_lock(&lock);
	ready = 1;
	EQUAL(cnd_broadcast(&changed), thrd_success);
	mtx_unlock(&lock);
	join(a);
	join(b);
	cnd_destroy(&changed);
	mtx_destroy(&lock);
}
