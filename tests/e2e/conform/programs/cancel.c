// Cancellation: states and types, cancellation points, cleanup handlers, what becomes of locks and of once.
#include "check.h"
#include <semaphore.h>

static atomic_int ready, passed;
static int log_of[16], logged;

static void note(void *number)
{
	log_of[logged++] = (int)(long)number;
}

static void reset(void)
{
	atomic_store(&ready, 0);
	atomic_store(&passed, 0);
	logged = 0;
}

/* Without sleeping: others may spin, and who sleeps may sleep longer than they live. */
static void await_ready(void)
{
	while (!atomic_load(&ready))
		sched_yield();
}

/* A thread that says when it is about to block is cancelled, before or while it does. */
static void *cancelled(void *(*body)(void *), void *argument)
{
	reset();
	pthread_t t = start(body, argument);
	await_ready();
	if (pthread_cancel(t))
		return NULL;
	return join(t);
}

static void *tests(void *unused)
{
	atomic_store(&ready, 1);
	for (;;)
		pthread_testcancel();
	return unused;
}

CHECK(testcancel)
{
	TRUE(cancelled(tests, NULL) == PTHREAD_CANCELED);
}

static void *sleeps(void *unused)
{
	atomic_store(&ready, 1);
	for (;;)
		sleep(1000);
	return unused;
}

CHECK(sleep_is_a_point)
{
	TRUE(cancelled(sleeps, NULL) == PTHREAD_CANCELED);
}

static void *joins(void *target)
{
	atomic_store(&ready, 1);
	pthread_join(*(pthread_t *)target, NULL);
	return NULL;
}

CHECK(join_is_a_point)
{
	reset();
	pthread_t sleeper = start(sleeps, NULL);
	TRUE(cancelled(joins, &sleeper) == PTHREAD_CANCELED);
	/* Nobody joins it any more, so it can be joined. */
	EQUAL(pthread_cancel(sleeper), 0);
	TRUE(join(sleeper) == PTHREAD_CANCELED);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

static void unlock(void *m)
{
	note((void *)(long)(pthread_mutex_trylock(m) == EBUSY));
	pthread_mutex_unlock(m);
}

static void *waits(void *unused)
{
	pthread_mutex_lock(&mutex);
	pthread_cleanup_push(unlock, &mutex);
	atomic_store(&ready, 1);
	for (;;)
		pthread_cond_wait(&cond, &mutex);
	pthread_cleanup_pop(0);
	return unused;
}

CHECK(cond_wait_is_a_point_and_takes_the_mutex_again)
{
	TRUE(cancelled(waits, NULL) == PTHREAD_CANCELED);
	EQUAL(logged, 1);
	EQUAL(log_of[0], 1);
	EQUAL(pthread_mutex_trylock(&mutex), 0);
	pthread_mutex_unlock(&mutex);
}

static void *waits_with_limit(void *unused)
{
	pthread_mutex_lock(&mutex);
	pthread_cleanup_push(unlock, &mutex);
	atomic_store(&ready, 1);
	struct timespec late = in_ms(CLOCK_REALTIME, 1000000);
	for (;;)
		pthread_cond_timedwait(&cond, &mutex, &late);
	pthread_cleanup_pop(0);
	return unused;
}

CHECK(cond_timedwait_is_a_point)
{
	TRUE(cancelled(waits_with_limit, NULL) == PTHREAD_CANCELED);
	EQUAL(pthread_mutex_trylock(&mutex), 0);
	pthread_mutex_unlock(&mutex);
}

static void *waits_for_semaphore(void *semaphore)
{
	atomic_store(&ready, 1);
	sem_wait(semaphore);
	return NULL;
}

CHECK(sem_wait_is_a_point)
{
	sem_t s;
	sem_init(&s, 0, 0);
	TRUE(cancelled(waits_for_semaphore, &s) == PTHREAD_CANCELED);
	int value = -1;
	EQUAL(sem_getvalue(&s, &value), 0);
	EQUAL(value, 0);
	sem_destroy(&s);
}

static void *reads(void *pipe)
{
	char c;
	atomic_store(&ready, 1);
	return (void *)read(*(int *)pipe, &c, 1);
}

CHECK(read_is_a_point)
{
	int ends[2];
	EQUAL(pipe(ends), 0);
	TRUE(cancelled(reads, ends) == PTHREAD_CANCELED);
	close(ends[0]);
	close(ends[1]);
}

/* ---- state and type ---- */

static void *refuses_a_while(void *unused)
{
	int state, type;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	if (state != PTHREAD_CANCEL_ENABLE)
		return NULL;
	pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &type);
	if (type != PTHREAD_CANCEL_DEFERRED)
		return NULL;
	atomic_store(&ready, 1);
	await(&passed, 1);
	pthread_testcancel();
	usleep(10);
	note((void *)1);
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &state);
	if (state != PTHREAD_CANCEL_DISABLE)
		return NULL;
	note((void *)2);
	pthread_testcancel();
	note((void *)3);
	return NULL;
}

