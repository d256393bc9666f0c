/* SPDX-License-Identifier: Apache-2.0 */
/* DEPENDS: what
 * A getter and a setter with a lock in each. */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int stock = 30;

static int get(void)
{
	pthread_mutex_lock(&lock);
	int now = stock;
	pthread_mutex_unlock(&lock);
	return now;
}

static void set(int now)
{
	pthread_mutex_lock(&lock);
	stock = now;
	pthread_mutex_unlock(&lock);
}

static void *sell(void *unused)
{
	set(get() - 3);
	return unused;
}

int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, sell, NULL);
	pthread_create(&b, NULL, sell, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
