// expect: lock-misuse:observed
// A lock of the program's own lets two threads in.
// TSAN: double lock of a mutex
#include <pthread.h>
#include "own_lock.h"
static int lock;
static void *work(void *a)
{
	own_lock(&lock, 0);
	own_unlock(&lock, 0);
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
