// expect: thread-leak:observed
// A thread has ended, and nobody joins it.
// TSAN: thread leak
#include <pthread.h>
#include <semaphore.h>
static sem_t done;
static void *work(void *a)
{
	sem_post(&done);
	return a;
}
int main(void)
{
	pthread_t t;
	sem_init(&done, 0, 0);
	pthread_create(&t, 0, work, 0);
	sem_wait(&done);
	return 0;
}
