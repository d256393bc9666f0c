/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Running a command in parallel; see parallel.h.
 *
 * Messages are datagrams, so that processes and threads may send at the same time.  A sender must
 * be the same user, or one that the superuser's program has become.
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
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"
#include "exec/signals.h"
#include "wire/run.h"

#define STATE_ROUNDS 500     /* of 10 milliseconds that a process has to say what its threads do */
#define UNWATCHED_GRACE 1000 /* milliseconds */
#define KILL_ROUNDS 500	     /* then a process that cannot be killed is left */

/* What such a message begins with. */
static const char found_state[] = "found timeout ";

/* A command that runs. */
struct command {
	const struct parallel_config *config;
	struct parallel_result *result;
	pid_t child;
	int messages, signals;
	uint32_t key;
	char *room;	/* for a message */
	bool has_ended; /* and its status is known */
	bool has_hello; /* since this was last cleared */
	size_t states;	/* messages that say what all threads of a process do */
	unsigned stops; /* signals to end since then */
	double end;	/* of the time; 0: none */
	/* of signals, before */
	sigset_t mask;
	struct sigaction of_children;
};

/* ---- the start ---- */

static char *setting(const struct command *k)
{
	const struct parallel_config *c = k->config;
	struct buf text = { 0 };
	buf_printf(&text, RUN_ENVIRONMENT "=%d,%u,%u,%u,%u,%u,%u,%u", (int)getppid(), k->key,
		   c->flags, c->history, c->sections, c->limit, c->exit_code, c->exit_wait);
	return buf_take(&text);
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

/* A script without a first line that names its interpreter is one of the shell. */
static void execute(const struct parallel_config *c)
{
	execv(c->path, c->argv);
	if (errno != ENOEXEC)
		return;
	size_t n = 0;
	while (c->argv[n])
		n++;
	char **argv = mem_alloc((n + 2) * sizeof(*argv));
	argv[0] = (char *)"sh";
	argv[1] = (char *)c->path;
	for (size_t i = 1; i <= n; i++)
		argv[i + 1] = c->argv[i];
	execv("/bin/sh", argv);
}

/* In the child: never returns. */
static void start(const struct command *k, int report)
{
	const struct parallel_config *c = k->config;
	putenv(setting(k));
	if (c->preload)
		putenv(preload_setting(c->preload));
	if (!c->keeps_aslr) {
		int now = personality(0xffffffff);
		if (now >= 0)
			personality((unsigned long)now | ADDR_NO_RANDOMIZE);
	}
	sigaction(SIGCHLD, &k->of_children, NULL);
	sigprocmask(SIG_SETMASK, &k->mask, NULL);
	execute(c);
	int reason = errno;
	file_write_fd(report, &reason, sizeof(reason));
	_exit(127);
}

static int open_messages(struct command *k)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int yes = 1, room = 4 << 20;
	if (getrandom(&k->key, sizeof(k->key), 0) != sizeof(k->key))
		return -1;
	k->messages = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int n = snprintf(a.sun_path + 1, sizeof(a.sun_path) - 1, RUN_SOCKET "%d-%u", (int)getpid(),
			 k->key);
	setsockopt(k->messages, SOL_SOCKET, SO_RCVBUF, &room, sizeof(room));
	setsockopt(k->messages, SOL_SOCKET, SO_PASSCRED, &yes, sizeof(yes));
	return bind(k->messages, (struct sockaddr *)&a,
		    (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n));
}

static int open_signals(struct command *k)
{
	k->signals = signals_open(&k->mask);
	sigaction(SIGCHLD, &(struct sigaction){ .sa_handler = SIG_DFL }, &k->of_children);
	return k->signals;
}

/* ---- while it runs ---- */

