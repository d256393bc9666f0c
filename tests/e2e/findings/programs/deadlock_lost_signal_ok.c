// Test and wait under the lock, in a loop.
// EXPECT record: status 0
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static int flag;

static void *waiter(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&lock);
	while (!flag)
		pthread_cond_wait(&ready, &lock);
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t t[3];
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, waiter, NULL);
	pthread_mutex_lock(&lock);
	flag = 1;
	pthread_cond_broadcast(&ready);
	pthread_mutex_unlock(&lock);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return 0;
}
