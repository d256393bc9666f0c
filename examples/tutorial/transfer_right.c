/* SPDX-License-Identifier: Apache-2.0 */
/* Two customers send money to each other.  Each account has a lock of its own. */
#include <assert.h>
#include <pthread.h>

struct account {
	pthread_mutex_t lock;
	int number, balance;
};

static struct account alice = { PTHREAD_MUTEX_INITIALIZER, 1, 100 };
static struct account bob = { PTHREAD_MUTEX_INITIALIZER, 2, 100 };

static void transfer(struct account *from, struct account *to, int amount)
{
	struct account *low = from->number < to->number ? from : to;
	struct account *high = low == from ? to : from;
	pthread_mutex_lock(&low->lock);
	pthread_mutex_lock(&high->lock);
	from->balance -= amount;
	to->balance += amount;
	pthread_mutex_unlock(&high->lock);
	pthread_mutex_unlock(&low->lock);
}

static void *pay_bob(void *arg)
{
	transfer(&alice, &bob, 10);
	return arg;
}

static void *pay_alice(void *arg)
{
	transfer(&bob, &alice, 20);
	return arg;
}

int main(void)
{
	pthread_t first, second;
	pthread_create(&first, NULL, pay_bob, NULL);
	pthread_create(&second, NULL, pay_alice, NULL);
	pthread_join(first, NULL);
	pthread_join(second, NULL);
	assert(alice.balance == 110 && bob.balance == 90);
	return 0;
}
