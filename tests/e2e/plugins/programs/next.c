/*
 * Functions of the program's own in front of libc's, which they find by RTLD_NEXT: what they find must be the modelled
 * lock and the controlled heap.  The lock is held across a scheduling point, so a real one would stop the program.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static __thread int locks;
static int shared;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int pthread_mutex_lock(pthread_mutex_t *m)
{
	static int (*next)(pthread_mutex_t *);
	if (!next)
		next = (int (*)(pthread_mutex_t *))dlsym(RTLD_NEXT, "pthread_mutex_lock");
	locks++;
	return next(m);
}

int pthread_cond_signal(pthread_cond_t *c)
{
	int (*next)(pthread_cond_t *) =
		(int (*)(pthread_cond_t *))dlvsym(RTLD_NEXT, "pthread_cond_signal", "GLIBC_2.3.2");
	assert(next);
	return next(c);
}

static void *work(void *unused)
{
	(void)unused;
	for (int i = 0; i < 5; i++) {
		pthread_mutex_lock(&lock);
		int before = shared;
		void *(*allocate)(size_t) = (void *(*)(size_t))dlsym(RTLD_DEFAULT, "malloc");
		void (*give_back)(void *) = (void (*)(void *))dlsym(RTLD_NEXT, "free");
		give_back(allocate(10));
		shared = before + 1;
		pthread_mutex_unlock(&lock);
	}
	assert(locks == 5);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];
	pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	pthread_cond_signal(&condition);
	int (*unlock)(pthread_mutex_t *) =
		(int (*)(pthread_mutex_t *))dlsym(dlopen("libc.so.6", RTLD_NOW), "pthread_mutex_unlock");
	pthread_mutex_lock(&lock);
	unlock(&lock);
	assert(!dlsym(RTLD_DEFAULT, "there_is_no_such_function"));
	printf("shared %d\n", shared);
	return 0;
}
