/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Everything of POSIX and C11 that orders two threads, each with a racy twin.
 *
 *   orders              names of all
 *   orders NAME         ordered: what is written before is read after
 *   orders NAME racy    the write comes after what would order it, or the read before
 *
 * Above 500 lines because it is one list: a pair of functions for each order.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <threads.h>
#include <unistd.h>

#include "orders.h"

/* ---- threads ---- */

static void *user(void *a) { USE; return a; }
static void *writer(void *a) { alone.value++; return a; }
static void *leaver(void *a) { alone.value++; pthread_exit(a); }

static void create(void)
{
	pthread_t t;
	BEFORE;
	pthread_create(&t, NULL, user, NULL);
	AFTER;
	pthread_join(t, NULL);
}

static void join_by(void *(*routine)(void *), int how)
{
	pthread_t t;
	struct timespec end = far_away();
	pthread_create(&t, NULL, routine, NULL);
	if (is_racy)
		USE;
	if (how == 0)
		pthread_join(t, NULL);
	else if (how == 1)
		while (pthread_tryjoin_np(t, NULL) == EBUSY)
			sched_yield();
	else
		pthread_timedjoin_np(t, NULL, &end);
	USE;
}

static void join(void) { join_by(writer, 0); }
static void try_join(void) { join_by(writer, 1); }
static void timed_join(void) { join_by(writer, 2); }
static void exit_and_join(void) { join_by(leaver, 0); }

static pthread_key_t key;
static void at_end(void *value) { (void)value; alone.value++; }
static void *has_key(void *a) { pthread_setspecific(key, &key); return a; }

static void key_destructor(void)
{
	pthread_key_create(&key, at_end);
	join_by(has_key, 0);
}

static pthread_t main_thread;
static void *joins_main(void *a)
{
	if (is_racy)
		USE;
	pthread_join(main_thread, NULL);
	USE;
	exit(0);
	return a;
}

static void main_exits(void)
{
	pthread_t t;
	main_thread = pthread_self();
	pthread_create(&t, NULL, joins_main, NULL);
	alone.value++;
	pthread_exit(NULL);
}

static sem_t sem;
static void *detached(void *a) { BEFORE; sem_post(&sem); AFTER; return a; }

static void detach(void)
{
	pthread_t t;
	pthread_create(&t, NULL, detached, NULL);
	pthread_detach(t);
	sem_wait(&sem);
	USE;
}

static void detached_by_attribute(void)
{
	pthread_t t;
	pthread_attr_t a;
	pthread_attr_init(&a);
	pthread_attr_setdetachstate(&a, PTHREAD_CREATE_DETACHED);
	pthread_create(&t, &a, detached, NULL);
	sem_wait(&sem);
	USE;
}

/* ---- semaphores, barriers, once ---- */

static void *posts(void *a) { BEFORE; sem_post(&sem); AFTER; return a; }
static void *waits(void *a) { sem_wait(&sem); USE; return a; }
static void *tries(void *a) { while (sem_trywait(&sem)) sched_yield(); USE; return a; }
static void *waits_until(void *a)
{
	struct timespec end = far_away();
	sem_timedwait(&sem, &end);
	USE;
	return a;
}

static void semaphore(void) { two(posts, waits); }
static void semaphore_try(void) { two(posts, tries); }
static void semaphore_timed(void) { two(posts, waits_until); }

static sem_t *named;
static void *posts_named(void *a) { BEFORE; sem_post(named); AFTER; return a; }
static void *waits_named(void *a) { sem_wait(named); USE; return a; }

static void semaphore_named(void)
{
	char name[64];
	snprintf(name, sizeof(name), "/heddle-orders-%d", (int)getpid());
	named = sem_open(name, O_CREAT, 0600, 0);
	if (named == SEM_FAILED)
		exit(9);
	sem_unlink(name);
	two(posts_named, waits_named);
}

static pthread_barrier_t both;
static void *at_barrier(void *a) { BEFORE; pthread_barrier_wait(&both); AFTER; return a; }
static void *past_barrier(void *a) { pthread_barrier_wait(&both); USE; return a; }
static void barrier(void) { pthread_barrier_init(&both, NULL, 2); two(at_barrier, past_barrier); }

static pthread_once_t control = PTHREAD_ONCE_INIT;
static void first_time(void) { BEFORE; }
static void *once_and_write(void *a) { pthread_once(&control, first_time); AFTER; return a; }
static void *once_and_use(void *a) { pthread_once(&control, first_time); USE; return a; }
static void once(void) { two(once_and_write, once_and_use); }

