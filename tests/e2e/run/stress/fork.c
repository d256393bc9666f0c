// SPDX-License-Identifier: Apache-2.0
// A child of a single-threaded process has a race of its own; one of a process with threads runs to its end.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static int racy;
static void *race(void *a) { racy++; return a; }
static void *quiet(void *a) { free(malloc(100)); return a; }
static void two(void *(*f)(void *))
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, f, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
}
int main(void)
{
	int status, sum = 0;
	if (!fork()) {
		two(race);
		_exit(3);
	}
	wait(&status);
	sum += WEXITSTATUS(status);
	two(quiet);
	if (!fork()) {
		free(malloc(1000));
		two(quiet);
		_exit(4);
	}
	wait(&status);
	sum += WEXITSTATUS(status);
	printf("%d\n", sum);
	return 0;
}
