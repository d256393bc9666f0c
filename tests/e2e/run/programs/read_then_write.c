// expect: deadlock:observed
// A thread that holds a lock for reading asks to write it, and waits for itself.
#include <pthread.h>
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int main(void)
{
	pthread_rwlock_rdlock(&lock);
	pthread_rwlock_wrlock(&lock);
	return 0;
}
