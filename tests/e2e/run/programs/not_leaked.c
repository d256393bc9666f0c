// expect:
// Threads that are not joined when main returns, and no leaks: detached by attribute, by their creator, by themselves at once,
// joined by a destructor, still waiting, left behind in a child that has none of them, and threads that could not be created.
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static sem_t ended, never;
static pthread_t last;
static void *work(void *a)
{
	sem_post(&ended);
	return a;
}
static void *alone(void *a)
{
	pthread_detach(pthread_self());
	sem_post(&ended);
	return a;
}
static void *forever(void *a)
{
	sem_wait(&never);
	return a;
}
static void join_last(void)
{
	pthread_join(last, 0);
}
__attribute__((constructor)) static void early(void)
{
	atexit(join_last);
}
int main(void)
{
	pthread_attr_t detached;
	pthread_t t[4];
	sem_init(&ended, 0, 0);
	sem_init(&never, 0, 0);
	pthread_create(&t[0], 0, work, 0);
	sem_wait(&ended);
	pid_t child = fork();
	if (!child)
		return 0;
	waitpid(child, 0, 0);
	pthread_join(t[0], 0);
	pthread_attr_init(&detached);
	pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
	pthread_create(&t[0], &detached, work, 0);
	pthread_create(&t[1], 0, work, 0);
	pthread_detach(t[1]);
	for (int i = 0; i < 40; i++)
		pthread_create(&t[2], 0, alone, 0);
	pthread_create(&last, 0, work, 0);
	pthread_create(&t[3], 0, forever, 0);
	for (int i = 0; i < 43; i++)
		sem_wait(&ended);
	return 0;
}
