/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Semaphores, modelled.  A post raises the value and wakes all waiting threads; the first of them
 * to run takes it.
 *
 * Named semaphores are those of this process: the run begins with none, and what it makes is not
 * seen outside.  The user is warned once if a name exists outside.  Their objects lie in the
 * runtime's own data, so that their addresses are the same in every run.
 */
#include <fcntl.h>
#include <limits.h>
#include <semaphore.h>

#include "rt/clock.h"
#include "rt/explore.h"
#include "wire/fault.h"
#include "rt/libc_wrap.h"
#include "rt/locks.h"
#include "rt/mem.h"
#include "rt/sched.h"
#include "rt/sync.h"
#include "rt/sys.h"
#include "rt/thread.h"
#include "wire/explore.h"
#include "wire/wire.h"

#define INITIALISED 12 /* bytes that sem_init writes: value, waiters, whether it is private */

enum { UNSEEN, MADE, UNMADE }; /* types: by sem_init(); used without it so far */

static struct sync *sem_of(sem_t *sem, pc_t pc)
{
	struct sync *s = sync_get((uintptr_t)sem, SYNC_SEMAPHORE);
	if (s->type == UNSEEN) {
		/* The lower half of glibc's word is the value. */
		s->value = *(const uint32_t __attribute__((may_alias)) *)sem;
		s->type = UNMADE;
	}
	sync_check_life(s, pc);
	return s;
}

static int failed(int error)
{
	errno = error;
	return -1;
}

static void made(sem_t *sem, unsigned value, pc_t pc)
{
	struct sync *s = sync_init((uintptr_t)sem, SYNC_SEMAPHORE, value, pc);
	s->type = MADE;
	s->value = value;
	libc_wrote_if_changed(sem, INITIALISED, pc);
}

RT_EXPORT int sem_init(sem_t *sem, int shared, unsigned value)
{
	bool controlled = rt_wrapper(PC);
	int rc = REAL_FN(sem_init)(sem, shared, value);
	if (controlled && !rc)
		made(sem, value, PC);
	return rc;
}

RT_EXPORT int sem_destroy(sem_t *sem)
{
	if (!rt_wrapper(PC))
		return REAL_FN(sem_destroy)(sem);
	sync_destroy(sem_of(sem, PC), PC);
	return 0;
}

static void take_unit(struct sync *s, pc_t pc)
{
	if (!FAULT(SEM_WAIT_KEEPS_VALUE))
		s->value--;
	clock_receive(s->addr);
	ev_sync(EV_SEM_WAIT, s->addr, SYNC_SEMAPHORE, s->value, 0, pc);
}

static int wait_for(sem_t *sem, struct until until, pc_t pc)
{
	uint64_t deadline;
	if (!wait_deadline(&until, &deadline, pc))
		return failed(EINVAL);
	thread_act_on_cancel(pc);
	struct sync *s = sem_of(sem, pc);
	if (!s->value)
		ev_sync(EV_REQUEST, s->addr, SYNC_SEMAPHORE, 0, 0, pc);
	while (!s->value) {
		/* its initialisation depends on whether a thread waits */
		bool is_unmade = s->type == UNMADE;
		if (FAULT(UNMADE_SEM_WAIT_NO_STEP))
			is_unmade = false;
		if (is_unmade)
			explore_hidden(s->addr, SYNC_SEMAPHORE, 1, pc);
		enum wait_end end = sched_wait(s, NULL, deadline, true);
		if (end == WAIT_CANCELLED)
			thread_act_on_cancel(pc);
		/* As the kernel's futex: a wait with a deadline is not taken up again after a
		 * handler. */
		if (end == WAIT_INTERRUPTED &&
		    !(g.cur->signals.restarts && deadline == NO_DEADLINE)) {
			ev_sync(EV_TRY_FAIL, (uintptr_t)sem, SYNC_SEMAPHORE, 0, 0, pc);
			return failed(EINTR);
		}
		s = sem_of(sem, pc);
		if (end == WAIT_TIMED_OUT && !s->value) {
			ev_sync(EV_TIMEOUT, s->addr, SYNC_SEMAPHORE, deadline, 0, pc);
			return failed(ETIMEDOUT);
		}
	}
	explore_succeeds_before(deadline);
	take_unit(s, pc);
	return 0;
}

RT_EXPORT int sem_wait(sem_t *sem)
{
	return rt_lock_wrapper(sem, PC) ? wait_for(sem, FOR_EVER, PC) : REAL_FN(sem_wait)(sem);
}

RT_EXPORT int sem_timedwait(sem_t *sem, const struct timespec *when)
{
	if (!rt_lock_wrapper(sem, PC))
		return REAL_FN(sem_timedwait)(sem, when);
	return wait_for(sem, (struct until){ when, CLOCK_REALTIME }, PC);
}

RT_EXPORT int sem_clockwait(sem_t *sem, clockid_t clock, const struct timespec *when)
{
	if (!rt_lock_wrapper(sem, PC))
		return REAL_FN(sem_clockwait)(sem, clock, when);
	return is_wait_clock(clock) ? wait_for(sem, (struct until){ when, clock }, PC)
				    : failed(EINVAL);
}

RT_EXPORT int sem_trywait(sem_t *sem)
{
	if (!rt_lock_wrapper(sem, PC))
		return REAL_FN(sem_trywait)(sem);
	struct sync *s = sem_of(sem, PC);
	if (!s->value) {
		ev_sync(EV_TRY_FAIL, s->addr, SYNC_SEMAPHORE, 0, 0, PC);
		return failed(EAGAIN);
	}
	explore_succeeds(OPF_TRY);
	take_unit(s, PC);
	return 0;
}

