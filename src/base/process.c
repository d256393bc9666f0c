/* SPDX-License-Identifier: Apache-2.0 */
/*
 * While the child runs, signals that would terminate heddle are forwarded to the child instead.
 * So heddle outlives the child and can remove its temporary files.  posix_spawn reports a failed
 * exec to the parent, so a program that does not exist is distinguished from one that fails.
 */
#include "base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static int read_all(int fd, struct buf *out)
{
	char chunk[4096];
	for (;;) {
		ssize_t n = read(fd, chunk, sizeof(chunk));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : 0;
		buf_add(out, chunk, (size_t)n);
	}
}

/* Start argv with its output in a pipe if wanted, and with the given signal mask; 0 or an errno. */
static int start(char *const *argv, enum process_streams streams, const sigset_t *mask, pid_t *pid,
		 int *from)
{
	int pipe_fd[2] = { -1, -1 };
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	int failed = posix_spawn_file_actions_init(&actions);
	if (failed)
		return failed;
	failed = posix_spawnattr_init(&attributes);
	if (failed) {
		posix_spawn_file_actions_destroy(&actions);
		return failed;
	}
	posix_spawnattr_setsigmask(&attributes, mask);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
	if (streams == PROCESS_CAPTURE) {
		if (pipe2(pipe_fd, O_CLOEXEC)) {
			failed = errno;
			goto out;
		}
		failed = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
		failed =
			failed ? failed : posix_spawn_file_actions_adddup2(&actions, pipe_fd[1], 1);
		failed =
			failed ? failed : posix_spawn_file_actions_adddup2(&actions, pipe_fd[1], 2);
	}
	failed = failed ? failed : posix_spawnp(pid, argv[0], &actions, &attributes, argv, environ);
out:
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	if (pipe_fd[1] >= 0)
		close(pipe_fd[1]);
	if (failed && pipe_fd[0] >= 0)
		close(pipe_fd[0]);
	*from = failed ? -1 : pipe_fd[0];
	return failed;
}

/* Wait for the end of a child; 0 or an errno.  Signals of `fatal`, which are blocked, are
 * forwarded to it. */
static int wait_for(pid_t pid, const sigset_t *fatal, int *state)
{
	int child = pidfd_open(pid, 0), signals = signalfd(-1, fatal, SFD_CLOEXEC);
	struct pollfd fds[2] = { { .fd = child, .events = POLLIN },
				 { .fd = signals, .events = POLLIN } };
	while (child >= 0 && signals >= 0 && (poll(fds, 2, -1) >= 0 || errno == EINTR)) {
		struct signalfd_siginfo info;
		if (fds[0].revents)
			break;
		if (fds[1].revents && read(signals, &info, sizeof(info)) == sizeof(info))
			kill(pid, (int)info.ssi_signo);
	}
	if (child >= 0)
		close(child);
	if (signals >= 0)
		close(signals);
	while (waitpid(pid, state, 0) < 0)
		if (errno != EINTR)
			return errno;
	return 0;
}

sigset_t process_block_signals(sigset_t *before)
{
	sigset_t fatal;
	sigemptyset(&fatal);
	sigaddset(&fatal, SIGINT);
	sigaddset(&fatal, SIGTERM);
	sigaddset(&fatal, SIGHUP);
	sigprocmask(SIG_BLOCK, &fatal, before);
	return fatal;
}

int process_run(const struct words *argv, enum process_streams streams, struct buf *captured,
		int *status, struct err *err)
{
	VEC(char *) vector = { 0 };
	vec_reserve(&vector, argv->list.len + 1);
	for (size_t i = 0; i < argv->list.len; i++)
		vec_push(&vector, argv->list.at[i]);
	vec_push(&vector, NULL);
	sigset_t before, childs;
	const sigset_t fatal = process_block_signals(&before);
	/* In the child these signals are not blocked, even if the caller had blocked them. */
	childs = before;
	sigdelset(&childs, SIGINT);
	sigdelset(&childs, SIGTERM);
	sigdelset(&childs, SIGHUP);
	pid_t pid;
	int from, state = 0, unread = 0;
	int failed = start(vector.at, streams, &childs, &pid, &from);
	vec_release(&vector);
	if (!failed && from >= 0) {
		unread = read_all(from, captured);
		close(from);
	}
	int lost = failed ? 0 : wait_for(pid, &fatal, &state);
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (failed)
		return err_set(err, ERR_IO, "cannot run %s: %s", argv->list.at[0],
			       strerror(failed));
	if (lost)
		return err_set(err, ERR_IO, "cannot wait for %s: %s", argv->list.at[0],
			       strerror(lost));
	if (unread)
		return err_set(err, ERR_IO, "cannot read from %s: %s", argv->list.at[0],
			       strerror(-unread));
	*status = WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
	return 0;
}
