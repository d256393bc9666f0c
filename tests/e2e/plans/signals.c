/* SPDX-License-Identifier: Apache-2.0 */
/* Signals between threads: where handlers run, what sigwait and sigsuspend get, and what waits for them. */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t handled;
static atomic_int a, b, c, seen;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_t target;
static sem_t free_places;
static int ends[2];

static void on_signal(int number)
{
	(void)number;
	handled++;
#ifdef FAILS
	assert(a != 1);
#endif
#ifdef BETWEEN
	b = 1;
#else
	seen = a * 10 + b;
#endif
}

static sigset_t set_of(int number)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, number);
	return set;
}

static void *receive(void *unused)
{
	(void)unused;
	sigset_t set = set_of(SIGUSR1);
	int number = 0;
	(void)set, (void)number;
#if defined(STEPS)
	a = 1;
	b = 1;
	a = 2;
#elif defined(LATER) || defined(PROCESS)
	a = 1;
#elif defined(FAILS)
	a = 1;
	a = 2;
#elif defined(BUFFERED)		/* the exchange waits until the store has left the buffer */
	atomic_store_explicit(&a, 1, memory_order_relaxed);
	atomic_exchange(&b, 1);
#elif defined(PIPE)
	char byte;
	a = (int)read(ends[0], &byte, 1);
#elif defined(BETWEEN)	/* another thread comes between the handler and what it interrupted */
	a = 1;
	seen = c;
#elif defined(SPINS)
	a = 1;
	while (!handled)
		;
	b = 1;
#elif defined(LOCKED)
	a = 1;
	pthread_mutex_lock(&lock);
	b++;
	pthread_mutex_unlock(&lock);
#elif defined(MASKED)
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	a = 1;
	sigset_t waiting;
	sigpending(&waiting);
	b = sigismember(&waiting, SIGUSR1) + 1;
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	a = 2;
#elif defined(SUSPENDED)
	sigset_t none;
	sigemptyset(&none);
	a = 1;
	while (!handled)
		sigsuspend(&none);
	b = 1;
#elif defined(WAITS)
	sigaddset(&set, SIGUSR2);
	sigwait(&set, &number);
	seen = number == SIGUSR1 ? 1 : 2;
	sigwait(&set, &number);
	seen = seen * 10 + (number == SIGUSR1 ? 1 : 2);
#elif defined(SEMAPHORE)
	a = sem_wait(&free_places) ? 2 : 1;
#endif
	return NULL;
}

static void *other(void *unused)
{
	(void)unused;
#if defined(BETWEEN)
	if (b)
		c = 1;
#elif defined(LOCKED)
	pthread_mutex_lock(&lock);
	b++;
	pthread_mutex_unlock(&lock);
#elif defined(SEMAPHORE)
	sem_post(&free_places);
#elif defined(PIPE)
	write(ends[1], "x", 1);
#elif defined(WAITS)
	pthread_kill(target, SIGUSR2);
#endif
	return NULL;
}

int main(void)
{
	struct sigaction action = { .sa_handler = on_signal };
	pthread_t second;
	sigset_t set = set_of(SIGUSR1);
	(void)set;
#if defined(SUSPENDED) || defined(WAITS)
	sigaddset(&set, SIGUSR2);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
#endif
	sem_init(&free_places, 0, 0);
#ifdef PIPE
	if (pipe(ends))
		return 1;
#endif
	sigaction(SIGUSR1, &action, NULL);
	pthread_create(&target, NULL, receive, NULL);
#if defined(BETWEEN) || defined(LOCKED) || defined(SEMAPHORE) || defined(WAITS) || defined(PIPE)
	pthread_create(&second, NULL, other, NULL);
#endif
#ifdef BETWEEN
	pthread_kill(target, SIGURG);	/* ignored, but it shows at once that signals are sent */
#endif
#if defined(BETWEEN) || defined(LATER)
	if (a)
#endif
#ifdef PROCESS
		kill(getpid(), SIGUSR1);
#else
		pthread_kill(target, SIGUSR1);
#endif
#if defined(BETWEEN) || defined(LOCKED) || defined(SEMAPHORE) || defined(WAITS) || defined(PIPE)
	pthread_join(second, NULL);
#endif
	pthread_join(target, NULL);
	char text[32];
	snprintf(text, sizeof(text), "%d %d %d\n", (int)handled, (int)a, (int)seen);
	write(1, text, strlen(text));
	return 0;
}
