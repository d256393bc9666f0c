// Both under the same condition.
// EXPECT record: status 0
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int wants_lock;

int main(void)
{
	if (wants_lock)
		pthread_mutex_lock(&lock);
	if (wants_lock)
		pthread_mutex_unlock(&lock);
	return 0;
}
