// A reader unlocks once.
// EXPECT record: status 0
// LEVELS -O0: what is called does not depend on the level
#include <pthread.h>
#include <stddef.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int value;

static void *work(void *unused)
{
	pthread_rwlock_rdlock(&lock);
	int v = value;
	pthread_rwlock_unlock(&lock);
	return v ? unused : NULL;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, work, NULL);
	pthread_join(t, NULL);
	return 0;
}