RT_EXPORT int sem_post(sem_t *sem)
{
	if (!rt_lock_wrapper(sem, PC))
		return REAL_FN(sem_post)(sem);
	struct sync *s = sem_of(sem, PC);
	if (s->value == SEM_VALUE_MAX)
		return failed(EOVERFLOW);
	if (!FAULT(SEM_POST_ADDS_NOTHING))
		s->value++;
	clock_publish(s->addr);
	ev_sync(EV_SEM_POST, s->addr, SYNC_SEMAPHORE, s->value, 0, PC);
	sync_wake_all(s);
	return 0;
}

RT_EXPORT int sem_getvalue(sem_t *restrict sem, int *restrict value)
{
	if (!rt_wrapper(PC))
		return REAL_FN(sem_getvalue)(sem, value);
	struct sync *s = sem_of(sem, PC);
	ev_sync(EV_HIDDEN, s->addr, SYNC_SEMAPHORE, 0, 0, PC);
	libc_will_write(value, sizeof(*value), PC);
	*value = (int)s->value;
	rt_libc_wrote(value, sizeof(*value), PC);
	return 0;
}

/* ---- named ones ---- */

#define NAMED_MAX 256
#define NAME_ROOM (NAME_MAX - 3) /* libc puts "sem." in front of the name */

struct named {
	sem_t sem;
	uint32_t users; /* opens that have not been closed */
	bool is_linked; /* the name leads to it */
	char name[NAME_ROOM];
};
static RT_KEPT struct named named[NAMED_MAX];

/* The part of a name that counts; NULL: not a valid one, with the reason in *error. */
static const char *checked_name(const char *name, int *error)
{
	while (*name == '/')
		name++;
	size_t n = rt_strlen(name);
	*error = n >= NAME_ROOM && n <= NAME_MAX ? ENAMETOOLONG : EINVAL;
	if (!n || n >= NAME_ROOM)
		return NULL;
	for (const char *c = name; *c; c++)
		if (*c == '/')
			return NULL;
	return name;
}

static struct named *find_linked(const char *name)
{
	for (struct named *n = named; n < named + NAMED_MAX; n++)
		if (n->is_linked && rt_streq(n->name, name))
			return n;
	return NULL;
}

static void report_if_outside(const char *name)
{
	char path[sizeof("/dev/shm/sem.") + NAME_ROOM] = "/dev/shm/sem.";
	size_t at = rt_strlen(path);
	rt_memcpy(path + at, name, rt_strlen(name) + 1);
	if (sys3(SYS_access, path, 0, 0) == 0)
		ev_note("a named semaphore exists outside of this run too; the run uses one of its "
			"own");
}

static struct named *create_semaphore(const char *name, unsigned value, pc_t pc)
{
	if (g.exploring) /* the table is too large to be put back each time */
		explore_not_in_place(SYS_openat);
	struct named *n = named;
	while (n < named + NAMED_MAX && (n->is_linked || n->users))
		n++;
	if (n == named + NAMED_MAX)
		return NULL;
	report_if_outside(name);
	rt_memcpy(n->name, name, rt_strlen(name) + 1);
	n->is_linked = true;
	REAL_FN(sem_init)(&n->sem, 1, value);
	made(&n->sem, value, pc);
	return n;
}

/* 0, or the error. */
static int open_named(const char *name, int flags, unsigned value, struct named **out, pc_t pc)
{
	int error;
	libc_read_string(name, pc);
	name = checked_name(name, &error);
	if (!name)
		return error;
	libc_hidden(HIDDEN_SEMAPHORES, flags & O_CREAT, pc);
	struct named *n = find_linked(name);
	if (n && (flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL))
		return EEXIST;
	if (!n && !(flags & O_CREAT))
		return ENOENT;
	if (!n && value > SEM_VALUE_MAX)
		return EINVAL;
	if (!n)
		n = create_semaphore(name, value, pc);
	if (!n)
		return EMFILE;
	n->users++;
	*out = n;
	return 0;
}

RT_EXPORT sem_t *sem_open(const char *name, int flags, ...)
{
	va_list ap;
	mode_t mode = 0;
	unsigned value = 0;
	va_start(ap, flags);
	if (flags & O_CREAT) {
		mode = va_arg(ap, mode_t);
		value = va_arg(ap, unsigned);
	}
	va_end(ap);
	if (!rt_wrapper(PC))
		return REAL_FN(sem_open)(name, flags, mode, value);
	struct named *n = NULL;
	int error = open_named(name, flags, value, &n, PC);
	if (!error)
		return &n->sem;
	errno = error;
	return SEM_FAILED;
}

RT_EXPORT int sem_close(sem_t *sem)
{
	if (!rt_wrapper(PC))
		return REAL_FN(sem_close)(sem);
	libc_hidden(HIDDEN_SEMAPHORES, true, PC);
	for (struct named *n = named; n < named + NAMED_MAX; n++) {
		if (&n->sem != sem || !n->users)
			continue;
		n->users--;
		return 0;
	}
	return failed(EINVAL);
}

RT_EXPORT int sem_unlink(const char *name)
{
	if (!rt_wrapper(PC))
		return REAL_FN(sem_unlink)(name);
	int error;
	libc_read_string(name, PC);
	libc_hidden(HIDDEN_SEMAPHORES, true, PC);
	name = checked_name(name, &error);
	struct named *n = name ? find_linked(name) : NULL;
	if (!n)
		return failed(name || error == EINVAL ? ENOENT : error);
	n->is_linked = false;
	return 0;
}