/* Receive one message; false: there is none. */
static bool take_message(struct command *k)
{
	union {
		char bytes[CMSG_SPACE(sizeof(struct ucred))];
		struct cmsghdr align;
	} control;
	struct iovec data = { k->room, RUN_MESSAGE_MAX };
	struct msghdr m = { .msg_iov = &data,
			    .msg_iovlen = 1,
			    .msg_control = &control,
			    .msg_controllen = sizeof(control) };
	ssize_t n = recvmsg(k->messages, &m, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	if (n < 0)
		return errno == EINTR;
	const struct cmsghdr *c = CMSG_FIRSTHDR(&m);
	struct ucred sender = { .uid = (uid_t)-1 };
	if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_CREDENTIALS)
		memcpy(&sender, CMSG_DATA(c), sizeof(sender));
	if (sender.uid != geteuid() && sender.uid && geteuid())
		return true;
	k->states += n > (ssize_t)strlen(found_state) &&
		     !memcmp(k->room, found_state, strlen(found_state));
	k->has_hello |= n > 5 && !memcmp(k->room, "hello", 5);
	k->config->message(k->config->arg, k->room, (size_t)n);
	return true;
}

static void reap(struct command *k)
{
	int status;
	for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
		if (pid != k->child)
			continue;
		k->result->wait_status = status;
		k->has_ended = true;
	}
}

static void take_signals(struct command *k)
{
	bool is_of_terminal;
	for (int number; (number = signals_next(k->signals, &is_of_terminal));) {
		if (number == SIGCHLD)
			continue;
		if (!k->has_ended && !is_of_terminal)
			kill(k->child, number);
		k->stops += k->has_ended && (number == SIGINT || number == SIGTERM);
	}
	reap(k);
}

/* Waits for anything, at most for so many seconds (< 0: no limit). */
static void wait_for(struct command *k, struct pollfd *fds, size_t n, double seconds)
{
	fds[0] = (struct pollfd){ .fd = k->messages, .events = POLLIN };
	fds[1] = (struct pollfd){ .fd = k->signals, .events = POLLIN };
	poll(fds, n, seconds < 0 ? -1 : (int)(seconds * 1e3) + 1);
	while (take_message(k))
		;
	take_signals(k);
}

static double time_left(const struct command *k)
{
	double left = k->end ? k->end - clock_now_seconds() : -1;
	return k->end && left < 0 ? 0 : left;
}

static bool is_late(const struct command *k)
{
	return k->end && clock_now_seconds() >= k->end;
}

static size_t count_watched(const struct descendants *d)
{
	size_t n = 0;
	for (size_t i = 0; i < d->list.len; i++)
		n += d->list.at[i].is_watched;
	return n;
}

/* What the threads of each watched process do, before it is killed (RUN_SIGNAL_STATE). */
static void ask_for_states(struct command *k)
{
	struct descendants all = { 0 };
	struct pollfd fds[2];
	descendants_find(&all);
	k->states = 0;
	descendants_signal(&all, RUN_SIGNAL_STATE, true);
	for (unsigned i = 0; i < STATE_ROUNDS && k->states < count_watched(&all); i++) {
		wait_for(k, fds, 2, 0.01);
		descendants_find(&all);
	}
	descendants_release(&all);
}

/* Until none is left, because one that is not killed yet may start another one. */
static void kill_all(struct command *k)
{
	struct descendants all = { 0 };
	struct pollfd fds[2];
	k->result->is_timed_out = true;
	ask_for_states(k);
	for (unsigned i = 0; i < KILL_ROUNDS; i++) {
		descendants_find(&all);
		if (!all.list.len && k->has_ended)
			break;
		descendants_signal(&all, SIGKILL, false);
		wait_for(k, fds, 2, 0.01);
	}
	descendants_release(&all);
}

/* ---- processes that outlive the command ---- */

