// Signals between threads: dispositions, masks, pending signals, handlers, waiting, interrupted calls, faults.
#include "check.h"
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>

static atomic_int count, last, ready, result;
static pthread_t handled_by;

static void handler(int signal)
{
	int saved = errno;
	handled_by = pthread_self();
	atomic_store(&last, signal);
	atomic_fetch_add(&count, 1);
	errno = saved;
}

static void reset(void)
{
	atomic_store(&count, 0);
	atomic_store(&last, 0);
	atomic_store(&ready, 0);
	atomic_store(&result, -1);
}

static void handle(int signal, void (*function)(int), int flags)
{
	struct sigaction action = { .sa_handler = function, .sa_flags = flags };
	sigaction(signal, &action, NULL);
	reset();
}

static void block(int signal, int how)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, signal);
	pthread_sigmask(how, &set, NULL);
}

CHECK(raise_calls_the_handler)
{
	handle(SIGUSR1, handler, 0);
	EQUAL(raise(SIGUSR1), 0);
	EQUAL(atomic_load(&count), 1);
	EQUAL(atomic_load(&last), SIGUSR1);
	EQUAL(raise(0), 0);
	EQUAL(raise(1000), -1);
}

CHECK(sigaction_tells_what_was)
{
	struct sigaction old, action = { .sa_handler = SIG_IGN };
	handle(SIGUSR1, handler, SA_RESTART);
	EQUAL(sigaction(SIGUSR1, &action, &old), 0);
	TRUE(old.sa_handler == handler && old.sa_flags & SA_RESTART);
	EQUAL(sigaction(SIGUSR1, NULL, &old), 0);
	TRUE(old.sa_handler == SIG_IGN);
	EQUAL(sigaction(SIGKILL, &action, NULL), -1);
	EQUAL(errno, EINVAL);
	TRUE(signal(SIGUSR1, SIG_DFL) == SIG_IGN);
}

CHECK(ignored)
{
	handle(SIGUSR1, SIG_IGN, 0);
	EQUAL(raise(SIGUSR1), 0);
	EQUAL(kill(getpid(), SIGCHLD), 0);
	EQUAL(atomic_load(&count), 0);
}

CHECK(blocked_is_pending)
{
	sigset_t pending;
	handle(SIGUSR1, handler, 0);
	block(SIGUSR1, SIG_BLOCK);
	EQUAL(raise(SIGUSR1), 0);
	EQUAL(raise(SIGUSR1), 0);
	EQUAL(atomic_load(&count), 0);
	EQUAL(sigpending(&pending), 0);
	TRUE(sigismember(&pending, SIGUSR1) == 1);
	TRUE(sigismember(&pending, SIGUSR2) == 0);
	block(SIGUSR1, SIG_UNBLOCK);
	EQUAL(atomic_load(&count), 1);
	EQUAL(sigpending(&pending), 0);
	TRUE(sigismember(&pending, SIGUSR1) == 0);
}

static void *mask_of_thread(void *unused)
{
	sigset_t now;
	(void)unused;
	pthread_sigmask(SIG_SETMASK, NULL, &now);
	long has = sigismember(&now, SIGUSR2);
	sigdelset(&now, SIGUSR2);
	pthread_sigmask(SIG_SETMASK, &now, NULL);
	return (void *)has;
}

CHECK(masks_are_inherited_and_private)
{
	sigset_t now;
	block(SIGUSR2, SIG_BLOCK);
	EQUAL(join(start(mask_of_thread, NULL)), 1);
	pthread_sigmask(SIG_SETMASK, NULL, &now);
	EQUAL(sigismember(&now, SIGUSR2), 1);
	block(SIGUSR2, SIG_UNBLOCK);
	EQUAL(join(start(mask_of_thread, NULL)), 0);
	EQUAL(pthread_sigmask(77, &now, NULL), EINVAL);
}

static void *spin_until_handled(void *unused)
{
	atomic_store(&ready, 1);
	while (!atomic_load(&count))
		usleep(10);
	return unused;
}

