// The early way out unlocks too.
// EXPECT record: status 0
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int jobs;

static void *work(void *unused)
{
	pthread_mutex_lock(&lock);
	if (!jobs) {
		pthread_mutex_unlock(&lock);
		return unused;
	}
	jobs--;
	pthread_mutex_unlock(&lock);
	return unused;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, work, NULL);
	pthread_join(t, NULL);
	return 0;
}
