/* SPDX-License-Identifier: Apache-2.0 */
/* DEPENDS: what
 * The same two calls deep, with different amounts. */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int stock = 30;

static int locked(int *from)
{
	pthread_mutex_lock(&lock);
	int now = *from;
	pthread_mutex_unlock(&lock);
	return now;
}

static int get(void)
{
	return locked(&stock);
}

static void set(int now)
{
	pthread_mutex_lock(&lock);
	stock = now;
	pthread_mutex_unlock(&lock);
}

static void move(int amount)
{
	int now = get();
	set(now + amount);
}

static void *sell(void *unused)
{
	move(-3);
	return unused;
}

static void *buy(void *unused)
{
	move(8);
	return unused;
}

int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, sell, NULL);
	pthread_create(&b, NULL, buy, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
