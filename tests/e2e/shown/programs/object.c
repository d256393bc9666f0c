/* SPDX-License-Identifier: Apache-2.0 */
/* Three unlocked functions use one heap block and one variable: many pairs of places, two objects. */
#include <pthread.h>
#include <stdlib.h>

struct account {
	int balance, changes;
};
static struct account *account;
static int total;

static void deposit(int n)
{
	account->balance += n;
	account->changes++;
	total += n;
}

static void withdraw(int n)
{
	account->balance -= n;
	account->changes++;
	total -= n;
}

static void *work(void *arg)
{
	(void)arg;
	deposit(2);
	withdraw(1);
	return NULL;
}

int main(void)
{
	pthread_t t;
	account = calloc(1, sizeof(*account));
	pthread_create(&t, NULL, work, NULL);
	work(NULL);
	pthread_join(t, NULL);
	free(account);
	return 0;
}
