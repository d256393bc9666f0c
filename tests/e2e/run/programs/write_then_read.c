// expect: lock-misuse:observed
// A thread that holds a lock for writing asks to read it; libc refuses.
#include <errno.h>
#include <pthread.h>
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int main(void)
{
	pthread_rwlock_wrlock(&lock);
	int refused = pthread_rwlock_rdlock(&lock) == EDEADLK;
	pthread_rwlock_unlock(&lock);
	return !refused;
}
