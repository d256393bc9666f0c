/* SPDX-License-Identifier: Apache-2.0 */
// 2,000 threads created and joined, then 256 alive at once; one race at the very end.
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t b;
static int counter, racy;
static void *one(void *a) { pthread_mutex_lock(&m); counter++; pthread_mutex_unlock(&m); return a; }
static void *meet(void *a) { one(a); pthread_barrier_wait(&b); return a; }
static void *race(void *a) { racy++; return a; }
int main(void)
{
	pthread_t t[256];
	for (int i = 0; i < 2000; i++) {
		pthread_create(&t[0], NULL, one, NULL);
		pthread_join(t[0], NULL);
	}
	pthread_barrier_init(&b, NULL, 256);
	for (int i = 0; i < 256; i++)
		pthread_create(&t[i], NULL, meet, NULL);
	for (int i = 0; i < 256; i++)
		pthread_join(t[i], NULL);
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, race, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	printf("%d\n", counter);
	return 0;
}
