/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Alice and Bob each move money from one account to another.  Every access to a balance is made under its
 * lock, so there is no data race.  But the check and the withdrawal are two critical sections: both may see
 * 100, and the second one overwrites the withdrawal of the first.  Money comes from nowhere.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

struct account {
	pthread_mutex_t lock;
	int balance;
};

static struct account savings = { PTHREAD_MUTEX_INITIALIZER, 100 };
static struct account shop = { PTHREAD_MUTEX_INITIALIZER, 0 };

static int get_balance(struct account *a)
{
	pthread_mutex_lock(&a->lock);
	int balance = a->balance;
	pthread_mutex_unlock(&a->lock);
	return balance;
}

static void set_balance(struct account *a, int balance)
{
	pthread_mutex_lock(&a->lock);
	a->balance = balance;
	pthread_mutex_unlock(&a->lock);
}

static void pay(int amount)
{
	int balance = get_balance(&savings);
	if (balance < amount)
		return;
	set_balance(&savings, balance - amount);
	set_balance(&shop, get_balance(&shop) + amount);
}

static void *alice(void *unused)
{
	pay(80);
	return unused;
}

static void *bob(void *unused)
{
	pay(60);
	return unused;
}

int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, alice, NULL);
	pthread_create(&b, NULL, bob, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	int total = get_balance(&savings) + get_balance(&shop);
	assert(total == 100);
	return 0;
}
