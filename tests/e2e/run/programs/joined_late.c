// expect:
// A destructor of the program ends its worker, joins it, and destroys what both used, as libraries with a pool of threads do.
#include <pthread.h>
static pthread_mutex_t lock;
static pthread_cond_t changed;
static pthread_t worker;
static int quits, rounds;
static void *work(void *a)
{
	pthread_mutex_lock(&lock);
	while (!quits)
		pthread_cond_wait(&changed, &lock);
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
	rounds++;
	return a;
}
static void __attribute__((destructor)) end(void)
{
	pthread_mutex_lock(&lock);
	quits = 1;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
	pthread_join(worker, 0);
	rounds++;
	pthread_mutex_destroy(&lock);
	pthread_cond_destroy(&changed);
}
int main(void)
{
	pthread_mutex_init(&lock, 0);
	pthread_cond_init(&changed, 0);
	pthread_create(&worker, 0, work, 0);
	return 0;
}
