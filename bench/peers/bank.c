/* SPDX-License-Identifier: Apache-2.0 */
/* Deposits, withdrawals and a look at an account; each reads and writes the balance without a lock. */
#include "threads.h"

SHARED balance = 100;

static void *deposit(void *unused)
{
	SET(balance, GET(balance) + 10);
	return unused;
}

static void *withdraw(void *unused)
{
	int before = GET(balance);
	if (before >= 20)
		SET(balance, before - 20);
	return unused;
}

static void *look(void *unused)
{
	assert(GET(balance) > 0);
	return unused;
}

int main(void)
{
	start(0, deposit);
	start(1, withdraw);
	start(2, look);
	start(3, deposit);
	join_all(4);
	return 0;
}
