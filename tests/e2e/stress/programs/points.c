// A thread is cancelled in every function that POSIX calls a cancellation point and that can block or be tried here.
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int ends[2], full[2], pair[2];
static sem_t semaphore;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_t main_thread;
static atomic_int about;
static int cleaned;

static struct timespec late(void)
{
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_sec += 1000;
	return t;
}

static void unlock(void *unused)
{
	(void)unused;
	pthread_mutex_unlock(&mutex);
}

#define POINT(name, ...) static void p_##name(void) { static char b[4096]; struct iovec v = { b, sizeof(b) }; (void)b; (void)v; __VA_ARGS__; }
POINT(read, read(ends[0], b, 1))
POINT(readv, readv(ends[0], &v, 1))
POINT(write, write(full[1], b, sizeof(b)))
POINT(writev, writev(full[1], &v, 1))
POINT(recv, recv(pair[0], b, 1, 0))
POINT(poll, struct pollfd p = { ends[0], POLLIN, 0 }; poll(&p, 1, -1))
POINT(select, fd_set s; FD_ZERO(&s); FD_SET(ends[0], &s); select(ends[0] + 1, &s, NULL, NULL, NULL))
POINT(open, close(open("/dev/null", O_RDONLY)))
POINT(fsync, fsync(ends[0]))
POINT(sleep, sleep(1000))
POINT(usleep, usleep(900000))
POINT(nanosleep, struct timespec t = { 1000, 0 }; nanosleep(&t, NULL))
POINT(clock_nanosleep, struct timespec t = late(); clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &t, NULL))
POINT(sem_wait, sem_wait(&semaphore))
POINT(sem_timedwait, struct timespec t = late(); sem_timedwait(&semaphore, &t))
POINT(join, pthread_join(main_thread, NULL))
POINT(sigwait, sigset_t s; int n; sigemptyset(&s); sigaddset(&s, SIGUSR1); sigwait(&s, &n))
POINT(pause, pause())
POINT(sigsuspend, sigset_t s; sigemptyset(&s); sigsuspend(&s))
POINT(testcancel, pthread_testcancel())
POINT(waitpid, waitpid(-1, NULL, 0); pthread_testcancel())
POINT(cond_wait, pthread_mutex_lock(&mutex); pthread_cleanup_push(unlock, NULL);
	pthread_cond_wait(&cond, &mutex); pthread_cleanup_pop(1))
POINT(cond_timedwait, struct timespec t = late(); pthread_mutex_lock(&mutex); pthread_cleanup_push(unlock, NULL);
	pthread_cond_timedwait(&cond, &mutex, &t); pthread_cleanup_pop(1))

static const struct { const char *name; void (*call)(void); } points[] = {
#define ROW(name) { #name, p_##name },
	ROW(read) ROW(readv) ROW(write) ROW(writev) ROW(recv) ROW(poll) ROW(select) ROW(open) ROW(fsync) ROW(sleep)
	ROW(usleep) ROW(nanosleep) ROW(clock_nanosleep) ROW(sem_wait) ROW(sem_timedwait) ROW(join) ROW(sigwait) ROW(pause)
	ROW(sigsuspend) ROW(testcancel) ROW(waitpid) ROW(cond_wait) ROW(cond_timedwait)
};

static void count(void *unused)
{
	(void)unused;
	cleaned++;
}

static void *body(void *call)
{
	pthread_cleanup_push(count, NULL);
	atomic_store(&about, 1);
	for (;;)
		((void (*)(void))call)();
	pthread_cleanup_pop(0);
	return NULL;
}

int main(void)
{
	char room[4096] = { 0 };
	main_thread = pthread_self();
	if (pipe(ends) || pipe(full) || socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
		return 1;
	fcntl(full[1], F_SETFL, O_NONBLOCK);
	while (write(full[1], room, sizeof(room)) > 0)
		;
	fcntl(full[1], F_SETFL, 0);
	sem_init(&semaphore, 0, 0);
	for (unsigned i = 0; i < sizeof(points) / sizeof(*points); i++) {
		pthread_t t;
		void *result = NULL;
		atomic_store(&about, 0);
		cleaned = 0;
		pthread_create(&t, NULL, body, (void *)points[i].call);
		while (!atomic_load(&about))
			sched_yield();
		pthread_cancel(t);
		pthread_join(t, &result);
		printf("%s %d %d %d\n", points[i].name, result == PTHREAD_CANCELED, cleaned, pthread_mutex_trylock(&mutex));
		pthread_mutex_unlock(&mutex);
	}
	return 0;
}
