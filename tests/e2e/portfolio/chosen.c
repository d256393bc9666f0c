/* SPDX-License-Identifier: Apache-2.0 */
/* A choice of many values, the same error for one of them only; threads besides. */
#include <assert.h>
#include <pthread.h>

#include "heddle/explore.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int total;

static void *work(void *arg)
{
	for (int i = 0; i < 20; i++) {
		pthread_mutex_lock(&m);
		total++;
		pthread_mutex_unlock(&m);
	}
	return arg;
}

int main(void)
{
	pthread_t a, b;
	unsigned chosen = heddle_choose(20);
	pthread_create(&a, NULL, work, NULL);
	pthread_create(&b, NULL, work, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(chosen != 7);
	return 0;
}
