// expect: deadlock:observed
// A thread is joined by the one that holds the lock for which it waits.
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *a)
{
	pthread_mutex_lock(&m);
	pthread_mutex_unlock(&m);
	return a;
}
int main(void)
{
	pthread_t t;
	pthread_mutex_lock(&m);
	pthread_create(&t, 0, work, 0);
	pthread_join(t, 0);
	pthread_mutex_unlock(&m);
	return 0;
}
