/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The process ends while another thread is alive.
 *
 *   leave late       the thread makes its access when main has returned
 *   leave blocked    it waits for ever, for a semaphore
 *   leave reading    it waits for ever, for a pipe
 *   leave spinning   it never ends
 *   leave exit       another thread than the main one ends the process
 *   leave last       the main thread leaves by pthread_exit, another thread, which joins it, ends the process
 *   leave race       the same, with a race after that
 */
#include "../programs/turns.h"
#include <semaphore.h>
#include <string.h>

static int value;
static sem_t never;
static int fd[2];
static const char *mode;

static void left(void)
{
	done(1);
}

static void *thread(void *a)
{
	char byte;
	if (!strcmp(mode, "late") || !strcmp(mode, "exit"))
		turn(1);
	if (!strcmp(mode, "blocked"))
		sem_wait(&never);
	if (!strcmp(mode, "reading") && read(fd[0], &byte, 1) < 0)
		return NULL;
	while (!strcmp(mode, "spinning"))
		turn(0);
	value++;
	return a;
}

static void *ender(void *a)
{
	value++;
	exit(0);
	return a;
}

static pthread_t first;

static void *joins_first(void *a)
{
	pthread_join(first, NULL);
	exit(7);
	return a;
}

static void *racer(void *a)
{
	value++;
	return a;
}

static void *joins_first_and_races(void *a)
{
	pthread_t t;
	pthread_join(first, NULL);
	pthread_create(&t, NULL, racer, NULL);
	value++;
	pthread_join(t, NULL);
	return a;
}

static void leave_main(void)
{
	pthread_t t;
	first = pthread_self();
	pthread_create(&t, NULL, !strcmp(mode, "last") ? joins_first : joins_first_and_races, NULL);
	pthread_exit(NULL);
}

int main(int argc, char **argv)
{
	pthread_t t, e;
	if (argc != 2 || pipe(fd))
		return 9;
	mode = argv[1];
	if (!strcmp(mode, "last") || !strcmp(mode, "race"))
		leave_main();
	sem_init(&never, 0, 0);
	pthread_create(&t, NULL, thread, NULL);
	atexit(left);	/* runs before the wait, which the creation has registered */
	if (!strcmp(mode, "exit")) {
		pthread_create(&e, NULL, ender, NULL);
		pthread_join(t, NULL);
	}
	value++;
	return 7;
}
