// RESTART inplace
// State in every place that an execution leaves behind: each must find it as the first one did.
#include <assert.h>
#include <errno.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int initialised = 41, zero, *heap;
static _Thread_local int own = 7;
static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock;		/* initialised by main */
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int turn, onces, handled;
static char text[] = "one two three";

static void count(void) { onces++; }
static void on_exit_print(void) { printf("at exit %d\n", zero); }
static void on_signal(int signal) { handled += signal; }

__attribute__((constructor)) static void allocate(void)
{
	heap = malloc(3 * sizeof(*heap));
	heap[0] = 5;
}

static void *worker(void *number)
{
	int n = (int)(long)number;
	pthread_once(&once, count);
	assert(own == 7);
	own += n;
	assert(!pthread_getspecific(key));
	pthread_setspecific(key, &own);
	errno = n;
	char *block = malloc(100);
	assert((unsigned char)block[50] == 0xbe);
	memset(block, n, 100);
	pthread_mutex_lock(&lock);
	while (turn != n)
		pthread_cond_wait(&changed, &lock);
	turn++;
	printf("thread %d %d %d\n", n, own, errno);
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
	if (n)
		free(block);
	return number;
}

int main(void)
{
	pthread_t threads[3];
	assert(initialised == 41 && zero == 0 && own == 7 && heap[0] == 5 && onces == 0 && turn == 0 && !handled);
	assert(!getenv("HEDDLE_TEST_STATE") && !strcmp(text, "one two three"));
	initialised = zero = 1;
	heap[0]++;
	assert(!setenv("HEDDLE_TEST_STATE", "1", 1));
	printf("%s %d\n", strtok(text, " "), rand());
	setlocale(LC_ALL, "C");
	signal(SIGUSR1, on_signal);
	raise(SIGUSR1);
	atexit(on_exit_print);
	pthread_key_create(&key, NULL);
	pthread_mutex_init(&lock, NULL);
	for (long i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, worker, (void *)i);
	own = 100;
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	printf("%d %ld %s", handled, now.tv_nsec, "without a newline");
	return 3;
}
