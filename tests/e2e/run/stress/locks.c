/* SPDX-License-Identifier: Apache-2.0 */
// Many lock operations by two threads on a few locks: locks N; peak memory must not grow with N.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static pthread_mutex_t m[8];
static long counters[8], rounds;
static void *work(void *a)
{
	for (long i = 0; i < rounds; i++) {
		pthread_mutex_lock(&m[i % 8]);
		counters[i % 8]++;
		pthread_mutex_unlock(&m[i % 8]);
	}
	return a;
}
int main(int argc, char **argv)
{
	pthread_t t[2];
	long sum = 0;
	rounds = argc > 1 ? strtol(argv[1], NULL, 10) / 4 : 1000;
	for (int i = 0; i < 8; i++)
		pthread_mutex_init(&m[i], NULL);
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	for (int i = 0; i < 8; i++)
		sum += counters[i];
	printf("%ld\n", sum);
	return 0;
}
