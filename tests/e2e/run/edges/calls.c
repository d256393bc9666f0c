/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Further calls by which threads hand over through the kernel: the families of send and receive, moves within the kernel,
 * functions with fortification and without locks, files and locks on them, and other processes that pass something on.
 * Used like orders.c.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <fcntl.h>
#include <linux/futex.h>
#include <mqueue.h>
#include <poll.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "orders.h"

/* What compilers call in programs that are built with _FORTIFY_SOURCE. */
ssize_t __read_chk(int fd, void *to, size_t n, size_t room);
ssize_t __recv_chk(int fd, void *to, size_t n, size_t room, int flags);
int __poll_chk(struct pollfd *list, nfds_t n, int end, size_t room);
char *__fgets_chk(char *to, size_t room, int n, FILE *stream);
size_t __fread_chk(void *to, size_t room, size_t size, size_t n, FILE *stream);
int __fprintf_chk(FILE *stream, int flag, const char *format, ...);

static void must(bool is_well)
{
	if (!is_well)
		exit(9);
}

/* A pair of threads in which the first one gives by A and the second one takes by B, statements both. */
#define PAIR(name, prepare, give, take) \
	static void *name##_gives(void *arg) { BEFORE; give; AFTER; return arg; } \
	static void *name##_takes(void *arg) { take; USE; return arg; } \
	static void try_##name(void) { prepare; two(name##_gives, name##_takes); }

static int fd[2], more[2], file, identity;
static char bytes[8] = "abcdefg", room[8];
static struct iovec out = { bytes, 8 }, in = { room, 8 };
#define PIPE must(!pipe(fd))
#define STREAM must(!socketpair(AF_UNIX, SOCK_STREAM, 0, fd))
#define DATAGRAM must(!socketpair(AF_UNIX, SOCK_DGRAM, 0, fd))

static void open_file(void)
{
	char name[] = "/tmp/heddle-calls-XXXXXX";
	file = mkstemp(name);
	must(file >= 0 && !unlink(name));
}

/* ---- sockets ---- */

static struct mmsghdr to_send = { .msg_hdr = { .msg_iov = &out, .msg_iovlen = 1 } };
static struct mmsghdr to_receive = { .msg_hdr = { .msg_iov = &in, .msg_iovlen = 1 } };
PAIR(send, STREAM, must(send(fd[1], bytes, 8, 0) == 8), must(recv(fd[0], room, 8, 0) == 8))
PAIR(sendto, DATAGRAM, must(sendto(fd[1], bytes, 8, 0, NULL, 0) == 8), must(recvfrom(fd[0], room, 8, 0, NULL, NULL) == 8))
PAIR(sendmmsg, DATAGRAM, must(sendmmsg(fd[1], &to_send, 1, 0) == 1), must(recvmmsg(fd[0], &to_receive, 1, 0, NULL) == 1))
PAIR(mixed_families, STREAM, must(write(fd[1], bytes, 8) == 8), must(recvfrom(fd[0], room, 8, 0, NULL, NULL) == 8))
PAIR(peeked, STREAM, must(send(fd[1], bytes, 8, 0) == 8), must(recv(fd[0], room, 8, MSG_PEEK) > 0))

/* A descriptor that is sent is the message. */
static void send_descriptor(void)
{
	char space[CMSG_SPACE(sizeof(int))] = { 0 };
	struct msghdr m = { .msg_iov = &out, .msg_iovlen = 1, .msg_control = space, .msg_controllen = sizeof(space) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);
	c->cmsg_level = SOL_SOCKET, c->cmsg_type = SCM_RIGHTS, c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &fd[0], sizeof(int));
	must(sendmsg(fd[1], &m, 0) == 8);
}
static void receive_descriptor(void)
{
	char space[CMSG_SPACE(sizeof(int))];
	struct msghdr m = { .msg_iov = &in, .msg_iovlen = 1, .msg_control = space, .msg_controllen = sizeof(space) };
	must(recvmsg(fd[0], &m, 0) == 8);
}
PAIR(rights, STREAM, send_descriptor(), receive_descriptor())

/* ---- within the kernel ---- */

PAIR(vmsplice, PIPE, must(vmsplice(fd[1], &out, 1, 0) == 8), must(read(fd[0], room, 8) == 8))
PAIR(splice_out, PIPE; open_file(); must(write(file, bytes, 8) == 8), must(splice(file, &(off64_t){ 0 }, fd[1], NULL, 8, 0) == 8),
     must(read(fd[0], room, 8) == 8))
PAIR(sendfile, STREAM; open_file(); must(write(file, bytes, 8) == 8), must(sendfile(fd[1], file, &(off_t){ 0 }, 8) == 8),
     must(read(fd[0], room, 8) == 8))
/* A third thread moves what it does not see, and may wait for it in the call. */
static void *splices(void *arg) { must(splice(fd[0], NULL, more[1], NULL, 8, 0) == 8); return arg; }
static void *tees(void *arg) { must(tee(fd[0], more[1], 8, 0) == 8); return arg; }
static void begin(void *(*f)(void *))
{
	pthread_t t;
	PIPE;
	must(!pipe(more));
	pthread_create(&t, NULL, f, NULL);
	pthread_detach(t);
}
PAIR(splice_between, begin(splices), must(write(fd[1], bytes, 8) == 8), must(read(more[0], room, 8) == 8))
PAIR(tee, begin(tees), must(write(fd[1], bytes, 8) == 8), must(read(more[0], room, 8) == 8))

