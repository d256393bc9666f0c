// The function waits until the thread has begun, and not until it is done with the variable.
// EXPECT record: status 1, kind use-after-return
#include <pthread.h>
#include <semaphore.h>

static sem_t begun;
static pthread_t t;
static int seen;

static void *work(void *arg)
{
	int *request = arg;
	sem_post(&begun);
	seen = *request;	// PLACE
	return NULL;
}

static __attribute__((noinline)) void start(int value)
{
	int request = value;	// PLACE-FUNCTION start
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