CHECK(pthread_kill_runs_the_handler_in_the_target)
{
	handle(SIGUSR1, handler, 0);
	pthread_t t = start(spin_until_handled, NULL);
	EQUAL(pthread_kill(t, 0), 0);
	EQUAL(pthread_kill(t, SIGUSR1), 0);
	join(t);
	EQUAL(atomic_load(&count), 1);
	TRUE(pthread_equal(handled_by, t));
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *locks(void *unused)
{
	atomic_store(&ready, 1);
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	return unused;
}

CHECK(a_lock_is_not_interrupted)
{
	handle(SIGUSR1, handler, 0);
	pthread_mutex_lock(&mutex);
	pthread_t t = start(locks, NULL);
	await(&ready, 1);
	EQUAL(pthread_kill(t, SIGUSR1), 0);
	await(&count, 1);
	pthread_mutex_unlock(&mutex);
	join(t);
}

static void *sleeps(void *unused)
{
	struct timespec long_time = { .tv_sec = 1000 }, rest = { 0 };
	(void)unused;
	atomic_store(&ready, 1);
	while (!atomic_load(&count)) {
		int rc = nanosleep(&long_time, &rest);
		atomic_store(&result, rc ? errno : 0);
	}
	return (void *)(long)rest.tv_sec;
}

CHECK(sleep_is_interrupted)
{
	handle(SIGUSR1, handler, SA_RESTART);
	pthread_t t = start(sleeps, NULL);
	await(&ready, 1);
	settle();
	EQUAL(pthread_kill(t, SIGUSR1), 0);
	long rest = (long)join(t);
	TRUE(atomic_load(&result) == EINTR ? rest > 0 && rest <= 1000 : atomic_load(&result) <= 0);
}

static void *reads(void *pipe)
{
	char c = 0;
	atomic_store(&ready, 1);
	ssize_t n = read(*(int *)pipe, &c, 1);
	atomic_store(&result, n < 0 ? errno : c);
	return NULL;
}

CHECK(read_is_interrupted_or_restarts)
{
	for (int restarts = 0; restarts < 2; restarts++) {
		int ends[2];
		EQUAL(pipe(ends), 0);
		handle(SIGUSR1, handler, restarts ? SA_RESTART : 0);
		pthread_t t = start(reads, ends);
		await(&ready, 1);
		settle();
		EQUAL(pthread_kill(t, SIGUSR1), 0);
		await(&count, 1);
		settle();
		EQUAL(write(ends[1], "x", 1), 1);
		join(t);
		int got = atomic_load(&result);
		TRUE(got == 'x' || (!restarts && got == EINTR));
		close(ends[0]);
		close(ends[1]);
	}
}

static sem_t tokens;

static void *takes(void *timed)
{
	struct timespec limit;
	clock_gettime(CLOCK_REALTIME, &limit);
	limit.tv_sec += 1000;
	atomic_store(&ready, 1);
	int rc = timed ? sem_timedwait(&tokens, &limit) : sem_wait(&tokens);
	atomic_store(&result, rc ? errno : 0);
	return NULL;
}

CHECK(semaphore_is_interrupted_or_restarts)
{
	for (int way = 0; way < 4; way++) {
		bool restarts = way & 1, timed = way & 2;
		sem_init(&tokens, 0, 0);
		handle(SIGUSR1, handler, restarts ? SA_RESTART : 0);
		pthread_t t = start(takes, timed ? &way : NULL);
		await(&ready, 1);
		settle();
		EQUAL(pthread_kill(t, SIGUSR1), 0);
		if (!timed)
			await(&count, 1);
		settle();
		EQUAL(sem_post(&tokens), 0);
		join(t);
		/* The signal may come before the wait begins.  A wait with a deadline is never taken up again. */
		int got = atomic_load(&result);
		TRUE(got == 0 || (got == EINTR && (!restarts || timed)) || (got == ETIMEDOUT && timed));
		sem_destroy(&tokens);
	}
}

/* ---- waiting ---- */

static void *waits_for_usr2(void *unused)
{
	sigset_t set;
	int signal = 0;
	(void)unused;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	atomic_store(&ready, 1);
	int rc = sigwait(&set, &signal);
	return (void *)(long)(rc ? -1 : signal);
}

CHECK(sigwait_takes_a_signal)
{
	reset();
	block(SIGUSR2, SIG_BLOCK);
	pthread_t t = start(waits_for_usr2, NULL);
	EQUAL(pthread_kill(t, SIGUSR2), 0);
	EQUAL(join(t), SIGUSR2);
	t = start(waits_for_usr2, NULL);
	EQUAL(kill(getpid(), SIGUSR2), 0);
	EQUAL(join(t), SIGUSR2);
	block(SIGUSR2, SIG_UNBLOCK);
}

CHECK(sigtimedwait_gives_up)
{
	sigset_t set;
	siginfo_t info;
	struct timespec soon = { .tv_nsec = 1000000 }, none = { 0 };
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	block(SIGUSR2, SIG_BLOCK);
	EQUAL(sigtimedwait(&set, &info, &none), -1);
	EQUAL(errno, EAGAIN);
	EQUAL(sigtimedwait(&set, &info, &soon), -1);
	EQUAL(errno, EAGAIN);
	EQUAL(raise(SIGUSR2), 0);
	EQUAL(sigtimedwait(&set, &info, &soon), SIGUSR2);
	EQUAL(info.si_signo, SIGUSR2);
	block(SIGUSR2, SIG_UNBLOCK);
}

CHECK(queued_signals_keep_their_values_and_order)
{
	sigset_t set;
	siginfo_t info;
	int rt = SIGRTMIN + 1;
	sigemptyset(&set);
	sigaddset(&set, rt);
	block(rt, SIG_BLOCK);
	for (int i = 0; i < 3; i++)
		EQUAL(pthread_sigqueue(pthread_self(), rt, (union sigval){ .sival_int = i }), 0);
	EQUAL(sigqueue(getpid(), rt, (union sigval){ .sival_int = 3 }), 0);
	for (int i = 0; i < 4; i++) {
		EQUAL(sigwaitinfo(&set, &info), rt);
		EQUAL(info.si_value.sival_int, i);
		EQUAL(info.si_code, SI_QUEUE);
	}
	block(rt, SIG_UNBLOCK);
}

static void *suspends(void *unused)
{
	sigset_t none;
	(void)unused;
	block(SIGUSR1, SIG_BLOCK);
	atomic_store(&ready, 1);
	sigemptyset(&none);
	int rc = sigsuspend(&none);
	sigset_t now;
	pthread_sigmask(SIG_BLOCK, NULL, &now);
	return (void *)(long)(rc == -1 && errno == EINTR && atomic_load(&count) == 1 && sigismember(&now, SIGUSR1));
}

CHECK(sigsuspend_ends_with_a_handler)
{
	handle(SIGUSR1, handler, 0);
	block(SIGUSR1, SIG_BLOCK);
	pthread_t t = start(suspends, NULL);
	EQUAL(pthread_kill(t, SIGUSR1), 0);
	EQUAL(join(t), 1);
	block(SIGUSR1, SIG_UNBLOCK);
}

static void *pauses(void *unused)
{
	atomic_store(&ready, 1);
	while (!atomic_load(&count))
		pause();
	atomic_store(&result, 1);
	return unused;
}

CHECK(pause_ends_with_a_handler)
{
	handle(SIGUSR1, handler, 0);
	pthread_t t = start(pauses, NULL);
	await(&ready, 1);
	/* A signal may come between the thread's look and its pause. */
	while (atomic_load(&result) != 1) {
		settle();
		EQUAL(pthread_kill(t, SIGUSR1), 0);
	}
	join(t);
}

/* ---- handlers ---- */

static int depth, deepest;

static void nests(int signal)
{
	depth++;
	deepest = depth > deepest ? depth : deepest;
	if (signal == SIGUSR1) {
		raise(SIGUSR1);		/* blocked while its handler runs */
		raise(SIGUSR2);
	}
	depth--;
	atomic_fetch_add(&count, 1);
}

CHECK(a_handler_blocks_its_own_signal)
{
	handle(SIGUSR2, nests, 0);
	handle(SIGUSR1, nests, SA_RESETHAND);
	block(SIGUSR1, SIG_UNBLOCK);
	handle(SIGUSR1, nests, 0);
	deepest = 0;
	block(SIGUSR1, SIG_BLOCK);
	raise(SIGUSR1);
	struct sigaction action = { .sa_handler = nests };
	sigaddset(&action.sa_mask, SIGUSR2);
	sigaction(SIGUSR1, &action, NULL);
	EQUAL(atomic_load(&count), 0);
	signal(SIGUSR1, SIG_IGN);	/* discards it */
	block(SIGUSR1, SIG_UNBLOCK);
	EQUAL(atomic_load(&count), 0);
}

static siginfo_t seen;

static void with_info(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)context;
	seen = *info;
	atomic_fetch_add(&count, 1);
}

