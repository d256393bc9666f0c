/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Orders that the kernel makes (timers, queues, descriptors that wait for events, file locks, children), and
 * ends of threads and processes.  Used like orders.c.
 *
 * Above 500 lines because it is one list: a pair of functions for each order.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <aio.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <mqueue.h>
#include <poll.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "orders.h"

static void must(bool is_well)
{
	if (!is_well)
		exit(9);
}

/* A name of our own below DIRECTORY. */
static const char *own_name(const char *directory)
{
	static char name[64];
	snprintf(name, sizeof(name), "%s/heddle-kernel-%d", directory, (int)getpid());
	return name;
}

/* What makes no order with others, and is not seen by the tool: a plain wait for a word of memory. */
static volatile int stage;
static __attribute__((noinline, no_sanitize("thread"))) void reach(int n) { stage = n; }
static __attribute__((noinline, no_sanitize("thread"))) void until(int n)
{
	while (stage < n)
		sched_yield();
}

static void block(int number)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, number);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
}

static int fd[2], other_fd;

/* ---- signals ---- */

static void *kills(void *a) { BEFORE; kill(getpid(), SIGUSR1); AFTER; return a; }
static void *reads_signal(void *a)
{
	struct signalfd_siginfo info;
	must(read(fd[0], &info, sizeof(info)) == sizeof(info));
	USE;
	return a;
}

static void signal_descriptor(void)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	block(SIGUSR1);
	fd[0] = signalfd(-1, &set, 0);
	two(kills, reads_signal);
}

/* The handler runs in the second thread: the signal is blocked everywhere else. */
static pthread_t target;
static atomic_int is_handled, handling_thread;
static void handler(int number) { (void)number; USE; atomic_store_explicit(&is_handled, 1, memory_order_relaxed); }
static void *is_interrupted(void *a)
{
	sigset_t all;
	sigfillset(&all);
	atomic_store_explicit(&handling_thread, gettid(), memory_order_relaxed);
	pthread_sigmask(SIG_UNBLOCK, &all, NULL);
	while (!atomic_load_explicit(&is_handled, memory_order_relaxed))
		sched_yield();
	return a;
}

static void handle(int number)
{
	block(number);
	signal(number, handler);
}

static void *kills_by_number(void *a)
{
	while (!atomic_load_explicit(&handling_thread, memory_order_relaxed))
		sched_yield();
	BEFORE;
	syscall(SYS_tgkill, getpid(), atomic_load_explicit(&handling_thread, memory_order_relaxed), SIGUSR1);
	AFTER;
	return a;
}

static void signal_by_system_call(void)
{
	handle(SIGUSR1);
	two(kills_by_number, is_interrupted);
}

static void *queues(void *a)
{
	union sigval value = { .sival_int = 1 };
	BEFORE;
	sigqueue(getpid(), SIGUSR1, value);
	AFTER;
	return a;
}

static void *suspends(void *a)
{
	sigset_t none;
	sigemptyset(&none);
	while (!atomic_load_explicit(&is_handled, memory_order_relaxed))
		sigsuspend(&none);
	return a;
}

static void signal_suspended(void)
{
	handle(SIGUSR1);
	two(queues, suspends);
}

/* ---- timers ---- */

static timer_t timer;
static const struct itimerspec soon = { .it_value.tv_nsec = 1000000 };

static void make_timer(int how, int number)
{
	struct sigevent e = { .sigev_notify = how, .sigev_signo = number };
	must(!timer_create(CLOCK_MONOTONIC, &e, &timer));
}

static void *arms(void *a) { BEFORE; timer_settime(timer, 0, &soon, NULL); AFTER; return a; }
static void *waits_for_signal(void *a)
{
	sigset_t set;
	siginfo_t info;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGALRM);
	while (sigwaitinfo(&set, &info) < 0)
		;
	USE;
	return a;
}

static void timer_waited_for(void)
{
	block(SIGUSR1);
	make_timer(SIGEV_SIGNAL, SIGUSR1);
	two(arms, waits_for_signal);
}

