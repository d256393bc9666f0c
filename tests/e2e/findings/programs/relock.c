// A normal mutex is locked again by its holder, far away from the first time.
// EXPECT record: status 1, kind deadlock
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void add(int n)
{
	pthread_mutex_lock(&lock);	// PLACE
	count += n;
	pthread_mutex_unlock(&lock);
}

int main(void)
{
	add(1);
	pthread_mutex_lock(&lock);	// PLACE
	if (count > 0)
		add(-1);
	pthread_mutex_unlock(&lock);
	return 0;
}
