// A lock is destroyed while another thread may hold it.
// EXPECT record: status 1, kind lock-misuse
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
	while (!work_done)
		;
	pthread_mutex_destroy(&lock);	// PLACE
	pthread_join(t, NULL);
	return 0;
}
