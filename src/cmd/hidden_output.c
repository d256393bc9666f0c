/* SPDX-License-Identifier: Apache-2.0 */
/* See hidden_output.h. */
#include "cmd/hidden_output.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

/* Until the last descriptor of the other end is closed. */
static void *read_all(void *arg)
{
	struct hidden_output *h = arg;
	char bytes[4096];
	while (read(h->terminal, bytes, sizeof(bytes)) > 0)
		;
	return NULL;
}

static bool start_reader(struct hidden_output *h)
{
	sigset_t all, before;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);	/* signals are the caller's */
	h->has_reader = !pthread_create(&h->reader, NULL, read_all, h);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return h->has_reader;
}

/* The other end of a terminal with the settings of this one; -1: there can be none. */
static int open_terminal(struct hidden_output *h, int like)
{
	char name[64];
	struct termios settings;
	struct winsize size;
	h->terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (h->terminal < 0)
		return -1;
	int fd = -1;
	if (!grantpt(h->terminal) && !unlockpt(h->terminal) && !ptsname_r(h->terminal, name, sizeof(name)))
		fd = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (fd < 0 || !start_reader(h)) {
		close(h->terminal);
		h->terminal = -1;
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

void hide_output(struct hidden_output *h)
{
	int terminal = -1;
	*h = (struct hidden_output){ .kept = { -1, -1 }, .terminal = -1 };
	fflush(NULL);
	for (int i = 0; i < 2; i++) {
		bool is_terminal = isatty(i + 1);
		if (is_terminal && terminal < 0)
			terminal = open_terminal(h, i + 1);
		int to = is_terminal && terminal >= 0 ? terminal : open("/dev/null", O_WRONLY | O_CLOEXEC);
		if (to < 0)
			continue;
		h->kept[i] = fcntl(i + 1, F_DUPFD_CLOEXEC, 3);
		dup2(to, i + 1);
		if (to != terminal)
			close(to);
	}
	if (terminal >= 0)
		close(terminal);
}

void show_output(struct hidden_output *h)
{
	for (int i = 0; i < 2; i++) {
		if (h->kept[i] < 0)
			continue;
		dup2(h->kept[i], i + 1);
		close(h->kept[i]);
	}
	/* A process that the program left behind may keep the other end open. */
	if (h->has_reader) {
		pthread_cancel(h->reader);
		pthread_join(h->reader, NULL);
	}
	if (h->terminal >= 0)
		close(h->terminal);
}
