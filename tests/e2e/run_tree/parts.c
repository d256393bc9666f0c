/* SPDX-License-Identifier: Apache-2.0 */
/* A program with a race, which does one thing more, as its first argument says:
 *   status N      ends with status N               clean N       the same, without the race
 *   abort         aborts
 *   killed        kills itself by SIGUSR1
 *   exec PROG...  closes all descriptors and executes that
 *   daemon FIFO   becomes a daemon; races when it has read from the FIFO, or ends on SIGTERM
 *   term          waits for SIGTERM and ends with status 9
 *   leave         prints its number; main ends by pthread_exit, and another thread waits for ever
 */
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <fcntl.h>

static int value, turn;

/* One after the other, by an atomic variable that orders nothing. */
static void *add(void *a)
{
	while (__atomic_load_n(&turn, __ATOMIC_RELAXED) != (a != NULL))
		;
	value++;
	__atomic_store_n(&turn, 1, __ATOMIC_RELAXED);
	return a;
}

static sem_t never;

static void *wait_for_ever(void *a)
{
	printf("process %d\n", (int)getpid());
	fflush(stdout);
	sem_wait(&never);
	return a;
}

static void race(void)
{
	pthread_t t, u;
	pthread_create(&t, NULL, add, NULL);
	pthread_create(&u, NULL, add, &value);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	char byte;
	if (!strcmp(what, "exec")) {
		for (int fd = 3; fd < 4096; fd++)
			close(fd);
		execv(argv[2], argv + 2);
		return 99;
	}
	if (!strcmp(what, "term")) {
		sigset_t set;
		int number;
		sigemptyset(&set);
		sigaddset(&set, SIGTERM);
		sigprocmask(SIG_BLOCK, &set, NULL);
		puts("ready");
		fflush(stdout);
		sigwait(&set, &number);
		return 9;
	}
	if (!strcmp(what, "leave")) {
		pthread_t t;
		sem_init(&never, 0, 0);
		pthread_create(&t, NULL, wait_for_ever, NULL);
		pthread_exit(NULL);
	}
	if (!strcmp(what, "daemon")) {
		if (daemon(1, 1))
			return 98;
		int fd = open(argv[2], O_RDONLY);
		if (read(fd, &byte, 1) < 0)
			return 97;
	}
	if (!strcmp(what, "abort"))
		abort();
	if (!strcmp(what, "killed"))
		kill(getpid(), SIGUSR1);
	if (strcmp(what, "clean"))
		race();
	return argc > 2 ? atoi(argv[2]) : 0;
}
