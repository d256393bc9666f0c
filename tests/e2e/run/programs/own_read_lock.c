// expect: lock-misuse:observed
// A lock of the program's own lets a reader in while it is held for writing.
// TSAN: read lock of a write locked mutex
#include <pthread.h>
#include "own_lock.h"
static int lock;
static void *work(void *a)
{
	own_lock(&lock, FOR_READING);
	own_unlock(&lock, FOR_READING);
	return a;
}
int main(void)
{
	pthread_t t;
	own_lock(&lock, 0);
	pthread_create(&t, 0, work, 0);
	pthread_join(t, 0);
	own_unlock(&lock, 0);
	return 0;
}