static void timer_handled(void)
{
	handle(SIGUSR1);
	make_timer(SIGEV_SIGNAL, SIGUSR1);
	two(arms, is_interrupted);
}

static void fires(union sigval value) { (void)value; USE; reach(1); }
static void *waits_for_stage(void *a) { until(1); return a; }
static void timer_thread(void)
{
	struct sigevent e = { .sigev_notify = SIGEV_THREAD, .sigev_notify_function = fires };
	must(!timer_create(CLOCK_MONOTONIC, &e, &timer));
	two(arms, waits_for_stage);
}

static void *sets_alarm(void *a)
{
	struct itimerval v = { .it_value.tv_usec = 1000 };
	BEFORE;
	setitimer(ITIMER_REAL, &v, NULL);
	AFTER;
	return a;
}

static void interval_timer(void)
{
	handle(SIGALRM);
	two(sets_alarm, is_interrupted);
}

static void *arms_descriptor(void *a) { BEFORE; timerfd_settime(fd[0], 0, &soon, NULL); AFTER; return a; }
static void *reads_timer(void *a) { uint64_t n; must(read(fd[0], &n, 8) == 8); USE; return a; }
static void timer_descriptor(void)
{
	fd[0] = timerfd_create(CLOCK_MONOTONIC, 0);
	two(arms_descriptor, reads_timer);
}

/* ---- queues of messages ---- */

static mqd_t queue;
static void *sends_message(void *a) { BEFORE; must(!mq_send(queue, "x", 1, 0)); AFTER; return a; }
static void *receives_message(void *a)
{
	char text[64];
	must(mq_receive(queue, text, sizeof(text), NULL) == 1);
	USE;
	return a;
}

static void open_queue(void)
{
	struct mq_attr attr = { .mq_maxmsg = 4, .mq_msgsize = 64 };
	const char *name = strrchr(own_name(""), '/');
	queue = mq_open(name, O_CREAT | O_RDWR, 0600, &attr);
	must(queue >= 0);
	mq_unlink(name);
}

static void message_queue(void) { open_queue(); two(sends_message, receives_message); }
static void message_notified(void)
{
	struct sigevent e = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };
	block(SIGUSR1);
	open_queue();
	mq_notify(queue, &e);
	two(sends_message, waits_for_signal);
}

static int identity;
static void *sends_v(void *a)
{
	struct { long type; char text[4]; } m = { 1, "x" };
	BEFORE;
	must(!msgsnd(identity, &m, 4, 0));
	AFTER;
	return a;
}

static void *receives_v(void *a)
{
	struct { long type; char text[4]; } m;
	must(msgrcv(identity, &m, 4, 0, 0) == 4);
	USE;
	return a;
}

static void message_queue_v(void)
{
	identity = msgget(IPC_PRIVATE, 0600);
	must(identity >= 0);
	two(sends_v, receives_v);
	msgctl(identity, IPC_RMID, NULL);
}

static void *semaphore_v_by(int n, void *a)
{
	struct sembuf b = { 0, (short)n, 0 };
	must(!semop(identity, &b, 1));
	return a;
}

static void *posts_v(void *a) { BEFORE; semaphore_v_by(1, a); AFTER; return a; }
static void *waits_v(void *a) { semaphore_v_by(-1, a); USE; return a; }
static void semaphore_v(void)
{
	identity = semget(IPC_PRIVATE, 1, 0600);
	must(identity >= 0);
	two(posts_v, waits_v);
	semctl(identity, 0, IPC_RMID);
}

/* ---- descriptors that tell of others ---- */

static void *sends(void *a) { uint64_t one = 1; BEFORE; must(write(fd[1], &one, 8) == 8); AFTER; return a; }
static void *polls(void *a)
{
	struct pollfd p = { fd[0], POLLIN, 0 };
	must(poll(&p, 1, -1) == 1);
	USE;
	return a;
}

static void *selects(void *a)
{
	fd_set set;
	FD_ZERO(&set);
	FD_SET(fd[0], &set);
	must(select(fd[0] + 1, &set, NULL, NULL, NULL) == 1);
	USE;
	return a;
}

