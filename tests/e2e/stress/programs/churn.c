// Thousands of threads one after the other, joined and detached, more than there are slots; then 64 at once.
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

static long total;
static atomic_int gone, inside;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *add(void *n)
{
	total += (long)n;
	return n;
}

static void *vanish(void *unused)
{
	atomic_fetch_add(&gone, 1);
	return unused;
}

static void *meet(void *unused)
{
	(void)unused;
	atomic_fetch_add(&inside, 1);
	while (atomic_load(&inside) < 64)
		sched_yield();
	for (int i = 0; i < 10; i++) {
		pthread_mutex_lock(&mutex);
		total++;
		pthread_mutex_unlock(&mutex);
	}
	return NULL;
}

int main(void)
{
	pthread_t t, all[64];
	for (long i = 0; i < 2100; i++) {
		void *result = NULL;
		if (pthread_create(&t, NULL, add, (void *)i) || pthread_join(t, &result) || result != (void *)i)
			return 1;
	}
	for (int i = 0; i < 200; i++) {
		if (pthread_create(&t, NULL, vanish, NULL) || pthread_detach(t))
			return 2;
		while (atomic_load(&gone) <= i)
			sched_yield();
	}
	for (int i = 0; i < 64; i++)
		if (pthread_create(&all[i], NULL, meet, NULL))
			return 3;
	for (int i = 0; i < 64; i++)
		pthread_join(all[i], NULL);
	printf("%ld %d\n", total, atomic_load(&gone));
	return 0;
}