/* ---- condition variables ---- */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static bool is_ready, is_broadcast, is_timed;
static void *signals(void *a)
{
	BEFORE;
	pthread_mutex_lock(&mutex);
	is_ready = true;
	if (is_broadcast)
		pthread_cond_broadcast(&cond);
	else
		pthread_cond_signal(&cond);
	pthread_mutex_unlock(&mutex);
	AFTER;
	return a;
}

static void *is_signalled(void *a)
{
	struct timespec end = far_away();
	pthread_mutex_lock(&mutex);
	while (!is_ready) {
		if (is_timed)
			pthread_cond_timedwait(&cond, &mutex, &end);
		else
			pthread_cond_wait(&cond, &mutex);
	}
	pthread_mutex_unlock(&mutex);
	USE;
	return a;
}

static void condition(void) { two(signals, is_signalled); }
static void broadcast(void) { is_broadcast = true; condition(); }
static void condition_timed(void) { is_timed = true; condition(); }

/* ---- locks: the second thread does not take it in the racy twin ---- */

static int lock_how, read_how;
static pthread_spinlock_t spin;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
enum { LOCK, TRY_LOCK, TIMED_LOCK, SPIN, TRY_SPIN, WRITE, TRY_WRITE, TIMED_WRITE, READ, TRY_READ, TIMED_READ };

static void lock_by(int how)
{
	struct timespec end = far_away();
	switch (how) {
	case LOCK: pthread_mutex_lock(&mutex); break;
	case TRY_LOCK: while (pthread_mutex_trylock(&mutex)) sched_yield(); break;
	case TIMED_LOCK: pthread_mutex_timedlock(&mutex, &end); break;
	case SPIN: pthread_spin_lock(&spin); break;
	case TRY_SPIN: while (pthread_spin_trylock(&spin)) sched_yield(); break;
	case WRITE: pthread_rwlock_wrlock(&rwlock); break;
	case TRY_WRITE: while (pthread_rwlock_trywrlock(&rwlock)) sched_yield(); break;
	case TIMED_WRITE: pthread_rwlock_timedwrlock(&rwlock, &end); break;
	case READ: pthread_rwlock_rdlock(&rwlock); break;
	case TRY_READ: while (pthread_rwlock_tryrdlock(&rwlock)) sched_yield(); break;
	case TIMED_READ: pthread_rwlock_timedrdlock(&rwlock, &end); break;
	}
}

static void unlock_by(int how)
{
	if (how <= TIMED_LOCK)
		pthread_mutex_unlock(&mutex);
	else if (how <= TRY_SPIN)
		pthread_spin_unlock(&spin);
	else
		pthread_rwlock_unlock(&rwlock);
}

static void *writes_locked(void *a) { lock_by(lock_how); alone.value++; unlock_by(lock_how); return a; }
static void *uses_locked(void *a)
{
	if (!is_racy)
		lock_by(read_how);
	USE;
	if (!is_racy)
		unlock_by(read_how);
	return a;
}

static void locks(int write, int read)
{
	pthread_spin_init(&spin, 0);
	lock_how = write;
	read_how = read;
	two(writes_locked, uses_locked);
}

static void set_type(int type, bool is_robust)
{
	pthread_mutexattr_t a;
	pthread_mutexattr_init(&a);
	pthread_mutexattr_settype(&a, type);
	if (is_robust)
		pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&mutex, &a);
}

static void mutexes(void) { locks(LOCK, LOCK); }
static void mutex_try(void) { locks(TRY_LOCK, TRY_LOCK); }
static void mutex_timed(void) { locks(TIMED_LOCK, TIMED_LOCK); }
static void mutex_recursive(void) { set_type(PTHREAD_MUTEX_RECURSIVE, false); locks(LOCK, LOCK); }
static void mutex_checking(void) { set_type(PTHREAD_MUTEX_ERRORCHECK, false); locks(LOCK, LOCK); }
static void mutex_robust(void) { set_type(PTHREAD_MUTEX_NORMAL, true); locks(LOCK, LOCK); }
static void spin_locks(void) { locks(SPIN, SPIN); }
static void spin_try(void) { locks(TRY_SPIN, TRY_SPIN); }
static void rwlock_write_read(void) { locks(WRITE, READ); }
static void rwlock_write_write(void) { locks(WRITE, WRITE); }
static void rwlock_try(void) { locks(TRY_WRITE, TRY_READ); }
static void rwlock_timed(void) { locks(TIMED_WRITE, TIMED_READ); }

