// The flag is tested outside the lock: the signal may come between the test and the wait.
// EXPECT record: status 1, kind deadlock
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static atomic_int flag;

static void *waiter(void *unused)
{
	(void)unused;
	if (!flag) {
		pthread_mutex_lock(&lock);
		pthread_cond_wait(&ready, &lock);	// PLACE
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

int main(void)
{
	pthread_t t[3];
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, waiter, NULL);
	flag = 1;
	pthread_cond_broadcast(&ready);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);	// PLACE
	return 0;
}
