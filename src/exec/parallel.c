/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Running a program in parallel; see parallel.h.
 *
 * Messages come through a pair of sockets that preserve message boundaries, so that processes and
 * threads may send at the same time.  The descriptor has a high number, so that the program's own
 * descriptors keep their numbers.
 */
#include "exec/parallel.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"
#include "wire/run.h"

#define CHILD_FD 900

static volatile pid_t child;

static void forward(int number)
{
	if (child > 0)
		kill(child, number);
}

static char *setting(const struct parallel_config *c, int fd)
{
	char text[128];
	snprintf(text, sizeof(text), RUN_ENVIRONMENT "=%d,%u,%u,%u,%u,%u,%u", fd, c->flags,
		 c->history, c->sections, c->limit, c->exit_code, c->exit_wait);
	return mem_strdup(text);
}

/* The runtime comes before libraries that the user preloads. */
static char *preload_setting(const char *library)
{
	const char *users = getenv("LD_PRELOAD");
	struct buf text = { 0 };
	buf_printf(&text, "LD_PRELOAD=%s%s%s", library, users && *users ? ":" : "",
		   users ? users : "");
	return buf_take(&text);
}

/* In the child: never returns. */
static void start(const struct parallel_config *c, int socket, int report)
{
	int fd = fcntl(socket, F_DUPFD, CHILD_FD);
	if (fd < 0) /* the limit of descriptors is lower */
		fd = fcntl(socket, F_DUPFD, 3);
	if (fd >= 0) {
		putenv(setting(c, fd));
		if (c->preload)
			putenv(preload_setting(c->preload));
		if (!c->keeps_aslr) {
			int now = personality(0xffffffff);
			if (now >= 0)
				personality((unsigned long)now | ADDR_NO_RANDOMIZE);
		}
		execv(c->path, c->argv);
	}
	int reason = errno;
	file_write_fd(report, &reason, sizeof(reason));
	_exit(127);
}

/* Receive one message, if there is one; false: all senders have closed the socket. */
static bool take(const struct parallel_config *c, int fd, char *room, bool *is_empty)
{
	ssize_t n = recv(fd, room, RUN_MESSAGE_MAX, MSG_DONTWAIT);
	*is_empty = n < 0;
	if (n > 0)
		c->message(c->arg, room, (size_t)n);
	return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
}

static void follow(const struct parallel_config *c, int fd, int process, struct parallel_result *r)
{
	char *room = mem_alloc(RUN_MESSAGE_MAX);
	bool is_open = true, is_empty;
	double end = c->timeout ? clock_now_seconds() + (double)c->timeout : 0;
	for (;;) {
		struct pollfd both[2] = { { .fd = process, .events = POLLIN },
					  { .fd = is_open ? fd : -1, .events = POLLIN } };
		double left = end ? (end - clock_now_seconds()) * 1e3 : -1;
		if (end && left <= 0) {
			r->is_timed_out = true;
			kill(child, SIGKILL);
			end = 0;
			continue;
		}
		poll(both, 2, end ? (int)left + 1 : -1);
		if (both[1].revents)
			is_open = take(c, fd, room, &is_empty);
		if (both[0].revents && waitpid(child, &r->wait_status, 0) == child)
			break;
	}
	while (is_open) {
		is_open = take(c, fd, room, &is_empty);
		if (is_empty && errno != EINTR)
			break;
	}
	mem_free(room);
}

int parallel_run(const struct parallel_config *c, struct parallel_result *r, struct err *err)
{
	int sockets[2], report[2], reason = 0;
	*r = (struct parallel_result){ 0 };
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) ||
	    pipe2(report, O_CLOEXEC))
		return err_set(err, ERR_IO, "cannot create a connection to the program: %s",
			       strerror(errno));
	int room = 4 << 20;
	setsockopt(sockets[1], SOL_SOCKET, SO_SNDBUF, &room, sizeof(room));
	fflush(NULL);
	child = fork();
	if (!child)
		start(c, sockets[1], report[1]);
	close(sockets[1]);
	close(report[1]);
	struct sigaction ours = { .sa_handler = forward, .sa_flags = SA_RESTART }, before[2];
	sigaction(SIGTERM, &ours, &before[0]);
	ours.sa_handler = SIG_IGN; /* the terminal sends it to the program, too */
	sigaction(SIGINT, &ours, &before[1]);
	int rc = 0, process = child > 0 ? (int)syscall(SYS_pidfd_open, child, 0) : -1;
	if (child < 0 || process < 0)
		rc = err_set(err, ERR_IO, "cannot start a process: %s", strerror(errno));
	else if (read(report[0], &reason, sizeof(reason)) == sizeof(reason))
		rc = err_set(err, ERR_PROGRAM, "cannot start %s: %s", c->path, strerror(reason));
	if (rc && child > 0)
		waitpid(child, NULL, 0);
	if (!rc)
		follow(c, sockets[0], process, r);
	child = 0;
	sigaction(SIGTERM, &before[0], NULL);
	sigaction(SIGINT, &before[1], NULL);
	close(sockets[0]);
	close(report[0]);
	if (process >= 0)
		close(process);
	return rc;
}
