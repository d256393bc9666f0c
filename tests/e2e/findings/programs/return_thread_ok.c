// The function waits for the thread that has the address of its variable.
// EXPECT record: status 0
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int result;

static void *work(void *arg)
{
	int *request = arg;
	pthread_mutex_lock(&m);
	result += *request;
	pthread_mutex_unlock(&m);
	return NULL;
}

static __attribute__((noinline)) void start(int value)
{
	pthread_t t;
	int request = value;
	pthread_create(&t, NULL, work, &request);
	pthread_mutex_lock(&m);
	result++;
	pthread_mutex_unlock(&m);
	pthread_join(t, NULL);
}

int main(void)
{
	start(7);
	start(8);
	return 0;
}
