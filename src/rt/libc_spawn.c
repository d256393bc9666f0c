/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Other programs that the program starts: posix_spawn, system, popen.  They run uncontrolled.
 *
 * libc makes such a process with the memory of this one, which ends when the other program
 * begins; no code of the program runs meanwhile.  So the call is let through as a whole, and the
 * number of the process, or the error, is an input in the name of the system call vfork.  In a
 * replay there is no process; what came from it by a pipe, and its end, are recorded too.
 */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "rt/fork.h"
#include "rt/libc_fd.h"
#include "rt/libc_refused.h"
#include "rt/libc_stream.h"
#include "rt/libc_wrap.h"
#include "rt/processor.h"
#include "rt/signals.h"
#include "wire/wire.h"

#define SHELL "/bin/sh"
#define STREAMS 256
#define FAILED_TO_START (127 << 8) /* as a shell says that it cannot run a command */

extern char **environ;

typedef int spawn_function(pid_t *, const char *, const posix_spawn_file_actions_t *,
			   const posix_spawnattr_t *, char *const[], char *const[]);

/* What is started; the descriptor `from`, if not negative, becomes its descriptor `as`. */
struct program {
	spawn_function *function;
	const char *file;
	const posix_spawn_file_actions_t *actions;
	const posix_spawnattr_t *attributes;
	char *const *argv, *const *envp;
	int from, as;
};

static long start(const struct program *p)
{
	posix_spawn_file_actions_t own;
	pid_t pid = 0;
	int error = 0;
	/* The new process must find the processor's counter as usual. */
	g.internal++;
	processor_release();
	signal_show_mask();
	if (p->from >= 0) {
		REAL_FN(posix_spawn_file_actions_init)(&own);
		error = REAL_FN(posix_spawn_file_actions_adddup2)(&own, p->from, p->as);
	}
	if (!error)
		error = p->function(&pid, p->file, p->from >= 0 ? &own : p->actions, p->attributes,
				    p->argv, p->envp);
	if (p->from >= 0)
		REAL_FN(posix_spawn_file_actions_destroy)(&own);
	processor_catch();
	signal_mirror_mask(g.cur);
	g.internal--;
	return error ? -error : pid;
}

/* The number of the process, or a negative error. */
static long start_recorded(const struct program *p, pc_t pc)
{
	struct call c = { .nr = SYS_vfork };
	if (g.session->policy == POLICY_EXPLORE)
		libc_refuse("another process, while exploring", pc);
	fork_announce();
	buffer_empty();
	g.hook_pc = pc;
	c.result = outside_replays() ? outside_recall(&c) : start(p);
	outside_selector = outside_closed;
	outside_answered(&c, c.result);
	descriptors_follow(&c);
	return c.result;
}

static long start_shell(const char *command, int from, int as, pc_t pc)
{
	char *const argv[] = { (char *)"sh", (char *)"-c", (char *)command, NULL };
	libc_read_string(command, pc);
	return start_recorded(&(struct program){ .function = REAL_FN(posix_spawn),
						 .file = SHELL,
						 .argv = argv,
						 .envp = environ,
						 .from = from,
						 .as = as },
			      pc);
}

/* Its status, or -1 and errno. */
static int wait_for_process(pid_t pid, pc_t pc)
{
	int status;
	for (;;) {
		pid_t ended = LIBC_CALL(REAL_FN(waitpid)(pid, &status, 0));
		if (ended == pid)
			return status;
		if (errno != EINTR)
			return -1;
		thread_act_on_cancel(pc);
	}
}

static int spawn(spawn_function *function, pid_t *pid, const char *file,
		 const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes,
		 char *const argv[], char *const envp[], pc_t pc)
{
	libc_read_string(file, pc);
	libc_read_texts(argv, pc);
	long made = start_recorded(
		&(struct program){ function, file, actions, attributes, argv, envp, -1, 0 }, pc);
	if (made < 0)
		return (int)-made;
	if (pid) {
		libc_will_write(pid, sizeof(*pid), pc);
		*pid = (pid_t)made;
		rt_libc_wrote(pid, sizeof(*pid), pc);
	}
	return 0;
}

#define SPAWN(name)                                                                          \
	RT_EXPORT int name(pid_t *restrict pid, const char *restrict file,                   \
			   const posix_spawn_file_actions_t *restrict actions,               \
			   const posix_spawnattr_t *restrict attributes,                     \
			   char *const argv[restrict], char *const envp[restrict])           \
	{                                                                                    \
		if (!libc_enter(PC))                                                         \
			return REAL_FN(name)(pid, file, actions, attributes, argv, envp);    \
		return spawn(REAL_FN(name), pid, file, actions, attributes, argv, envp, PC); \
	}
SPAWN(posix_spawn)
SPAWN(posix_spawnp)

RT_EXPORT int system(const char *command)
{
	if (!libc_enter(PC))
		return REAL_FN(system)(command);
	CANCEL_POINT;
	if (!command)
		return !LIBC_CALL(REAL_FN(access)(SHELL, X_OK));
	long made = start_shell(command, -1, 0, PC);
	return made < 0 ? FAILED_TO_START : wait_for_process((pid_t)made, PC);
}

/* ---- streams to and from a command ---- */

struct process_stream {
	FILE *stream; /* NULL: unused */
	pid_t pid;
};

static RT_KEPT struct process_stream streams[STREAMS];

static struct process_stream *find(const FILE *stream)
{
	for (unsigned i = 0; i < STREAMS; i++)
		if (streams[i].stream == stream)
			return &streams[i];
	return NULL;
}

/* 'r' or 'w', with or without 'e'; 0: anything else */
static char direction_of(const char *mode)
{
	char direction = 0;
	for (; *mode; mode++) {
		if (*mode == 'e')
			continue;
		if (direction || (*mode != 'r' && *mode != 'w'))
			return 0;
		direction = *mode;
	}
	return direction;
}

/* Both ends are closed in any other program, as if each had been opened with 'e'. */
RT_EXPORT FILE *popen(const char *command, const char *mode)
{
	int ends[2];
	if (!libc_enter(PC))
		return REAL_FN(popen)(command, mode);
	libc_read_string(mode, PC);
	char direction = direction_of(mode);
	struct process_stream *slot = find(NULL);
	if (!direction || !slot) {
		errno = direction ? EMFILE : EINVAL;
		return NULL;
	}
	if (LIBC_CALL(REAL_FN(pipe2)(ends, O_CLOEXEC)))
		return NULL;
	int own = ends[direction == 'w'], other = ends[direction == 'r'];
	long made = start_shell(command, other, direction == 'r', PC);
	LIBC_CALL(REAL_FN(close)(other));
	if (made < 0) {
		LIBC_CALL(REAL_FN(close)(own));
		errno = (int)-made;
		return NULL;
	}
	FILE *stream = LIBC_CALL(REAL_FN(fdopen)(own, direction == 'r' ? "r" : "w"));
	libc_hidden(HIDDEN_STREAMS, true, PC);
	libc_opened(own, PC);
	*slot = (struct process_stream){ stream, (pid_t)made };
	return stream;
}

RT_EXPORT int pclose(FILE *stream)
{
	if (!libc_enter(PC))
		return REAL_FN(pclose)(stream);
	struct process_stream *s = stream ? find(stream) : NULL;
	if (!s) { /* a stream of another kind, or from before main */
		stream_close(stream, PC);
		errno = ECHILD;
		return -1;
	}
	pid_t pid = s->pid;
	s->stream = NULL;
	stream_close(stream, PC);
	return wait_for_process(pid, PC);
}
