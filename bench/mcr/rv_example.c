/* SPDX-License-Identifier: Apache-2.0 */
/* The example of RV-Predict, each loop ROUNDS times: main sets x and y, one thread resets x, another looks
 * for y = 3. */
#include "threads.h"

#ifndef ROUNDS
#define ROUNDS 1
#endif

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
SHARED x, y;

static void *reset(void *unused)
{
	for (int i = 0; i < ROUNDS; i++) {
		pthread_mutex_lock(&guard);
		SET(x, 0);
		pthread_mutex_unlock(&guard);
		if (GET(x) > 0) {
			SET(y, GET(y) + 1);
			SET(x, 2);
		}
	}
	return unused;
}

static void *look(void *unused)
{
	for (int i = 0; i < ROUNDS; i++)
		if (GET(x) > 1) {
			assert(GET(y) != 3);
			SET(y, 2);
		}
	return unused;
}

int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, reset, NULL);
	pthread_create(&b, NULL, look, NULL);
	for (int i = 0; i < ROUNDS; i++) {
		pthread_mutex_lock(&guard);
		SET(x, 1);
		SET(y, 1);
		pthread_mutex_unlock(&guard);
	}
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
