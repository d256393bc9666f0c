// A path that did not lock unlocks.
// EXPECT record: status 1, kind lock-misuse
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int wants_lock;

int main(void)
{
	if (wants_lock)
		pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);	// PLACE
	return 0;
}