static void *epolls(void *a)
{
	struct epoll_event e;
	must(epoll_wait(other_fd, &e, 1, -1) == 1);
	USE;
	return a;
}

static void *ppolls(void *a)
{
	struct pollfd p = { fd[0], POLLIN, 0 };
	must(ppoll(&p, 1, NULL, NULL) == 1);
	USE;
	return a;
}

static void *pselects(void *a)
{
	fd_set set;
	FD_ZERO(&set);
	FD_SET(fd[0], &set);
	must(pselect(fd[0] + 1, &set, NULL, NULL, NULL, NULL) == 1);
	USE;
	return a;
}

static void poll_pipe(void) { must(!pipe(fd)); two(sends, polls); }
static void ppoll_pipe(void) { must(!pipe(fd)); two(sends, ppolls); }
static void select_pipe(void) { must(!pipe(fd)); two(sends, selects); }
static void pselect_pipe(void) { must(!pipe(fd)); two(sends, pselects); }
static void epoll_pipe(void)
{
	struct epoll_event e = { .events = EPOLLIN };
	must(!pipe(fd));
	other_fd = epoll_create1(0);
	must(!epoll_ctl(other_fd, EPOLL_CTL_ADD, fd[0], &e));
	two(sends, epolls);
}

/* What epoll_ctl was given is got from epoll_wait. */
static void *adds_to_epoll(void *a)
{
	struct epoll_event e = { .events = EPOLLIN };
	BEFORE;
	must(!epoll_ctl(other_fd, EPOLL_CTL_ADD, fd[0], &e));
	AFTER;
	return a;
}

static void epoll_control(void)
{
	fd[0] = eventfd(1, 0);
	other_fd = epoll_create1(0);
	two(adds_to_epoll, epolls);
}

static void *sends_vector(void *a)
{
	struct iovec v = { "abcdefgh", 8 };
	BEFORE;
	must(writev(fd[1], &v, 1) == 8);
	AFTER;
	return a;
}

static void *receives_vector(void *a)
{
	char text[8];
	struct iovec v = { text, 8 };
	must(readv(fd[0], &v, 1) == 8);
	USE;
	return a;
}

static void *sends_by_header(void *a)
{
	struct iovec v = { "abcdefgh", 8 };
	struct msghdr m = { .msg_iov = &v, .msg_iovlen = 1 };
	BEFORE;
	must(sendmsg(fd[1], &m, 0) == 8);
	AFTER;
	return a;
}

static void *receives_by_header(void *a)
{
	char text[8];
	struct iovec v = { text, 8 };
	struct msghdr m = { .msg_iov = &v, .msg_iovlen = 1 };
	must(recvmsg(fd[0], &m, 0) == 8);
	USE;
	return a;
}

static void vectors(void) { must(!pipe(fd)); two(sends_vector, receives_vector); }
static void headers(void) { must(!socketpair(AF_UNIX, SOCK_STREAM, 0, fd)); two(sends_by_header, receives_by_header); }
static void *shuts(void *a) { BEFORE; shutdown(fd[1], SHUT_WR); AFTER; return a; }
static void *sees_end(void *a) { char c; must(read(fd[0], &c, 1) == 0); USE; return a; }
static void shut_down(void) { must(!socketpair(AF_UNIX, SOCK_STREAM, 0, fd)); two(shuts, sees_end); }
static void *closes_copy(void *a) { BEFORE; close(other_fd); AFTER; return a; }
static void closed_copy(void)
{
	must(!pipe(fd));
	other_fd = dup(fd[1]);
	close(fd[1]);
	two(closes_copy, sees_end);
}

static void *events_write(void *a) { BEFORE; eventfd_write(fd[0], 1); AFTER; return a; }
static void *events_read(void *a) { eventfd_t n; eventfd_read(fd[0], &n); USE; return a; }
static void event_functions(void) { fd[0] = eventfd(0, 0); two(events_write, events_read); }