/* ---- other names of the same ---- */

PAIR(read_chk, PIPE, must(write(fd[1], bytes, 8) == 8), must(__read_chk(fd[0], room, 8, 8) == 8))
PAIR(recv_chk, STREAM, must(send(fd[1], bytes, 8, 0) == 8), must(__recv_chk(fd[0], room, 8, 8, 0) == 8))
PAIR(poll_chk, PIPE, must(write(fd[1], bytes, 8) == 8),
     must(__poll_chk(&(struct pollfd){ fd[0], POLLIN, 0 }, 1, -1, sizeof(struct pollfd)) == 1))
PAIR(pwrite64, open_file(), must(pwrite64(file, bytes, 8, 0) == 8), while (pread64(file, room, 8, 0) != 8) sched_yield())
PAIR(pwritev2, open_file(), must(pwritev2(file, &out, 1, 0, 0) == 8), while (preadv2(file, &in, 1, 0, 0) != 8) sched_yield())
static FILE *from, *to;
#define STREAMS (PIPE, from = fdopen(fd[0], "r"), to = fdopen(fd[1], "w"))
PAIR(fprintf_chk, STREAMS, __fprintf_chk(to, 1, "%s\n", "text"); fflush(to), must(__fgets_chk(room, 8, 8, from)))
PAIR(unlocked, STREAMS, fwrite_unlocked(bytes, 8, 1, to); fflush_unlocked(to), must(fread_unlocked(room, 8, 1, from)))
PAIR(putc_unlocked, STREAMS; setbuf(to, NULL), putc_unlocked('x', to), must(getc_unlocked(from) == 'x'))
PAIR(fread_chk, STREAMS, fputs_unlocked("abcdefgh", to); fflush(to), must(__fread_chk(room, 8, 8, 1, from)))

PAIR(by_number, PIPE, must(syscall(SYS_write, fd[1], bytes, 8) == 8), must(syscall(SYS_read, fd[0], room, 8) == 8))
PAIR(by_number_socket, STREAM, must(syscall(SYS_sendto, fd[1], bytes, 8, 0, NULL, 0) == 8),
     must(syscall(SYS_recvfrom, fd[0], room, 8, 0, NULL, NULL) == 8))

/* ---- events, queues and signals ---- */

static const uint64_t one = 1;
static uint64_t count;
PAIR(eventfd, fd[0] = eventfd(0, 0), must(write(fd[0], &one, 8) == 8), must(read(fd[0], &count, 8) == 8))
static mqd_t queue;
static void open_queue(void)
{
	struct mq_attr attr = { .mq_maxmsg = 4, .mq_msgsize = 64 };
	char name[64];
	snprintf(name, sizeof(name), "/heddle-calls-%d", (int)getpid());
	queue = mq_open(name, O_CREAT | O_RDWR, 0600, &attr);
	must(queue >= 0 && !mq_unlink(name));
}
static char long_room[64];
static struct timespec end;
#define SOON (end = far_away(), &end)
PAIR(mq_timed, open_queue(), must(!mq_timedsend(queue, bytes, 8, 0, &(struct timespec){ 9999999999, 0 })),
     must(mq_timedreceive(queue, long_room, 64, NULL, SOON) == 8))
static sigset_t set;
static void block(void)
{
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
}
static int number;
PAIR(sigqueue_wait, block(), must(!sigqueue(getpid(), SIGUSR1, (union sigval){ 0 })), must(!sigwait(&set, &number)))
PAIR(kill_timedwait, block(), must(!kill(getpid(), SIGUSR1)), must(sigtimedwait(&set, NULL, &(struct timespec){ 1000, 0 }) == SIGUSR1))

/* ---- locks on files, held for one pair of lines ---- */

static bool by_lockf(int f, bool is_lock) { return !lockf(f, is_lock ? F_LOCK : F_ULOCK, 0); }
static bool by_lockf64(int f, bool is_lock) { return !lockf64(f, is_lock ? F_LOCK : F_ULOCK, 0); }
static bool by_description(int f, bool is_lock)
{
	struct flock l = { .l_type = is_lock ? F_WRLCK : F_UNLCK };
	return !fcntl(f, F_OFD_SETLKW, &l);
}

