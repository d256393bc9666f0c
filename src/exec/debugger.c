/* SPDX-License-Identifier: Apache-2.0 */
/* Starting gdb and answering its requests; see debugger.h. */
#include "exec/debugger.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/vec.h"

#define SOCKET_VARIABLE "HEDDLE_GDB_SOCKET"
#define QUESTION_MAX 1000

struct gdb_command {
	VEC(char *) list;
	char pid[16];
};

static void make_command(struct gdb_command *w, const struct debugger_config *c,
			 const char *program, pid_t pid)
{
	snprintf(w->pid, sizeof(w->pid), "%d", (int)pid);
	/* gdb first attaches, in whatever order the options are.  Then it loads the extension,
	 * then it processes the user's arguments. */
	const char *const words[] = { c->gdb, "-q", "-p", w->pid, "-x", c->extension };
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		vec_push(&w->list, (char *)(uintptr_t)words[i]);
	for (size_t i = 0; c->args[i]; i++)
		vec_push(&w->list, c->args[i]);
	vec_push(&w->list, (char *)(uintptr_t)program);
	vec_push(&w->list, NULL);
}

static _Noreturn void exec_gdb(const struct gdb_command *w, int fd, const sigset_t *mask,
			       int report)
{
	char digits[16];
	sigprocmask(SIG_SETMASK, mask, NULL);
	fcntl(fd, F_SETFD, 0);
	snprintf(digits, sizeof(digits), "%d", fd);
	setenv(SOCKET_VARIABLE, digits, 1);
	execv(w->list.at[0], w->list.at);
	int reason = errno;
	file_write_fd(report, &reason, sizeof(reason));
	_exit(127);
}

int debugger_start(struct debugger *d, const struct debugger_config *config, const char *program,
		   pid_t pid, const sigset_t *mask, struct err *err)
{
	int pair[2], report[2], reason = 0;
	*d = (struct debugger){ .config = config, .fd = -1 };
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		return err_set(err, ERR_IO, "cannot create a socket for gdb: %s", strerror(errno));
	if (pipe2(report, O_CLOEXEC)) {
		close(pair[0]);
		close(pair[1]);
		return err_set(err, ERR_IO, "cannot create a pipe: %s", strerror(errno));
	}
	struct gdb_command words = { 0 };
	make_command(&words, config, program, pid);
	d->pid = fork();
	if (d->pid == 0)
		exec_gdb(&words, pair[1], mask, report[1]);
	int fork_errno = errno;
	close(pair[1]);
	close(report[1]);
	d->fd = pair[0];
	int rc = 0;
	if (d->pid < 0) {
		d->pid = 0;
		rc = err_set(err, ERR_IO, "cannot create a process: %s", strerror(fork_errno));
	} else if (read(report[0], &reason, sizeof(reason)) == sizeof(reason)) {
		rc = err_set(err, ERR_SUPPORT, "cannot start %s: %s", config->gdb,
			     strerror(reason));
	}
	close(report[0]);
	vec_release(&words.list);
	return rc;
}

bool debugger_has_question(struct debugger *d)
{
	char bytes[256];
	ssize_t n;
	while (d->fd >= 0 && (n = recv(d->fd, bytes, sizeof(bytes), MSG_DONTWAIT)) > 0)
		buf_add(&d->question, bytes, (size_t)n);
	return d->question.len && memchr(d->question.at, '\n', d->question.len);
}

static void send_answer(struct debugger *d, const struct buf *text)
{
	char length[32];
	int digits = snprintf(length, sizeof(length), "%zu\n", text->len);
	struct iovec parts[] = { { length, (size_t)digits }, { text->at, text->len } };
	for (size_t i = 0; i < 2; i++) {
		const char *at = parts[i].iov_base;
		size_t left = parts[i].iov_len;
		while (left) {
			/* Blocking is fine: gdb waits for the answer.  If gdb has ended, send()
			 * fails. */
			ssize_t n = send(d->fd, at, left, MSG_NOSIGNAL);
			if (n < 0 && errno == EINTR)
				continue;
			if (n <= 0)
				return;
			at += n;
			left -= (size_t)n;
		}
	}
}

void debugger_answer(struct debugger *d)
{
	while (debugger_has_question(d)) {
		char *end = memchr(d->question.at, '\n', d->question.len);
		size_t len = (size_t)(end - d->question.at);
		char *question =
			mem_strndup(d->question.at, len < QUESTION_MAX ? len : QUESTION_MAX);
		struct buf text = { 0 }, rest = { 0 };
		buf_add(&rest, end + 1, d->question.len - len - 1);
		buf_release(&d->question);
		d->question = rest;
		d->config->answer(d->config->answer_arg, question, &text);
		send_answer(d, &text);
		buf_release(&text);
		mem_free(question);
	}
}

bool debugger_reap(struct debugger *d)
{
	if (!d->pid)
		return true;
	int status;
	pid_t got = waitpid(d->pid, &status, WNOHANG);
	if (got == 0 || (got < 0 && errno == EINTR))
		return false;
	d->pid = 0;
	return true;
}

void debugger_release(struct debugger *d)
{
	if (d->pid) {
		kill(d->pid, SIGKILL);
		while (waitpid(d->pid, NULL, 0) < 0 && errno == EINTR)
			continue;
	}
	if (d->fd >= 0)
		close(d->fd);
	buf_release(&d->question);
	*d = (struct debugger){ .fd = -1 };
}