/* A thread that waits in accept gets the connection of another one. */
static void *connects(void *a)
{
	struct sockaddr_storage to;
	socklen_t length = sizeof(to);
	int s = socket(AF_UNIX, SOCK_STREAM, 0);
	must(!getsockname(fd[0], (struct sockaddr *)&to, &length));
	BEFORE;
	must(!connect(s, (struct sockaddr *)&to, length));
	AFTER;
	return a;
}

static void *accepts(void *a) { must(accept(fd[0], NULL, NULL) >= 0); USE; return a; }
static void connection(void)
{
	struct { sa_family_t family; } any = { AF_UNIX };
	fd[0] = socket(AF_UNIX, SOCK_STREAM, 0);
	must(!bind(fd[0], (struct sockaddr *)&any, sizeof(any)) && !listen(fd[0], 1));
	two(connects, accepts);
}

/* ---- streams ---- */

static FILE *in, *out;
static void open_streams(void)
{
	must(!pipe(fd));
	in = fdopen(fd[0], "r");
	out = fdopen(fd[1], "w");
}

static void *prints(void *a) { BEFORE; fprintf(out, "text\n"); fflush(out); AFTER; return a; }
static void *puts_line(void *a) { BEFORE; fputs("text\n", out); fflush(NULL); AFTER; return a; }
static void *writes_and_closes(void *a) { BEFORE; fwrite("text\n", 5, 1, out); fclose(out); AFTER; return a; }
static void *unbuffered(void *a) { setbuf(out, NULL); BEFORE; putc('x', out); AFTER; return a; }
static void *gets_line(void *a) { char line[16]; must(fgets(line, sizeof(line), in)); USE; return a; }
static void *reads_lines(void *a)
{
	char *line = NULL;
	size_t room = 0;
	must(getline(&line, &room, in) == 5);
	USE;
	free(line);
	return a;
}

static void *reads_stream(void *a) { char line[5]; must(fread(line, 5, 1, in)); USE; return a; }
static void *gets_byte(void *a) { must(getc(in) == 'x'); USE; return a; }
static void *scans(void *a) { char word[16]; must(fscanf(in, "%15s", word) == 1); USE; return a; }
static void *prints_to_descriptor(void *a) { BEFORE; dprintf(fd[1], "text\n"); AFTER; return a; }
static void descriptor_print(void) { open_streams(); two(prints_to_descriptor, gets_line); }
/* The lock of a stream; the second thread comes when the first one has released it. */
static void *locks_first(void *a) { flockfile(out); BEFORE; funlockfile(out); AFTER; reach(1); return a; }
static void *locks_second(void *a) { until(1); flockfile(out); USE; funlockfile(out); return a; }
static void *tries_second(void *a) { until(1); must(!ftrylockfile(out)); USE; funlockfile(out); return a; }
static void stream_lock(void) { open_streams(); two(locks_first, locks_second); }
static void stream_try_lock(void) { open_streams(); two(locks_first, tries_second); }
static void stream_print(void) { open_streams(); two(prints, gets_line); }
static void stream_puts(void) { open_streams(); two(puts_line, reads_lines); }
static void stream_close(void) { open_streams(); two(writes_and_closes, reads_stream); }
static void stream_bytes(void) { open_streams(); two(unbuffered, gets_byte); }
static void stream_scan(void) { open_streams(); two(prints, scans); }

/* ---- files ---- */

static void open_twice(void)
{
	const char *name = own_name("/tmp");
	fd[0] = open(name, O_CREAT | O_RDWR, 0600);
	fd[1] = open(name, O_RDWR);
	must(fd[0] >= 0 && fd[1] >= 0);
	unlink(name);
}

static void *writes_in_lock(int (*lock)(int, bool), void *a)
{
	must(!lock(fd[0], true));
	alone.value++;
	reach(1);
	must(!lock(fd[0], false));
	return a;
}

static void *uses_in_lock(int (*lock)(int, bool), void *a)
{
	until(1);
	if (!is_racy)
		must(!lock(fd[1], true));
	USE;
	if (!is_racy)
		must(!lock(fd[1], false));
	return a;
}

