// Two threads join each other.
// EXPECT record: status 1, kind deadlock
#include <pthread.h>

static pthread_t first, second;
static pthread_mutex_t started = PTHREAD_MUTEX_INITIALIZER;

static void *join_other(void *is_first)
{
	pthread_mutex_lock(&started);
	pthread_mutex_unlock(&started);
	pthread_join(is_first ? second : first, NULL);	// PLACE
	return NULL;
}

int main(void)
{
	pthread_mutex_lock(&started);
	pthread_create(&first, NULL, join_other, &first);
	pthread_create(&second, NULL, join_other, NULL);
	pthread_mutex_unlock(&started);
	pthread_exit(NULL);
}
