/* SPDX-License-Identifier: Apache-2.0 */
// A circular buffer under a lock: one thread tries to put ROUNDS numbers in, another one to take as many out.
#include <pthread.h>
#include <stddef.h>

#define ROOM 10
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int buffer[ROOM], first, count;

static void *put(void *unused)
{
	for (int k = 0; k < ROUNDS; k++) {
		pthread_mutex_lock(&lock);
		if (count < ROOM)
			buffer[(first + count++) % ROOM] = k;
		pthread_mutex_unlock(&lock);
	}
	return unused;
}

static void *take(void *unused)
{
	for (int k = 0; k < ROUNDS; k++) {
		pthread_mutex_lock(&lock);
		if (count > 0) {
			first = (first + 1) % ROOM;
			count--;
		}
		pthread_mutex_unlock(&lock);
	}
	return unused;
}

int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, put, NULL);
	pthread_create(&b, NULL, take, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return count > ROUNDS;
}
