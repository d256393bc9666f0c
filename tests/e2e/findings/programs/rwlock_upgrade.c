// A reader asks to write what it reads itself.
// EXPECT record: status 1, kind deadlock
// LEVELS -O0: what is called does not depend on the level
#include <pthread.h>
#include <stddef.h>

static pthread_rwlock_t cache = PTHREAD_RWLOCK_INITIALIZER;
static int value;

static void fill(void)
{
	pthread_rwlock_wrlock(&cache);	// PLACE
	value = 1;
	pthread_rwlock_unlock(&cache);
}

int main(void)
{
	pthread_rwlock_rdlock(&cache);	// PLACE
	if (!value)
		fill();
	pthread_rwlock_unlock(&cache);
	return 0;
}
