/* SPDX-License-Identifier: Apache-2.0 */
/* What was computed outside of the lock counts only if nothing has changed meanwhile. */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int version, value;

static void *replace(void *unused)
{
	for (;;) {
		pthread_mutex_lock(&lock);
		int now = version, seen = value;
		pthread_mutex_unlock(&lock);
		int made = seen + 1;
		pthread_mutex_lock(&lock);
		if (version == now) {
			value = made;
			version++;
			pthread_mutex_unlock(&lock);
			return unused;
		}
		pthread_mutex_unlock(&lock);
	}
}

int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, replace, NULL);
	pthread_create(&b, NULL, replace, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