static int by_flock(int f, bool is_lock) { return flock(f, is_lock ? LOCK_EX : LOCK_UN); }
static int by_fcntl(int f, bool is_lock)
{
	struct flock l = { .l_type = is_lock ? F_WRLCK : F_UNLCK, .l_whence = SEEK_SET };
	return fcntl(f, F_OFD_SETLKW, &l);
}

static void *flock_writes(void *a) { return writes_in_lock(by_flock, a); }
static void *flock_uses(void *a) { return uses_in_lock(by_flock, a); }
static void *fcntl_writes(void *a) { return writes_in_lock(by_fcntl, a); }
static void *fcntl_uses(void *a) { return uses_in_lock(by_fcntl, a); }
static void file_lock(void) { open_twice(); two(flock_writes, flock_uses); }
static void file_lock_open(void) { open_twice(); two(fcntl_writes, fcntl_uses); }

/* A file that only one can create is a lock. */
static char lock_name[64];
static void *owns_file(void *a)
{
	int f;
	while ((f = open(lock_name, O_CREAT | O_EXCL | O_RDWR, 0600)) < 0)
		sched_yield();
	close(f);
	USE;
	return a;
}

static void *gives_file(void *a) { BEFORE; unlink(lock_name); AFTER; return a; }
static void file_owned(void)
{
	strcpy(lock_name, own_name("/tmp"));
	close(open(lock_name, O_CREAT | O_RDWR, 0600));
	two(gives_file, owns_file);
	unlink(lock_name);
}

static void *renames(void *a)
{
	char from[80];
	snprintf(from, sizeof(from), "%s.new", lock_name);
	close(open(from, O_CREAT | O_RDWR, 0600));
	BEFORE;
	rename(from, lock_name);
	AFTER;
	return a;
}

static void *waits_for_file(void *a)
{
	struct stat s;
	while (stat(lock_name, &s))
		sched_yield();
	USE;
	return a;
}

static void file_renamed(void)
{
	strcpy(lock_name, own_name("/tmp"));
	two(renames, waits_for_file);
	unlink(lock_name);
}

static void *makes_file(void *a)
{
	BEFORE;
	other_fd = open(lock_name, O_CREAT | O_RDWR, 0600);
	AFTER;
	return a;
}

static void *reads_notice(void *a)
{
	char room[512];
	must(read(fd[0], room, sizeof(room)) > 0);
	USE;
	return a;
}

static void file_noticed(void)
{
	char directory[64];
	snprintf(directory, sizeof(directory), "%s.d", own_name("/tmp"));
	must(!mkdir(directory, 0700));
	snprintf(lock_name, sizeof(lock_name), "%.50s/f", directory);
	fd[0] = inotify_init1(0);
	must(inotify_add_watch(fd[0], directory, IN_CREATE) >= 0);
	two(makes_file, reads_notice);
	unlink(lock_name);
	rmdir(directory);
}

/* ---- asynchronous input and output ---- */

static void *writes_later(void *a)
{
	static struct aiocb c;
	const struct aiocb *list[1] = { &c };
	c.aio_fildes = fd[1];
	c.aio_buf = "abcdefgh";
	c.aio_nbytes = 8;
	BEFORE;
	must(!aio_write(&c));
	AFTER;
	while (aio_error(&c) == EINPROGRESS)
		aio_suspend(list, 1, NULL);
	must(aio_return(&c) == 8);
	return a;
}

static void *receives(void *a) { char text[8]; must(read(fd[0], text, 8) == 8); USE; return a; }
static void *reads_later(void *a)
{
	static struct aiocb c;
	static char text[8];
	const struct aiocb *list[1] = { &c };
	c.aio_fildes = fd[0];
	c.aio_buf = text;
	c.aio_nbytes = 8;
	must(!aio_read(&c));
	while (aio_error(&c) == EINPROGRESS)
		aio_suspend(list, 1, NULL);
	must(aio_return(&c) == 8);
	USE;
	return a;
}

static void aio_writer(void) { must(!pipe(fd)); two(writes_later, receives); }
static void aio_reader(void) { must(!pipe(fd)); two(sends, reads_later); }

/* ---- children ---- */

