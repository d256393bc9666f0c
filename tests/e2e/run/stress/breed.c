/* SPDX-License-Identifier: Apache-2.0 */
// Children of a process whose threads begin and end all the time; each child has a race of its own that must be found: a
// read and a write of one thread, after the write of another.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#define THREADS 3
static atomic_int over;
static int racy;
static void *count_up(void *n) { ++*(int *)n; return n; }
static void *nothing(void *a) { return a; }
static void *breed(void *a)
{
	static int counts[THREADS];
	int *count = &counts[*(int *)a];	// of a thread that was joined, whose number is soon another one's
	while (!over) {
		pthread_t t[2];
		pthread_create(&t[0], NULL, nothing, NULL);
		pthread_create(&t[1], NULL, count_up, count);
		pthread_detach(t[0]);
		pthread_join(t[1], NULL);
		++*count;
	}
	return a;
}
static void *race(void *late)
{
	if (late)
		usleep(2000);
	racy++;
	return NULL;
}
int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 40;
	pthread_t t[THREADS], u[2];
	static int number[THREADS] = { 0, 1, 2 };
	for (int i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, breed, &number[i]);
	for (int i = 0; i < n; i++) {
		pid_t pid = fork();
		if (!pid) {
			for (int k = 0; k < 2; k++)
				pthread_create(&u[k], NULL, race, k ? &racy : NULL);
			for (int k = 0; k < 2; k++)
				pthread_join(u[k], NULL);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
	}
	over = 1;
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	printf("%d children\n", n);
	return 0;
}