/* Waits until one of them ends, or something else happens. */
static void wait_for_some(struct command *k, const struct descendants *d, double seconds)
{
	VEC(struct pollfd) fds = { 0 };
	vec_grow_zeroed(&fds, 2);
	for (size_t i = 0; i < d->list.len; i++) {
		struct pollfd p = { .fd = (int)syscall(SYS_pidfd_open, d->list.at[i].pid, 0),
				    .events = POLLIN };
		if (p.fd >= 0)
			vec_push(&fds, p);
	}
	/* One that has ended in the meantime has no descriptor. */
	wait_for(k, fds.at, fds.len, fds.len == d->list.len + 2 ? seconds : 0);
	for (size_t i = 2; i < fds.len; i++)
		close(fds.at[i].fd);
	vec_release(&fds);
}

static double sooner(double a, double b)
{
	return a < 0 || (b >= 0 && b < a) ? b : a;
}

static void follow_rest(struct command *k)
{
	struct descendants left = { 0 };
	double grace = clock_now_seconds() + UNWATCHED_GRACE / 1e3;
	bool is_notified = false, is_asked = false;
	for (descendants_find(&left); left.list.len; descendants_find(&left)) {
		size_t watched = count_watched(&left);
		double now = clock_now_seconds();
		if (is_late(k) && watched) {
			kill_all(k);
			break;
		}
		if (k->has_hello)
			grace = now + UNWATCHED_GRACE / 1e3;
		k->has_hello = false;
		k->result->left = k->stops > 1 ? watched : 0;
		if (k->stops > 1 || (!watched && (now >= grace || k->stops)))
			break;
		if (watched && !is_notified)
			k->config->outlived(k->config->arg, k->result, &left);
		is_notified |= watched > 0;
		if (k->stops && !is_asked)
			descendants_signal(&left, SIGTERM, true);
		is_asked |= k->stops > 0;
		wait_for_some(k, &left, watched ? time_left(k) : sooner(grace - now, time_left(k)));
	}
	descendants_release(&left);
	while (take_message(k))
		;
}

static void follow(struct command *k)
{
	struct pollfd fds[2];
	uint64_t timeout = k->config->timeout;
	k->end = timeout ? clock_now_seconds() + (double)timeout : 0;
	k->room = mem_alloc(RUN_MESSAGE_MAX);
	while (!k->has_ended && !k->result->is_timed_out) {
		wait_for(k, fds, 2, time_left(k));
		if (!k->has_ended && is_late(k))
			kill_all(k);
	}
	if (!k->result->is_timed_out)
		follow_rest(k);
	while (take_message(k))
		;
	mem_free(k->room);
}

static int launch(struct command *k, struct err *err)
{
	int report[2], reason = 0, rc = 0;
	if (pipe2(report, O_CLOEXEC))
		return err_set(err, ERR_IO, "cannot create a pipe: %s", strerror(errno));
	fflush(NULL);
	k->child = fork();
	if (!k->child)
		start(k, report[1]);
	close(report[1]);
	if (k->child < 0)
		rc = err_set(err, ERR_IO, "cannot start a process: %s", strerror(errno));
	else if (read(report[0], &reason, sizeof(reason)) == sizeof(reason))
		rc = err_set(err, ERR_PROGRAM, "cannot start %s: %s", k->config->path,
			     strerror(reason));
	if (rc && k->child > 0)
		waitpid(k->child, NULL, 0);
	close(report[0]);
	return rc;
}

int parallel_run(const struct parallel_config *c, struct parallel_result *r, struct err *err)
{
	struct command k = { .config = c, .result = r, .messages = -1, .signals = -1 };
	*r = (struct parallel_result){ 0 };
	sigprocmask(SIG_SETMASK, NULL, &k.mask);
	int rc = 0;
	if (open_messages(&k) || open_signals(&k) < 0)
		rc = err_set(err, ERR_IO, "cannot create a connection to the program: %s",
			     strerror(errno));
	/* A process whose parent has ended becomes a child of the tool. */
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	rc = rc ? rc : launch(&k, err);
	if (!rc)
		follow(&k);
	prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0);
	close(k.messages);
	if (k.signals >= 0) {
		close(k.signals);
		sigaction(SIGCHLD, &k.of_children, NULL);
	}
	sigprocmask(SIG_SETMASK, &k.mask, NULL);
	return rc;
}
