/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Processes that the program starts.  The child of a fork goes on uncontrolled: it has the
 * forking thread and nothing of the run, like a program that was started without heddle.  What
 * the model knew and the child's memory does not show is put there first: locks that are held are
 * locked, fork_handlers of signals are the kernel's again.  The heap that the child inherits is the
 * arena; it takes no more from it, since the arena is for one thread at a time.
 *
 * Handlers of pthread_atfork are kept here and not by libc, so that they run under control in the
 * parent: they take locks, and may have to wait for them.
 */
#include "rt/fork.h"
#include "rt/libc_fd.h"
#include "rt/libc_wrap.h"
#include "rt/processor.h"
#include "rt/signals.h"
#include "rt/start.h"
#include "rt/sync.h"
#include "rt/sys.h"
#include "wire/wire.h"

#define HANDLERS 256

struct fork_handler {
	void (*prepare)(void), (*parent)(void), (*child)(void);
};

static RT_KEPT struct fork_handler fork_handlers[HANDLERS];
static RT_STATE unsigned handler_count;
static RT_STATE bool has_reported;

RT_EXPORT int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void),
				void *dso)
{
	if (!g.session)
		return REAL_FN(__register_atfork)(prepare, parent, child, dso);
	if (handler_count == HANDLERS)
		return ENOMEM;
	fork_handlers[handler_count++] = (struct fork_handler){ prepare, parent, child };
	return 0;
}

/* ---- the child ---- */

/*
 * A lock that is held is locked in memory as well: by the forking thread as often as it holds it,
 * by one that the child does not have once and for ever, as it would be without heddle.  Of those
 * that know their owner only its own are.
 */
static void lock_for_real(struct sync *s)
{
	void *lock = (void *)s->addr;
	bool is_own = s->owner == g.cur;
	for (const struct hold *h = s->shares; h; h = h->next_of_lock)
		for (uint32_t i = 0; i < h->depth; i++)
			real_pthread_rwlock_rdlock(lock);
	if (!s->owner || s->destroyed)
		return;
	if (s->mode == SYNC_SPIN)
		real_pthread_spin_lock(lock);
	else if (s->mode == SYNC_WRLOCK)
		real_pthread_rwlock_wrlock(lock);
	else if (s->mode == SYNC_MUTEX && (is_own || s->type == MUTEX_NORMAL))
		for (uint32_t i = 0; i < s->depth; i++)
			real_pthread_mutex_lock(lock);
}

static void child_begins(void)
{
	rt_detach_session();
	processor_release();
	sync_each(lock_for_real);
	signal_end_control();
	/* For ever: every call from now on is libc's, and so is every block of memory. */
	g.internal = 1;
}

/* ---- fork ---- */

void fork_announce(void)
{
	if (!has_reported)
		ev_note("the program starts other processes, which run uncontrolled");
	has_reported = true;
}

static pid_t new_process(bool is_controlled)
{
	if (!is_controlled)
		return REAL_FN(fork)();
	fork_announce();
	libc_call_begin();
	pid_t pid = REAL_FN(fork)();
	if (!pid) {
		child_begins();
		return 0;
	}
	libc_call_end();
	return pid;
}

RT_EXPORT pid_t fork(void)
{
	bool is_controlled = libc_enter(PC);
	unsigned n = handler_count;
	for (unsigned i = n; i-- > 0;)
		if (fork_handlers[i].prepare)
			fork_handlers[i].prepare();
	if (is_controlled)
		rt_enter(PC);
	pid_t pid = new_process(is_controlled);
	for (unsigned i = 0; i < n; i++) {
		void (*then)(void) = pid ? fork_handlers[i].parent : fork_handlers[i].child;
		if (then)
			then();
	}
	return pid;
}

extern __typeof__(fork) __fork LIBC_ALIAS(fork);

/* Without fork_handlers, and under control without shared memory: what the child may do, exec and
 * _exit, does not need it. */
pid_t fork_instead_of_vfork(void);

pid_t fork_instead_of_vfork(void)
{
	return new_process(libc_enter(PC));
}

/* ---- their end ---- */

#define AWAIT(name, parameters, arguments, after) \
	WRAP(pid_t, name, parameters, arguments, CANCEL_POINT, after; CANCEL_IF_INTERRUPTED)
AWAIT(wait, (int *status), (status), WROTE_OBJECT_IF(result > 0, status))
AWAIT(waitpid, (pid_t pid, int *status, int options), (pid, status, options),
      WROTE_OBJECT_IF(result > 0, status))
AWAIT(wait3, (int *status, int options, struct rusage *usage), (status, options, usage),
      (WROTE_OBJECT_IF(result > 0, status), WROTE_OBJECT_IF(result > 0, usage)))
AWAIT(wait4, (pid_t pid, int *status, int options, struct rusage *usage),
      (pid, status, options, usage),
      (WROTE_OBJECT_IF(result > 0, status), WROTE_OBJECT_IF(result > 0, usage)))
AWAIT(waitid, (idtype_t type, id_t id, siginfo_t *info, int options), (type, id, info, options),
      WROTE_OBJECT_IF(!result, info))
