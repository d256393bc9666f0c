// expect: deadlock:observed lock-order:potential
// Two threads wait for each other, and main for them: the process cannot go on, and is ended.
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t n = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t both;
static void *one(void *a)
{
	pthread_mutex_lock(&m);
	pthread_barrier_wait(&both);
	pthread_rwlock_rdlock(&n);
	return a;
}
static void *two(void *a)
{
	pthread_rwlock_wrlock(&n);
	pthread_barrier_wait(&both);
	pthread_mutex_lock(&m);
	return a;
}
int main(void)
{
	pthread_t t, u;
	pthread_barrier_init(&both, 0, 2);
	pthread_create(&t, 0, one, 0);
	pthread_create(&u, 0, two, 0);
	pthread_join(t, 0);
	pthread_join(u, 0);
	return 0;
}
