// fork while other threads run and hold locks: handlers run, the child has one thread, a heap, threads of its own.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int shared, prepared, after;

static void prepare(void)
{
	pthread_mutex_lock(&mutex);
	prepared++;
}

static void release(void)
{
	after++;
	pthread_mutex_unlock(&mutex);
}

static void *count(void *unused)
{
	for (int i = 0; i < 100; i++) {
		pthread_mutex_lock(&mutex);
		shared++;
		pthread_mutex_unlock(&mutex);
	}
	return unused;
}

static void *in_child(void *text)
{
	char *copy = strdup(text);
	size_t n = strlen(copy);
	free(copy);
	return (void *)n;
}

static int child(char *inherited)
{
	pthread_t t[3];
	long total = 0;
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, in_child, inherited);
	for (int i = 0; i < 3; i++) {
		void *n;
		pthread_join(t[i], &n);
		total += (long)n;
	}
	inherited = realloc(inherited, 100000);
	total += (long)strlen(inherited);
	free(inherited);
	return prepared == after && getpid() != getppid() ? (int)total : 99;
}

static void *forks(void *number)
{
	char *text = malloc(16);
	int status = 0;
	snprintf(text, 16, "thread %ld", (long)number);
	pid_t pid = fork();
	if (!pid)
		_exit(child(text));
	free(text);
	waitpid(pid, &status, 0);
	return (void *)(long)(WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}

int main(void)
{
	pthread_t counters[2], forkers[3];
	pthread_atfork(prepare, release, release);
	for (int i = 0; i < 2; i++)
		pthread_create(&counters[i], NULL, count, NULL);
	for (long i = 0; i < 3; i++)
		pthread_create(&forkers[i], NULL, forks, (void *)i);
	for (int i = 0; i < 3; i++) {
		void *status;
		pthread_join(forkers[i], &status);
		printf("child %ld\n", (long)status);
	}
	for (int i = 0; i < 2; i++)
		pthread_join(counters[i], NULL);
	printf("%d %d %d\n", shared, prepared, after);
	return 0;
}
