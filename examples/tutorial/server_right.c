/* SPDX-License-Identifier: Apache-2.0 */
/* A server: each worker answers two requests, from a cache of one answer, and counts them. */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t cache_lock = PTHREAD_MUTEX_INITIALIZER;
static int cached_key = -1, cached_answer;

static int answer(int key)
{
	pthread_mutex_lock(&cache_lock);
	if (cached_key != key) {
		cached_key = key;
		cached_answer = key * key;
	}
	int result = cached_answer;
	pthread_mutex_unlock(&cache_lock);
	return result;
}

static pthread_mutex_t count_lock = PTHREAD_MUTEX_INITIALIZER;
static long requests;

static void count_request(void)
{
	pthread_mutex_lock(&count_lock);
	requests++;
	pthread_mutex_unlock(&count_lock);
}

static void *worker(void *arg)
{
	(void)arg;
	for (int key = 0; key < 2; key++) {
		count_request();
		answer(key);
	}
	return NULL;
}

int main(void)
{
	pthread_t workers[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&workers[i], NULL, worker, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(workers[i], NULL);
	printf("%ld requests\n", requests);
	return 0;
}
