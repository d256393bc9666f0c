// The thread posts when it is done with the variable.
// EXPECT record: status 0
#include <pthread.h>
#include <semaphore.h>

static sem_t begun;
static pthread_t t;
static int seen;

static void *work(void *arg)
{
	int *request = arg;
	seen = *request;
	sem_post(&begun);
	return NULL;
}

static __attribute__((noinline)) void start(int value)
{
	int request = value;
	pthread_create(&t, NULL, work, &request);
	sem_wait(&begun);
}

int main(void)
{
	sem_init(&begun, 0, 0);
	start(7);
	pthread_join(t, NULL);
	return seen != 7;
}