CHECK(handler_with_information)
{
	struct sigaction action = { .sa_sigaction = with_info, .sa_flags = SA_SIGINFO | SA_RESETHAND }, old;
	reset();
	sigaction(SIGUSR1, &action, NULL);
	EQUAL(pthread_sigqueue(pthread_self(), SIGUSR1, (union sigval){ .sival_int = 42 }), 0);
	EQUAL(atomic_load(&count), 1);
	EQUAL(seen.si_value.sival_int, 42);
	EQUAL(seen.si_pid, getpid());
	sigaction(SIGUSR1, NULL, &old);
	TRUE(old.sa_handler == SIG_DFL);
}

static sigjmp_buf way_out;

static void jumps(int signal)
{
	siglongjmp(way_out, signal);
}

CHECK(jump_out_of_a_handler)
{
	handle(SIGUSR1, jumps, 0);
	for (volatile int i = 0; i < 3; i++) {
		int signal = sigsetjmp(way_out, 1);
		if (!signal) {
			raise(SIGUSR1);
			atomic_store(&result, 1);
		}
	}
	EQUAL(atomic_load(&result), -1);
	sigset_t now;
	pthread_sigmask(SIG_BLOCK, NULL, &now);
	EQUAL(sigismember(&now, SIGUSR1), 0);
}

