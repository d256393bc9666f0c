// expect: lock-misuse:observed
// A mutex is destroyed while it is locked, and another one is used after that.
// TSAN: destroy of a locked mutex
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
int main(void)
{
	pthread_mutex_lock(&m);
	pthread_mutex_destroy(&m);
	pthread_mutex_destroy(&n);
	pthread_mutex_lock(&n);
	return 0;
}
