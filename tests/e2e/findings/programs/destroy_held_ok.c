// The lock is destroyed after the join.
// EXPECT record: status 0
#include <pthread.h>

static pthread_mutex_t lock;
static volatile int work_done;

static void *work(void *unused)
{
	pthread_mutex_lock(&lock);
	work_done = 1;
	pthread_mutex_unlock(&lock);
	return unused;
}

int main(void)
{
	pthread_t t;
	pthread_mutex_init(&lock, NULL);
	pthread_create(&t, NULL, work, NULL);
	pthread_join(t, NULL);
	pthread_mutex_destroy(&lock);
	return 0;
}