static volatile int *volatile nowhere;

CHECK(jump_out_of_a_fault)
{
	handle(SIGSEGV, jumps, 0);
	for (volatile int i = 0; i < 3; i++) {
		if (!sigsetjmp(way_out, 1))
			atomic_store(&result, *nowhere);
	}
	EQUAL(atomic_load(&result), -1);
	signal(SIGSEGV, SIG_DFL);
}

static int repaired;

static void repairs(int signal)
{
	(void)signal;
	nowhere = &repaired;
	siglongjmp(way_out, 1);
}

static void *faults(void *unused)
{
	(void)unused;
	sigsetjmp(way_out, 1);
	return (void *)(long)*nowhere;
}

CHECK(fault_in_a_thread)
{
	handle(SIGSEGV, repairs, SA_NODEFER);
	repaired = 5;
	EQUAL(join(start(faults, NULL)), 5);
	signal(SIGSEGV, SIG_DFL);
	nowhere = NULL;
}

CHECK(sets)
{
	sigset_t a, b, both;
	sigemptyset(&a);
	TRUE(sigisemptyset(&a));
	sigaddset(&a, SIGUSR1);
	sigfillset(&b);
	sigdelset(&b, SIGUSR2);
	sigandset(&both, &a, &b);
	EQUAL(sigismember(&both, SIGUSR1), 1);
	EQUAL(sigismember(&both, SIGUSR2), 0);
	sigorset(&both, &a, &b);
	EQUAL(sigismember(&both, SIGINT), 1);
	EQUAL(sigaddset(&a, 1000), -1);
}
