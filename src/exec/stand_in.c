/* SPDX-License-Identifier: Apache-2.0 */
/* The process that stands in for a program whose tool is its child; see stand_in.h. */
#include "exec/stand_in.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "exec/signals.h"

#define TOOL_KILLED 70 /* the status if the tool has not told one */

static void end_like(const struct stand_in_end *end)
{
	if (end->signal) {
		sigset_t all;
		prctl(PR_SET_DUMPABLE, 0); /* the program has left its own core file */
		signal(end->signal, SIG_DFL);
		sigfillset(&all);
		sigprocmask(SIG_UNBLOCK, &all, NULL);
		raise(end->signal);
	}
	_exit(end->status);
}

/* In the process that stands in: never returns. */
static void stand_in(pid_t tool, int from, int signals)
{
	struct stand_in_end end;
	for (;;) {
		struct pollfd fds[] = { { .fd = from, .events = POLLIN },
					{ .fd = signals, .events = POLLIN } };
		bool is_of_terminal;
		poll(fds, 2, -1);
		for (int n; (n = signals_next(signals, &is_of_terminal));)
			if (n != SIGCHLD && !is_of_terminal)
				kill(tool, n);
		if (!fds[0].revents)
			continue;
		if (read(from, &end, sizeof(end)) != sizeof(end))
			_exit(TOOL_KILLED);
		end_like(&end);
	}
}

int stand_in_begin(struct err *err)
{
	int report[2];
	sigset_t before;
	if (pipe2(report, O_CLOEXEC))
		return err_set(err, ERR_IO, "cannot create a pipe: %s", strerror(errno));
	int signals = signals_open(&before);
	pid_t tool = fork();
	if (tool > 0) {
		close(report[1]);
		stand_in(tool, report[0], signals);
	}
	close(report[0]);
	close(signals);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return tool < 0 ? err_set(err, ERR_IO, "cannot start a process: %s", strerror(errno))
			: report[1];
}

void stand_in_end(int fd, const struct stand_in_end *end)
{
	file_write_fd(fd, end, sizeof(*end));
	close(fd);
}
