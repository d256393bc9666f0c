// A thread gets the address of a variable of the function that starts it, which does not wait.
// EXPECT record: status 1, kind use-after-return
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_t t;
static int result;

static void *work(void *arg)
{
	int *request = arg;
	pthread_mutex_lock(&m);
	result += *request;	// PLACE
	pthread_mutex_unlock(&m);
	return NULL;
}

static __attribute__((noinline)) void start(int value)
{
	int request = value;	// PLACE-FUNCTION start
	pthread_create(&t, NULL, work, &request);
	pthread_mutex_lock(&m);
	result++;
	pthread_mutex_unlock(&m);
}

int main(void)
{
	start(7);
	pthread_join(t, NULL);
	return 0;
}
