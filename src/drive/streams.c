/* SPDX-License-Identifier: Apache-2.0 */
/* The standard streams of a program, redirected for the time of a run; see streams.h. */
#include "drive/streams.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "base/file.h"

#define INPUT_PIPE_MAX (1 << 20) /* the largest pipe that every user may have */

void streams_init(struct streams *s)
{
	*s = (struct streams){ .kept = { -1, -1, -1 }, .input_at = -1, .terminal = -1 };
}

/* Descriptor fd becomes `to`, which stays open. */
static void redirect(struct streams *s, int fd, int to)
{
	s->kept[fd] = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	dup2(to, fd);
}

/* ---- output ---- */

/* Ends when the last descriptor of the other end is closed. */
static void *discard(void *arg)
{
	struct streams *s = arg;
	char bytes[4096];
	while (read(s->terminal, bytes, sizeof(bytes)) > 0)
		;
	return NULL;
}

static bool start_reader(struct streams *s)
{
	sigset_t all, before;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are the caller's */
	s->has_reader = !pthread_create(&s->reader, NULL, discard, s);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return s->has_reader;
}

/* The other end of a new terminal with the settings of descriptor `like`; -1: the system gives
 * none. */
static int open_terminal(struct streams *s, int like)
{
	char name[64];
	struct termios settings;
	struct winsize size;
	s->terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (s->terminal < 0)
		return -1;
	int fd = -1;
	if (!grantpt(s->terminal) && !unlockpt(s->terminal) &&
	    !ptsname_r(s->terminal, name, sizeof(name)))
		fd = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (fd < 0 || !start_reader(s)) {
		close(s->terminal);
		s->terminal = -1;
		if (fd >= 0)
			close(fd);
		return -1;
	}
	if (!tcgetattr(like, &settings))
		tcsetattr(fd, TCSANOW, &settings);
	if (!ioctl(like, TIOCGWINSZ, &size))
		ioctl(fd, TIOCSWINSZ, &size);
	return fd;
}

void streams_hide_output(struct streams *s)
{
	int terminal = -1;
	fflush(NULL);
	for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++) {
		bool is_terminal = isatty(fd);
		if (is_terminal && terminal < 0)
			terminal = open_terminal(s, fd);
		int to = is_terminal && terminal >= 0 ? terminal
						      : open("/dev/null", O_WRONLY | O_CLOEXEC);
		if (to < 0)
			continue;
		redirect(s, fd, to);
		if (to != terminal)
			close(to);
	}
	if (terminal >= 0)
		close(terminal);
}

/* ---- input ---- */

void streams_rewind_input(struct streams *s)
{
	s->input_at = lseek(STDIN_FILENO, 0, SEEK_CUR);
	if (s->input_at >= 0)
		return;
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (null < 0)
		return;
	redirect(s, STDIN_FILENO, null);
	close(null);
}

void streams_give_input(struct streams *s, const void *bytes, size_t count)
{
	int ends[2];
	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK))
		return;
	fcntl(ends[1], F_SETPIPE_SZ, (int)(count < INPUT_PIPE_MAX ? count + 1 : INPUT_PIPE_MAX));
	bool fits = !file_write_fd(ends[1], bytes, count);
	if (fits && !fcntl(ends[0], F_SETFL, 0))
		redirect(s, STDIN_FILENO, ends[0]);
	close(ends[0]);
	close(ends[1]);
}

void streams_restore(struct streams *s)
{
	for (int fd = 0; fd < 3; fd++)
		if (s->kept[fd] >= 0) {
			dup2(s->kept[fd], fd);
			close(s->kept[fd]);
		}
	if (s->input_at >= 0)
		lseek(STDIN_FILENO, s->input_at, SEEK_SET);
	/* A process that the program left behind may keep the other end open. */
	if (s->has_reader) {
		pthread_cancel(s->reader);
		pthread_join(s->reader, NULL);
	}
	if (s->terminal >= 0)
		close(s->terminal);
}