/* ---- C11 ---- */

static int c11_writer(void *a) { (void)a; alone.value++; return 0; }
static int c11_user(void *a) { (void)a; USE; return 0; }
static mtx_t c11_mutex;
static cnd_t c11_cond;
static once_flag c11_flag = ONCE_FLAG_INIT;
static tss_t c11_key;

static void c11_create(void)
{
	thrd_t t;
	BEFORE;
	thrd_create(&t, c11_user, NULL);
	AFTER;
	thrd_join(t, NULL);
}

static void c11_join(void)
{
	thrd_t t;
	thrd_create(&t, c11_writer, NULL);
	if (is_racy)
		USE;
	thrd_join(t, NULL);
	USE;
}

static void c11_at_end(void *value) { (void)value; alone.value++; }
static int c11_has_key(void *a) { (void)a; tss_set(c11_key, &c11_key); return 0; }
static void c11_tss(void)
{
	thrd_t t;
	tss_create(&c11_key, c11_at_end);
	thrd_create(&t, c11_has_key, NULL);
	if (is_racy)
		USE;
	thrd_join(t, NULL);
	USE;
}

static int c11_signals(void *a)
{
	(void)a;
	BEFORE;
	mtx_lock(&c11_mutex);
	is_ready = true;
	cnd_signal(&c11_cond);
	mtx_unlock(&c11_mutex);
	AFTER;
	return 0;
}

static void c11_condition(void)
{
	thrd_t t;
	mtx_init(&c11_mutex, mtx_plain);
	cnd_init(&c11_cond);
	thrd_create(&t, c11_signals, NULL);
	mtx_lock(&c11_mutex);
	while (!is_ready)
		cnd_wait(&c11_cond, &c11_mutex);
	mtx_unlock(&c11_mutex);
	USE;
	thrd_join(t, NULL);
}

static int c11_once_and_write(void *a) { (void)a; call_once(&c11_flag, first_time); AFTER; return 0; }
static void c11_once(void)
{
	thrd_t t;
	thrd_create(&t, c11_once_and_write, NULL);
	call_once(&c11_flag, first_time);
	USE;
	thrd_join(t, NULL);
}

/* ---- atomics ---- */

static atomic_int flag;
static atomic_flag light = ATOMIC_FLAG_INIT;
static void *stores(void *a) { BEFORE; atomic_store_explicit(&flag, 1, memory_order_release); AFTER; return a; }
static void *loads(void *a)
{
	while (!atomic_load_explicit(&flag, memory_order_acquire))
		sched_yield();
	USE;
	return a;
}

static void *adds(void *a) { BEFORE; atomic_fetch_add(&flag, 1); AFTER; return a; }
static void *exchanges(void *a)
{
	int one = 1;
	while (!atomic_compare_exchange_strong(&flag, &one, 2)) {
		one = 1;
		sched_yield();
	}
	USE;
	return a;
}

static void *fences(void *a)
{
	BEFORE;
	atomic_thread_fence(memory_order_release);
	atomic_store_explicit(&flag, 1, memory_order_relaxed);
	AFTER;
	return a;
}

static void *sees_fence(void *a)
{
	while (!atomic_load_explicit(&flag, memory_order_relaxed))
		sched_yield();
	atomic_thread_fence(memory_order_acquire);
	USE;
	return a;
}

static void *clears(void *a) { BEFORE; atomic_flag_clear(&light); AFTER; return a; }
static void *tests(void *a) { while (atomic_flag_test_and_set(&light)) sched_yield(); USE; return a; }
static void atomic_load_store(void) { two(stores, loads); }
static void atomic_rmw(void) { two(adds, exchanges); }
static void atomic_fence(void) { two(fences, sees_fence); }
static void atomic_lights(void) { atomic_flag_test_and_set(&light); two(clears, tests); }

/* ---- descriptors ---- */