extern char **environ;
static void *forks(void *a)
{
	BEFORE;
	pid_t child = fork();
	if (!child)
		_exit(0);
	AFTER;
	reach(1);
	return a;
}

static void *spawns(void *a)
{
	pid_t child;
	char *argv[] = { "true", NULL };
	BEFORE;
	must(!posix_spawnp(&child, "true", NULL, NULL, argv, environ));
	AFTER;
	reach(1);
	return a;
}

static void *waits_for_child(void *a) { until(1); must(wait(NULL) > 0); USE; return a; }
static void *waits_for_any(void *a) { until(1); must(waitpid(-1, NULL, 0) > 0); USE; return a; }
static void *waits_by_id(void *a) { siginfo_t i; until(1); must(!waitid(P_ALL, 0, &i, WEXITED)); USE; return a; }
static void fork_and_wait(void) { two(forks, waits_for_child); }
static void fork_and_waitpid(void) { two(forks, waits_for_any); }
static void spawn_and_waitid(void) { two(spawns, waits_by_id); }

/* The child has what its parent did, and nothing of it races with the parent's threads. */
static void *uses_in_child(void *a)
{
	pid_t child = fork();
	if (!child) {
		USE;
		alone.value++;
		_exit(0);
	}
	must(waitpid(child, NULL, 0) == child);
	return a;
}

static void child_memory(void)
{
	pthread_t t;
	BEFORE;
	pthread_create(&t, NULL, is_racy ? forks : uses_in_child, NULL);
	if (is_racy)
		alone.value++;
	pthread_join(t, NULL);
}

static void prepare(void) { USE; }
static void *only_forks(void *a) { pid_t child = fork(); if (!child) _exit(0); waitpid(child, NULL, 0); return a; }
static void fork_handler(void)
{
	pthread_t t;
	pthread_atfork(prepare, NULL, NULL);
	BEFORE;
	pthread_create(&t, NULL, only_forks, NULL);
	AFTER;
	pthread_join(t, NULL);
}

/* ---- futexes ---- */

static atomic_int word;
static void *wakes(void *a)
{
	BEFORE;
	atomic_store(&word, 1);
	AFTER;
	syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	return a;
}

static void *sleeps(void *a)
{
	while (!atomic_load(&word))
		syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
	USE;
	return a;
}

static void futex(void) { two(wakes, sleeps); }

/* ---- cancellation and cleanup ---- */

static void cleans(void *a) { (void)a; USE; }
static void *is_cancelled(void *a)
{
	pthread_cleanup_push(cleans, NULL);
	reach(1);
	for (;;)
		pause();
	pthread_cleanup_pop(0);
	return a;
}

static void *cancels(void *a) { until(1); BEFORE; pthread_cancel(target); AFTER; return a; }
static void cancellation(void)
{
	pthread_t t;
	pthread_create(&target, NULL, is_cancelled, NULL);
	pthread_create(&t, NULL, cancels, NULL);
	pthread_join(t, NULL);
	pthread_join(target, NULL);
}

static void writes_at_cleanup(void *a) { (void)a; alone.value++; }
static void *leaves_with_cleanup(void *a)
{
	pthread_cleanup_push(writes_at_cleanup, NULL);
	pthread_exit(a);
	pthread_cleanup_pop(0);
	return a;
}

static void cleanup_and_join(void)
{
	pthread_t t;
	pthread_create(&t, NULL, leaves_with_cleanup, NULL);
	if (is_racy)
		USE;
	pthread_join(t, NULL);
	USE;
}

/* ---- further locks and deadlines ---- */

static pthread_mutex_t mutex;
static pthread_cond_t cond;
static bool is_ready;
static struct timespec far_away_by(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	t.tv_sec += 1000;
	return t;
}

static void *dies_with_lock(void *a) { pthread_mutex_lock(&mutex); BEFORE; return a; }
static void *inherits(void *a)
{
	int rc = pthread_mutex_lock(&mutex);
	if (rc == EOWNERDEAD)
		pthread_mutex_consistent(&mutex);
	USE;
	pthread_mutex_unlock(&mutex);
	return a;
}

