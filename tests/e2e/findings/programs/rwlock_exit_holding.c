// A thread ends and goes on reading, so to speak.
// EXPECT record: status 1, kind lock-misuse
// LEVELS -O0: what is called does not depend on the level
#include <pthread.h>
#include <stddef.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *work(void *unused)
{
	pthread_rwlock_rdlock(&lock);	// PLACE
	return unused;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, work, NULL);
	pthread_join(t, NULL);
	return 0;
}
