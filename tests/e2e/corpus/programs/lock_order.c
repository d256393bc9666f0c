/* SPDX-License-Identifier: Apache-2.0 */
/* A transfer takes the locks of both accounts by address.  Wrong: in the order of the arguments. */
#include "threads.h"

static struct account {
	pthread_mutex_t lock;
	int balance;
} accounts[2] = {{PTHREAD_MUTEX_INITIALIZER, 10}, {PTHREAD_MUTEX_INITIALIZER, 10}};

static void transfer(struct account *from, struct account *to, int amount)
{
	struct account *first = from, *second = to;
#ifndef WRONG
	if (to < from) {
		first = to;
		second = from;
	}
#endif
	pthread_mutex_lock(&first->lock);
	pthread_mutex_lock(&second->lock);
	from->balance -= amount;
	to->balance += amount;
	pthread_mutex_unlock(&second->lock);
	pthread_mutex_unlock(&first->lock);
}

static void *move(void *argument)
{
	long from = (long)argument;
	transfer(&accounts[from], &accounts[1 - from], 3);
	return NULL;
}

int main(void)
{
	start(move, 0);
	start(move, 1);
	finish();
	assert(accounts[0].balance + accounts[1].balance == 20);
	return 0;
}