CHECK(disabled_means_later)
{
	reset();
	pthread_t t = start(refuses_a_while, NULL);
	await(&ready, 1);
	EQUAL(pthread_cancel(t), 0);
	atomic_store(&passed, 1);
	TRUE(join(t) == PTHREAD_CANCELED);
	EQUAL(logged, 2);
}

static volatile long spins;

static void *spins_for_ever(void *unused)
{
	int type;
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &type);
	atomic_store(&ready, 1);
	for (;;)
		spins++;
	return unused;
}

CHECK(asynchronous)
{
	TRUE(cancelled(spins_for_ever, NULL) == PTHREAD_CANCELED);
}

static void *cancels_itself(void *unused)
{
	int type;
	pthread_cleanup_push(note, (void *)1);
	pthread_cancel(pthread_self());
	note((void *)2);		/* deferred: not yet */
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &type);
	note((void *)3);
	pthread_cleanup_pop(0);
	return unused;
}

CHECK(of_itself)
{
	reset();
	TRUE(join(start(cancels_itself, NULL)) == PTHREAD_CANCELED);
	EQUAL(logged, 2);
	EQUAL(log_of[0], 2);
	EQUAL(log_of[1], 1);
}

CHECK(bad_arguments)
{
	int old;
	EQUAL(pthread_setcancelstate(7, &old), EINVAL);
	EQUAL(pthread_setcanceltype(7, &old), EINVAL);
}

static void *ends(void *unused)
{
	atomic_store(&ready, 1);
	return unused;
}

CHECK(of_an_ended_thread)
{
	reset();
	pthread_t t = start(ends, NULL);
	await(&ready, 1);
	settle();
	EQUAL(pthread_cancel(t), 0);
	EQUAL(pthread_join(t, NULL), 0);
}

/* ---- handlers ---- */

static void inner_frame(void)
{
	pthread_cleanup_push(note, (void *)3);
	pthread_exit((void *)9);
	pthread_cleanup_pop(0);
}

static void *leaves(void *unused)
{
	pthread_cleanup_push(note, (void *)1);
	pthread_cleanup_push(note, (void *)2);
	pthread_cleanup_push(note, (void *)7);
	pthread_cleanup_pop(1);
	inner_frame();
	pthread_cleanup_pop(0);
	pthread_cleanup_pop(0);
	return unused;
}

CHECK(handlers_run_from_the_inside_out)
{
	reset();
	EQUAL(join(start(leaves, NULL)), 9);
	EQUAL(logged, 4);
	EQUAL(log_of[0], 7);
	EQUAL(log_of[1], 3);
	EQUAL(log_of[2], 2);
	EQUAL(log_of[3], 1);
}

static pthread_key_t key;

static void *leaves_with_key(void *unused)
{
	pthread_setspecific(key, (void *)5);
	pthread_cleanup_push(note, (void *)4);
	pthread_exit(unused);
	pthread_cleanup_pop(0);
	return NULL;
}

CHECK(handlers_run_before_destructors_of_keys)
{
	reset();
	pthread_key_create(&key, note);
	join(start(leaves_with_key, NULL));
	EQUAL(logged, 2);
	EQUAL(log_of[0], 4);
	EQUAL(log_of[1], 5);
	pthread_key_delete(key);
}

static int compare(const void *a, const void *b)
{
	(void)a;
	(void)b;
	pthread_exit((void *)11);
}

static void *sorts(void *unused)
{
	int v[4] = { 4, 3, 2, 1 };
	qsort(v, 4, sizeof(*v), compare);
	return unused;
}

CHECK(exit_out_of_a_callback)
{
	EQUAL(join(start(sorts, NULL)), 11);
	EQUAL(join(start(sorts, NULL)), 11);
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int once_runs;

static void once_body(void)
{
	if (++once_runs == 1) {
		atomic_store(&ready, 1);
		for (;;)
			sleep(1000);
	}
}

static void *calls_once(void *unused)
{
	pthread_once(&once, once_body);
	return unused;
}

CHECK(once_that_is_cancelled_is_run_again)
{
	reset();
	pthread_t t = start(calls_once, NULL);
	await(&ready, 1);
	pthread_t other = start(calls_once, NULL);
	EQUAL(pthread_cancel(t), 0);
	TRUE(join(t) == PTHREAD_CANCELED);
	EQUAL(join(other), 0);
	EQUAL(once_runs, 2);
	calls_once(NULL);
	EQUAL(once_runs, 2);
}
