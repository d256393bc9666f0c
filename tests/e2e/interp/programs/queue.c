/* Producers and consumers: a bounded queue with condition variables, semaphores, an atomic counter with compare and exchange.
   The output is the same in every schedule. */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct item { struct item *next; int value; char name[8]; };
static struct item *head;
static int length, left = 2;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static sem_t slots;
static atomic_int taken;
static atomic_long sum;
static void *produce(void *arg)
{
	for (int i = 0; i < 6; i++) {
		struct item *n = malloc(sizeof(*n));
		n->value = *(int *)arg * 10 + i;
		snprintf(n->name, sizeof(n->name), "%d", n->value);
		sem_wait(&slots);
		pthread_mutex_lock(&m);
		n->next = head;
		head = n;
		length++;
		pthread_cond_broadcast(&changed);
		pthread_mutex_unlock(&m);
	}
	pthread_mutex_lock(&m);
	left--;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&m);
	return NULL;
}
static void *consume(void *arg)
{
	for (;;) {
		pthread_mutex_lock(&m);
		while (!head && left)
			pthread_cond_wait(&changed, &m);
		struct item *n = head;
		if (n) {
			head = n->next;
			length--;
		}
		pthread_mutex_unlock(&m);
		if (!n)
			return arg;
		sem_post(&slots);
		int old = atomic_load(&taken);
		while (!atomic_compare_exchange_weak(&taken, &old, old + 1))
			;
		atomic_fetch_add(&sum, atoi(n->name));
		free(n);
	}
}
int main(void)
{
	pthread_t t[6];
	int base[2] = { 1, 2 };
	sem_init(&slots, 0, 3);
	for (int i = 0; i < 6; i++)
		pthread_create(&t[i], NULL, i < 2 ? produce : consume, &base[i & 1]);
	for (int i = 0; i < 6; i++)
		pthread_join(t[i], NULL);
	printf("%d %ld %d\n", taken, sum, length);
	return taken == 12 ? 0 : 1;
}
