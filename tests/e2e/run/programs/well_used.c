// expect:
// Unusual, and right: recursive and error-checking mutexes, a lock handed over by a condition variable, a child that unlocks
// what its parent has locked, and locks that are used again after their life began anew.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
static pthread_mutex_t r = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP, e = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t w = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t s;
static int is_set;
static void *set(void *a)
{
	pthread_mutex_lock(&m);
	is_set = 1;
	pthread_cond_signal(&c);
	pthread_mutex_unlock(&m);
	for (int i = 0; i < 1000; i++) {
		pthread_mutex_lock(&r);
		pthread_mutex_unlock(&r);
		pthread_rwlock_wrlock(&w);
		pthread_rwlock_unlock(&w);
	}
	return a;
}
int main(void)
{
	pthread_t t;
	pthread_spin_init(&s, 0);
	pthread_mutex_lock(&m);
	pthread_create(&t, 0, set, 0);
	while (!is_set)
		pthread_cond_wait(&c, &m);
	for (int i = 0; i < 1000; i++) {
		pthread_mutex_lock(&r);
		pthread_mutex_lock(&r);
		pthread_mutex_unlock(&r);
		pthread_mutex_unlock(&r);
		pthread_rwlock_rdlock(&w);
		pthread_rwlock_unlock(&w);
	}
	pthread_join(t, 0);
	pthread_mutex_lock(&e);
	int twice = pthread_mutex_lock(&e) == EDEADLK;
	pid_t child = fork();
	pthread_mutex_unlock(&e);
	pthread_mutex_unlock(&m);
	pthread_mutex_lock(&m);
	pthread_spin_lock(&s);
	pthread_spin_unlock(&s);
	pthread_mutex_unlock(&m);
	pthread_mutex_destroy(&m);
	pthread_mutex_init(&m, 0);
	pthread_mutex_lock(&m);
	pthread_mutex_unlock(&m);
	if (!child)
		_exit(0);
	int status;
	waitpid(child, &status, 0);
	return !twice || status;
}
