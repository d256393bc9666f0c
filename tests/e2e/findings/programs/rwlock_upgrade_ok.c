// It gives the lock back first.
// EXPECT record: status 0
// LEVELS -O0: what is called does not depend on the level
#include <pthread.h>
#include <stddef.h>

static pthread_rwlock_t cache = PTHREAD_RWLOCK_INITIALIZER;
static int value;

int main(void)
{
	pthread_rwlock_rdlock(&cache);
	int is_empty = !value;
	pthread_rwlock_unlock(&cache);
	if (is_empty) {
		pthread_rwlock_wrlock(&cache);
		value = 1;
		pthread_rwlock_unlock(&cache);
	}
	return 0;
}
