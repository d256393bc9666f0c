// It is initialised before.
// EXPECT record: status 0
// LEVELS -O0: what is called does not depend on the level
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int value;

static void *work(void *unused)
{
	pthread_mutex_lock(&lock);
	value++;
	pthread_mutex_unlock(&lock);
	return unused;
}

int main(void)
{
	pthread_t t;
	pthread_mutex_init(&lock, NULL);
	pthread_create(&t, NULL, work, NULL);
	pthread_join(t, NULL);
	return 0;
}
