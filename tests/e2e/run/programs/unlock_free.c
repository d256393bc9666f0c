// expect: lock-misuse:observed
// Unlock of a mutex that no thread holds any more.
// TSAN: unlock of an unlocked mutex (or by a wrong thread)
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t r = PTHREAD_RWLOCK_INITIALIZER;
int main(void)
{
	pthread_mutex_lock(&m);
	pthread_mutex_unlock(&m);
	pthread_mutex_unlock(&m);
	pthread_rwlock_rdlock(&r);
	pthread_rwlock_unlock(&r);
	return 0;
}
