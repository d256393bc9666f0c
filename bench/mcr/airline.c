/* SPDX-License-Identifier: Apache-2.0 */
/* Three sellers sell two seats: whether there is one left and taking it are two steps. */
#include "threads.h"

SHARED left = 2, sold;

static void *sell(void *unused)
{
	if (GET(left) > 0) {
		SET(left, GET(left) - 1);
		SET(sold, GET(sold) + 1);
	}
	return unused;
}

int main(void)
{
	pthread_t seller[3];
	for (int i = 0; i < 3; i++)
		pthread_create(&seller[i], NULL, sell, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(seller[i], NULL);
	return GET(sold) > 2;
}
