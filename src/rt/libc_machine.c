/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The process among others: its identity and rights, priorities, sessions, information about the
 * machine. All of it belongs to the process, not to a thread, and is changed as one object.
 */
#include "rt/libc_fd.h"
#include "rt/libc_refused.h"
#include "rt/libc_wrap.h"
#include "rt/mem.h"
#include "rt/sched.h"
#include "rt/sys.h"
#include "rt/thread.h"
#include "wire/wire.h"

#define CHANGE(object, name, parameters, arguments) \
	WRAP(int, name, parameters, arguments, CHANGES(object), NOTHING)
#define LOOK(type, object, name, parameters, arguments) \
	WRAP(type, name, parameters, arguments, LOOKS_AT(object), NOTHING)

/*
 * ---- users and groups that the process acts for ----
 *
 * To the kernel they are attributes of a thread.  libc changes those of all its threads by
 * sending each a signal, which a parked one never gets; under control one OS thread runs all of
 * the program, and its own are enough.  Where the program's threads are real ones, only a program
 * with a single one can be served.
 */

static long change_identity(long call, long a, long b, long c, pc_t pc)
{
	if (g.session->backend == BACKEND_THREADS && rt_threads_live_count > 1)
		libc_refuse("a change of identity with several real threads", pc);
	libc_hidden(HIDDEN_IDENTITY, true, pc);
	return LIBC_CALL(REAL_FN(syscall)(call, a, b, c));
}

#define IDENTITY(name, parameters, arguments, call, a, b, c)                            \
	RT_EXPORT int name parameters                                                   \
	{                                                                               \
		if (!libc_enter(PC))                                                    \
			return REAL_FN(name) arguments;                                 \
		return (int)change_identity(call, (long)(a), (long)(b), (long)(c), PC); \
	}
IDENTITY(setuid, (uid_t user), (user), SYS_setuid, user, 0, 0)
IDENTITY(seteuid, (uid_t user), (user), SYS_setresuid, -1, user, -1)
IDENTITY(setgid, (gid_t group), (group), SYS_setgid, group, 0, 0)
IDENTITY(setegid, (gid_t group), (group), SYS_setresgid, -1, group, -1)
IDENTITY(setreuid, (uid_t user, uid_t effective), (user, effective), SYS_setreuid, user, effective,
	 0)
IDENTITY(setregid, (gid_t group, gid_t effective), (group, effective), SYS_setregid, group,
	 effective, 0)
IDENTITY(setresuid, (uid_t user, uid_t effective, uid_t saved), (user, effective, saved),
	 SYS_setresuid, user, effective, saved)
IDENTITY(setresgid, (gid_t group, gid_t effective, gid_t saved), (group, effective, saved),
	 SYS_setresgid, group, effective, saved)
CHANGE(IDENTITY, setfsuid, (uid_t user), (user))
CHANGE(IDENTITY, setfsgid, (gid_t group), (group))

RT_EXPORT int setgroups(size_t n, const gid_t *groups)
{
	if (!libc_enter(PC))
		return REAL_FN(setgroups)(n, groups);
	rt_libc_read(groups, n * sizeof(*groups), PC);
	return (int)change_identity(SYS_setgroups, (long)n, (long)groups, 0, PC);
}

RT_EXPORT int initgroups(const char *user, gid_t group)
{
	if (!libc_enter(PC))
		return REAL_FN(initgroups)(user, group);
	libc_read_string(user, PC);
	const int most = 65536;
	static RT_STATE gid_t *list;
	if (!list)
		list = rt_map((size_t)most * sizeof(*list));
	int n = most;
	if (LIBC_CALL(REAL_FN(getgrouplist)(user, group, list, &n)) < 0) {
		errno = ENOMEM;
		return -1;
	}
	return (int)change_identity(SYS_setgroups, n, (long)list, 0, PC);
}

WRAP(int, getgroups, (int n, gid_t *to), (n, to), LOOKS_AT(IDENTITY);
     ROOM(to, n > 0 ? (size_t)n * sizeof(*to) : 0),
     WROTE(to, n > 0 && result > 0 ? (size_t)result * sizeof(*to) : 0))
WRAP(int, __getgroups_chk, (int n, gid_t *to, size_t room), (n, to, room), LOOKS_AT(IDENTITY);
     ROOM(to, n > 0 ? (size_t)n * sizeof(*to) : 0),
     WROTE(to, n > 0 && result > 0 ? (size_t)result * sizeof(*to) : 0))
#define THREE(name, type)                                                                        \
	WRAP(int, name, (type * real, type * effective, type * saved), (real, effective, saved), \
	     LOOKS_AT(IDENTITY);                                                                 \
	     ROOM_OBJECT(real); ROOM_OBJECT(effective);                                          \
	     ROOM_OBJECT(saved), WROTE_OBJECT_IF(!result, real);                                 \
	     WROTE_OBJECT_IF(!result, effective); WROTE_OBJECT_IF(!result, saved))
THREE(getresuid, uid_t)
THREE(getresgid, gid_t)
LOOK(int, IDENTITY, group_member, (gid_t group), (group))

/* The kernel's interface to capabilities: a header, then one or two sets as its version says. */
#define SETS(header) (((header)->version == 0x19980330 ? 1u : 2u) * 3 * sizeof(uint32_t))
WRAP(int, capget, (struct capability_header * header, void *to), (header, to), LOOKS_AT(IDENTITY);
     READS_OBJECT(header), WROTE_CHANGES(header, sizeof(*header));
     WROTE(to, !result && to ? SETS(header) : 0))