static void owner_dead(void)
{
	pthread_mutexattr_t attr;
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&mutex, &attr);
	pthread_t t, u;
	pthread_create(&t, NULL, dies_with_lock, NULL);
	pthread_create(&u, NULL, inherits, NULL);
	AFTER;
	pthread_join(t, NULL);
	pthread_join(u, NULL);
}

static void *signals(void *a)
{
	BEFORE;
	pthread_mutex_lock(&mutex);
	is_ready = true;
	pthread_cond_signal(&cond);
	pthread_mutex_unlock(&mutex);
	AFTER;
	return a;
}

static void *waits_by_clock(void *a)
{
	struct timespec end = far_away_by(CLOCK_MONOTONIC);
	pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &end);
	while (!is_ready)
		pthread_cond_clockwait(&cond, &mutex, CLOCK_MONOTONIC, &end);
	pthread_mutex_unlock(&mutex);
	USE;
	return a;
}

static void clock_deadlines(void)
{
	pthread_mutex_init(&mutex, NULL);
	pthread_cond_init(&cond, NULL);
	two(signals, waits_by_clock);
}

static sem_t sem;
static void *posts(void *a) { BEFORE; sem_post(&sem); AFTER; return a; }
static void *sem_by_clock(void *a)
{
	struct timespec end = far_away_by(CLOCK_MONOTONIC);
	must(!sem_clockwait(&sem, CLOCK_MONOTONIC, &end));
	USE;
	return a;
}

static void semaphore_clock(void) { two(posts, sem_by_clock); }

static void *writer(void *a) { alone.value++; return a; }
static void join_clock(void)
{
	struct timespec end = far_away_by(CLOCK_MONOTONIC);
	pthread_t t;
	pthread_create(&t, NULL, writer, NULL);
	if (is_racy)
		USE;
	must(!pthread_clockjoin_np(t, NULL, CLOCK_MONOTONIC, &end));
	USE;
}

static const struct order all[] = {
	{ "signalfd", signal_descriptor }, { "tgkill", signal_by_system_call },
	{ "sigsuspend", signal_suspended }, { "timer-sigwait", timer_waited_for },
	{ "timer-handler", timer_handled }, { "timer-thread", timer_thread }, { "setitimer", interval_timer },
	{ "timerfd", timer_descriptor }, { "mq", message_queue }, { "mq-notify", message_notified },
	{ "msgsnd", message_queue_v }, { "semop", semaphore_v }, { "poll", poll_pipe },
	{ "ppoll", ppoll_pipe }, { "select", select_pipe }, { "pselect", pselect_pipe },
	{ "epoll", epoll_pipe }, { "epoll-ctl", epoll_control }, { "writev", vectors }, { "sendmsg", headers },
	{ "shutdown", shut_down }, { "dup-close", closed_copy }, { "eventfd-functions", event_functions },
	{ "connect", connection }, { "dprintf", descriptor_print },
	{ "flockfile", stream_lock }, { "ftrylockfile", stream_try_lock }, { "fprintf", stream_print }, { "fputs", stream_puts },
	{ "fclose", stream_close }, { "putc", stream_bytes }, { "fscanf", stream_scan },
	{ "flock", file_lock }, { "fcntl-lock", file_lock_open }, { "file-exclusive", file_owned },
	{ "file-renamed", file_renamed }, { "inotify", file_noticed }, { "aio-write", aio_writer },
	{ "aio-read", aio_reader }, { "fork-wait", fork_and_wait }, { "fork-waitpid", fork_and_waitpid },
	{ "spawn-waitid", spawn_and_waitid }, { "fork-memory", child_memory }, { "atfork", fork_handler },
	{ "futex", futex }, { "cancel", cancellation }, { "cleanup", cleanup_and_join },
	{ "owner-dead", owner_dead }, { "cond-clock", clock_deadlines }, { "sem-clock", semaphore_clock },
	{ "join-clock", join_clock },
};

int main(int argc, char **argv)
{
	sem_init(&sem, 0, 0);
	return run_order(all, sizeof(all) / sizeof(*all), argc, argv);
}
