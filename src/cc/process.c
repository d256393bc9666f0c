/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Starting the real compiler.  posix_spawn reports a failed exec to the parent, so a compiler that does not
 * exist is told apart from one that fails.
 */
#include "cc/process.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

void words_add(struct words *w, const char *word)
{
	vec_push(&w->list, mem_strdup(word));
}

void words_take(struct words *w, char *word)
{
	vec_push(&w->list, word);
}

bool words_contain(const struct words *w, const char *word)
{
	for (size_t i = 0; i < w->list.len; i++)
		if (!strcmp(w->list.at[i], word))
			return true;
	return false;
}

void words_release(struct words *w)
{
	for (size_t i = 0; i < w->list.len; i++)
		mem_free(w->list.at[i]);
	vec_release(&w->list);
}

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

/* Start argv with its output in a pipe if wanted; 0 or an errno. */
static int start(char *const *argv, enum process_streams streams, pid_t *pid, int *from)
{
	int pipe_fd[2] = { -1, -1 };
	posix_spawn_file_actions_t actions;
	int failed = posix_spawn_file_actions_init(&actions);
	if (failed)
		return failed;
	if (streams == PROCESS_CAPTURE) {
		if (pipe2(pipe_fd, O_CLOEXEC)) {
			failed = errno;
			goto out;
		}
		failed = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
		failed = failed ? failed : posix_spawn_file_actions_adddup2(&actions, pipe_fd[1], 1);
		failed = failed ? failed : posix_spawn_file_actions_adddup2(&actions, pipe_fd[1], 2);
	}
	failed = failed ? failed : posix_spawnp(pid, argv[0], &actions, NULL, argv, environ);
out:
	posix_spawn_file_actions_destroy(&actions);
	if (pipe_fd[1] >= 0)
		close(pipe_fd[1]);
	if (failed && pipe_fd[0] >= 0)
		close(pipe_fd[0]);
	*from = failed ? -1 : pipe_fd[0];
	return failed;
}

int process_run(const struct words *argv, enum process_streams streams, struct buf *captured, int *status,
		struct err *err)
{
	VEC(char *) vector = {0};
	vec_reserve(&vector, argv->list.len + 1);
	for (size_t i = 0; i < argv->list.len; i++)
		vec_push(&vector, argv->list.at[i]);
	vec_push(&vector, NULL);
	pid_t pid;
	int from;
	int failed = start(vector.at, streams, &pid, &from);
	vec_release(&vector);
	if (failed)
		return err_set(err, ERR_IO, "cannot run %s: %s", argv->list.at[0], strerror(failed));
	if (from >= 0) {
		failed = read_all(from, captured);
		close(from);
	}
	int state;
	while (waitpid(pid, &state, 0) < 0)
		if (errno != EINTR)
			return err_set(err, ERR_IO, "cannot wait for %s: %s", argv->list.at[0],
				       strerror(errno));
	if (failed)
		return err_set(err, ERR_IO, "cannot read the output of %s: %s", argv->list.at[0],
			       strerror(-failed));
	*status = WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
	return 0;
}
