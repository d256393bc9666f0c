// expect:
// A bounded queue, producers and consumers, blocks freed by the consumer; signals inside and outside of the lock.
#include "turns.h"
MUTEX(m);
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER, emptied = PTHREAD_COND_INITIALIZER;
static int *ring[8];
static unsigned head, tail;
static void *producer(void *a)
{
	for (int i = 1; i <= 2000; i++) {
		int *p = malloc(sizeof(*p));
		*p = i;
		LOCK(m);
		while (head - tail == 8)
			pthread_cond_wait(&emptied, &m);
		ring[head++ % 8] = p;
		UNLOCK(m);
		pthread_cond_signal(&filled);
	}
	return a;
}
static void *consumer(void *a)
{
	long sum = 0;
	for (int i = 1; i <= 2000; i++) {
		LOCK(m);
		while (head == tail)
			pthread_cond_wait(&filled, &m);
		int *p = ring[tail++ % 8];
		pthread_cond_signal(&emptied);
		UNLOCK(m);
		sum += *p;
		free(p);
	}
	return sum ? a : NULL;
}
int main(void)
{
	pthread_t t[4];
	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, i % 2 ? consumer : producer, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	return 0;
}