WRAP(int, capset, (struct capability_header * header, const void *from), (header, from),
     CHANGES(IDENTITY);
     READS_OBJECT(header);
     READS(from, from ? SETS(header) : 0), WROTE_CHANGES(header, sizeof(*header)))

/* ---- groups of processes, sessions, priorities ---- */

CHANGE(PROCESS, setpgid, (pid_t process, pid_t group), (process, group))
CHANGE(PROCESS, setpgrp, (void), ())
WRAP(pid_t, setsid, (void), (), CHANGES(PROCESS), NOTHING)
LOOK(pid_t, PROCESS, getpgid, (pid_t process), (process))
LOOK(pid_t, PROCESS, getsid, (pid_t process), (process))
LOOK(int, PROCESS, getpriority, (__priority_which_t which, id_t who), (which, who))
CHANGE(PROCESS, setpriority, (__priority_which_t which, id_t who, int priority),
       (which, who, priority))

WRAP(int, pidfd_open, (pid_t process, unsigned flags), (process, flags), NOTHING,
     libc_opened(result, PC))

/* What prctl's second argument is depends on its first: a text that is read, or room that is
 * filled. */
static size_t prctl_fills(int what)
{
	switch (what) {
	case PR_GET_NAME:
		return 16;
	case PR_GET_PDEATHSIG:
	case PR_GET_UNALIGN:
	case PR_GET_FPEMU:
	case PR_GET_FPEXC:
	case PR_GET_TSC:
	case PR_GET_ENDIAN:
	case PR_GET_CHILD_SUBREAPER:
		return sizeof(int);
	}
	return 0;
}

static void set_name(const char *name, pc_t pc)
{
	size_t n = 0;
	while (n < sizeof(g.cur->name) - 1 && name[n])
		n++;
	rt_libc_read(name, n + 1, pc);
	rt_memcpy(g.cur->name, name, n);
	g.cur->name[n] = 0;
	ev_text(EV_THREAD_NAME, 0, g.cur->id, 0, g.cur->name, pc);
}

RT_EXPORT int prctl(int what, ...)
{
	unsigned long a[4];
	va_list ap;
	va_start(ap, what);
	for (int i = 0; i < 4; i++)
		a[i] = va_arg(ap, unsigned long);
	va_end(ap);
	if (!libc_enter(PC))
		return REAL_FN(prctl)(what, a[0], a[1], a[2], a[3]);
	libc_hidden(HIDDEN_PROCESS, true, PC);
	/* All fibers share one OS thread, whose name says nothing about them. */
	if (what == PR_SET_NAME) {
		set_name((const char *)a[0], PC);
		return 0;
	}
	if (what == PR_GET_NAME) {
		rt_memcpy((char *)a[0], g.cur->name, sizeof(g.cur->name));
		rt_libc_wrote((const void *)a[0], sizeof(g.cur->name), PC);
		return 0;
	}
	if (what == PR_SET_SYSCALL_USER_DISPATCH || what == PR_SET_SECCOMP)
		libc_refuse("prctl with this request", PC);
	int result = LIBC_CALL(REAL_FN(prctl)(what, a[0], a[1], a[2], a[3]));
	if (result >= 0)
		rt_libc_wrote((const void *)a[0], prctl_fills(what), PC);
	return result;
}

/* ---- the machine ---- */

#define TOLD(name, type) \
	WRAP(int, name, (type * to), (to), ROOM_OBJECT(to), WROTE_OBJECT_IF(!result, to))
TOLD(sysinfo, struct sysinfo)
WRAP(int, getloadavg, (double *to, int n), (to, n), ROOM(to, n > 0 ? (size_t)n * sizeof(*to) : 0),
     WROTE(to, result > 0 ? (size_t)result * sizeof(*to) : 0))
WRAP(int, getdomainname, (char *to, size_t room), (to, room), ROOM(to, room),
     if (!result) WROTE_CHANGES(to, room))
WRAP(int, __getdomainname_chk, (char *to, size_t n, size_t room), (to, n, room), ROOM(to, n),
     if (!result) WROTE_CHANGES(to, n))
WRAP(int, __gethostname_chk, (char *to, size_t n, size_t room), (to, n, room), ROOM(to, n),
     if (!result) WROTE_TEXT(to))
WRAP(int, sethostname, (const char *name, size_t n), (name, n), READS(name, n), NOTHING)
WRAP(int, setdomainname, (const char *name, size_t n), (name, n), READS(name, n), NOTHING)
WRAP(size_t, confstr, (int what, char *to, size_t room), (what, to, room), ROOM(to, room),
     WROTE(to, to &&result ? (result < room ? result : room) : 0))
WRAP(int, getcpu, (unsigned *cpu, unsigned *node), (cpu, node), NOTHING, WROTE_OBJECT(cpu);
     WROTE_OBJECT(node))
WRAP(int, klogctl, (int what, char *to, int room), (what, to, room), NOTHING,
     WROTE_CHANGES(to, to &&room > 0 ? (size_t)room : 0))
WRAP(int, quotactl, (int command, const char *device, int id, char *data),
     (command, device, id, data), READS_TEXT(device), WROTE_CHANGES(data, data && !result ? 72 : 0))
WRAP(int, clock_getcpuclockid, (pid_t process, clockid_t *to), (process, to), ROOM_OBJECT(to),
     WROTE_OBJECT_IF(!result, to))