static int fd[2];
static void *sends(void *a) { uint64_t one = 1; BEFORE; if (write(fd[1], &one, 8) != 8) exit(9); AFTER; return a; }
static void *receives(void *a) { uint64_t one; if (read(fd[0], &one, 8) != 8) exit(9); USE; return a; }
static void pipes(void) { if (pipe(fd)) exit(9); two(sends, receives); }
static void sockets(void) { if (socketpair(AF_UNIX, SOCK_STREAM, 0, fd)) exit(9); two(sends, receives); }
static void events(void) { fd[0] = fd[1] = eventfd(0, 0); two(sends, receives); }
static void *closes(void *a) { BEFORE; close(fd[1]); AFTER; return a; }
static void *sees_end(void *a) { char c; while (read(fd[0], &c, 1) > 0) ; USE; return a; }
static void pipe_closed(void) { if (pipe(fd)) exit(9); two(closes, sees_end); }

/* ---- signals ---- */

static pthread_t target;
static sem_t target_is_known;
static void *kills(void *a)
{
	sem_wait(&target_is_known);
	BEFORE;
	pthread_kill(target, SIGUSR1);
	AFTER;
	return a;
}

static void *sig_waits(void *a)
{
	sigset_t set;
	int number;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	target = pthread_self();
	sem_post(&target_is_known);
	sigwait(&set, &number);
	USE;
	return a;
}

static void block_signal(void)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	sem_init(&target_is_known, 0, 0);
}

static void signal_waited_for(void) { block_signal(); two(kills, sig_waits); }

static void *sends_to_process(void *a)
{
	BEFORE;
	kill(getpid(), SIGUSR1);
	AFTER;
	return a;
}

static void *sig_waits_info(void *a)
{
	sigset_t set;
	siginfo_t info;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	while (sigwaitinfo(&set, &info) < 0)
		;
	USE;
	return a;
}

static void signal_of_process(void) { block_signal(); two(sends_to_process, sig_waits_info); }

static volatile sig_atomic_t is_handled;
static void handler(int number) { (void)number; USE; is_handled = 1; }
static void *is_interrupted(void *a)
{
	target = pthread_self();
	sem_post(&target_is_known);
	while (!is_handled)
		sched_yield();
	return a;
}

static void signal_handled(void)
{
	sem_init(&target_is_known, 0, 0);
	signal(SIGUSR1, handler);
	two(kills, is_interrupted);
}

/* ---- the end of the process ---- */

static void at_exit(void) { USE; }
static void *exits(void *a) { alone.value++; exit(0); return a; }

/* Handlers run in the thread that ends the process, after what it did. */
static void exit_handler(void)
{
	pthread_t t;
	atexit(at_exit);
	if (is_racy)
		alone.value++;
	pthread_create(&t, NULL, is_racy ? user : exits, NULL);
	if (is_racy)
		alone.value++;
	pthread_join(t, NULL);
}

static const struct order all[] = {
	{ "create", create }, { "join", join }, { "try-join", try_join }, { "timed-join", timed_join },
	{ "exit-and-join", exit_and_join }, { "key-destructor", key_destructor }, { "main-exits", main_exits },
	{ "detach", detach }, { "detached-by-attribute", detached_by_attribute }, { "semaphore", semaphore },
	{ "semaphore-try", semaphore_try }, { "semaphore-timed", semaphore_timed },
	{ "semaphore-named", semaphore_named }, { "barrier", barrier }, { "once", once },
	{ "condition", condition }, { "broadcast", broadcast }, { "condition-timed", condition_timed },
	{ "mutex", mutexes }, { "mutex-try", mutex_try }, { "mutex-timed", mutex_timed },
	{ "mutex-recursive", mutex_recursive }, { "mutex-checking", mutex_checking },
	{ "mutex-robust", mutex_robust }, { "spin", spin_locks }, { "spin-try", spin_try },
	{ "rwlock-write-read", rwlock_write_read }, { "rwlock-write-write", rwlock_write_write },
	{ "rwlock-try", rwlock_try }, { "rwlock-timed", rwlock_timed }, { "c11-create", c11_create },
	{ "c11-join", c11_join }, { "c11-tss", c11_tss }, { "c11-condition", c11_condition },
	{ "c11-once", c11_once }, { "atomic", atomic_load_store }, { "atomic-rmw", atomic_rmw },
	{ "atomic-fence", atomic_fence }, { "atomic-flag", atomic_lights }, { "pipe", pipes },
	{ "pipe-closed", pipe_closed }, { "socket", sockets }, { "eventfd", events },
	{ "sigwait", signal_waited_for }, { "sigwaitinfo", signal_of_process }, { "handler", signal_handled },
	{ "exit-handler", exit_handler },
};

int main(int argc, char **argv)
{
	sem_init(&sem, 0, 0);
	return run_order(all, sizeof(all) / sizeof(*all), argc, argv);
}