/* Locks of processes do not exclude threads, so the second one comes when the first one has unlocked. */
static volatile int stage;
static __attribute__((noinline, no_sanitize("thread"))) void reach(int n) { stage = n; }
static __attribute__((noinline, no_sanitize("thread"))) void until(int n)
{
	while (stage < n)
		sched_yield();
}
#define LOCKED(name) \
	PAIR(name, open_file(), must(by_##name(file, true) && by_##name(file, false)); reach(1), \
	     until(1); must(by_##name(file, true) && by_##name(file, false)))
LOCKED(lockf)
LOCKED(lockf64)
LOCKED(description)

/* ---- memory that processes share ---- */

static struct shared {
	atomic_int word;
	sem_t sem, answer;
	pthread_mutex_t mutex;
	pthread_cond_t cond;
	int is_there;
} *shared;
static void share(void)
{
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	must(shared != MAP_FAILED);
	pthread_mutexattr_t m;
	pthread_condattr_t c;
	pthread_mutexattr_init(&m), pthread_mutexattr_setpshared(&m, PTHREAD_PROCESS_SHARED);
	pthread_condattr_init(&c), pthread_condattr_setpshared(&c, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(&shared->mutex, &m);
	pthread_cond_init(&shared->cond, &c);
	sem_init(&shared->sem, 1, 0);
	sem_init(&shared->answer, 1, 0);
}
static void announce(void)
{
	pthread_mutex_lock(&shared->mutex);
	shared->is_there = 1;
	pthread_cond_signal(&shared->cond);
	pthread_mutex_unlock(&shared->mutex);
}
static void await(void)
{
	pthread_mutex_lock(&shared->mutex);
	while (!shared->is_there)
		pthread_cond_wait(&shared->cond, &shared->mutex);
	pthread_mutex_unlock(&shared->mutex);
}
PAIR(shared_mutex, share(), announce(), await())
PAIR(shared_semaphore, share(), must(!sem_post(&shared->sem)), must(!sem_wait(&shared->sem)))
PAIR(shared_futex, share(), atomic_store(&shared->word, 1); syscall(SYS_futex, &shared->word, FUTEX_WAKE, 1, NULL, NULL, 0),
     while (!atomic_load(&shared->word)) syscall(SYS_futex, &shared->word, FUTEX_WAIT, 0, NULL, NULL, 0))

/* ---- another process passes it on: by PASS it takes from one and gives to another thing ---- */

#define THROUGH_CHILD(name, prepare, pass, give, take) \
	static void name##_prepares(void) \
	{ \
		prepare; \
		pid_t child = fork(); \
		must(child >= 0); \
		if (!child) { \
			pass; \
			_exit(0); \
		} \
	} \
	PAIR(name, name##_prepares(), give, take)
THROUGH_CHILD(child_pipes, PIPE; must(!pipe(more)), must(read(fd[0], room, 8) == 8 && write(more[1], room, 8) == 8),
	      must(write(fd[1], bytes, 8) == 8), must(read(more[0], room, 8) == 8))
THROUGH_CHILD(child_poll, PIPE; must(!pipe(more)), must(read(fd[0], room, 8) == 8 && write(more[1], room, 8) == 8),
	      must(write(fd[1], bytes, 8) == 8), must(poll(&(struct pollfd){ more[0], POLLIN, 0 }, 1, -1) == 1))
THROUGH_CHILD(child_sockets, STREAM, must(read(fd[0], room, 8) == 8 && write(fd[0], room, 8) == 8),
	      must(write(fd[1], bytes, 8) == 8), must(read(fd[1], room, 8) == 8))
THROUGH_CHILD(child_semaphores, share(), sem_wait(&shared->sem); sem_post(&shared->answer), must(!sem_post(&shared->sem)),
	      must(!sem_wait(&shared->answer)))
THROUGH_CHILD(child_mixed, share(); PIPE, sem_wait(&shared->sem); must(write(fd[1], bytes, 8) == 8),
	      must(!sem_post(&shared->sem)), must(read(fd[0], room, 8) == 8))

/* System V: the child adds one to the second semaphore when the first one has one. */
static int change(short which, short by) { return semop(identity, &(struct sembuf){ (unsigned short)which, by, 0 }, 1); }
static void make_set(void) { identity = semget(IPC_PRIVATE, 2, 0600); must(identity >= 0); }
THROUGH_CHILD(child_semop, make_set(), must(!change(0, -1) && !change(1, 1)), must(!change(0, 1)),
	      must(!change(1, -1)); semctl(identity, 0, IPC_RMID))

static const struct order all[] = {
#define ROW(name) { #name, try_##name }
	ROW(send), ROW(sendto), ROW(sendmmsg), ROW(mixed_families), ROW(peeked), ROW(rights), ROW(vmsplice), ROW(splice_out),
	ROW(sendfile), ROW(splice_between), ROW(tee), ROW(by_number), ROW(by_number_socket), ROW(read_chk), ROW(recv_chk), ROW(poll_chk), ROW(pwrite64), ROW(pwritev2),
	ROW(fprintf_chk), ROW(unlocked), ROW(putc_unlocked), ROW(fread_chk), ROW(eventfd), ROW(mq_timed), ROW(sigqueue_wait),
	ROW(kill_timedwait), ROW(lockf), ROW(lockf64), ROW(description), ROW(shared_mutex), ROW(shared_semaphore),
	ROW(shared_futex), ROW(child_pipes), ROW(child_poll), ROW(child_sockets), ROW(child_semaphores), ROW(child_mixed),
	ROW(child_semop),
};

int main(int argc, char **argv)
{
	return run_order(all, sizeof(all) / sizeof(*all), argc, argv);
}
