// expect:
// Locks of the program's own that are used as they must be: by readers together, again and again, nested.
#include <pthread.h>
#include <sched.h>
#include "own_lock.h"
static atomic_int spin, gate;
static int readers, value;
static void lock(void)
{
	__tsan_mutex_pre_lock(&spin, 0);
	while (atomic_exchange(&spin, 1))
		sched_yield();
	__tsan_mutex_post_lock(&spin, 0, 0);
}
static void unlock(void)
{
	__tsan_mutex_pre_unlock(&spin, 0);
	atomic_store(&spin, 0);
	__tsan_mutex_post_unlock(&spin, 0);
}
static void *work(void *a)
{
	for (int i = 0; i < 300; i++) {
		lock();
		value++;
		unlock();
		own_lock(&readers, FOR_READING);
		atomic_fetch_add(&gate, 1);
		own_unlock(&readers, FOR_READING);
	}
	return a;
}
int main(void)
{
	pthread_t t[3];
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], 0, work, 0);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], 0);
	return value != 900;
}
