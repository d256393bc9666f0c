/* SPDX-License-Identifier: Apache-2.0 */
// More schedules than may be tried: the verdict says so.
// OPTIONS --executions=10 --kinds=deadlock
// STATUS 4
// COMPLETE false
// INCONCLUSIVE executions
#include <pthread.h>

static int x;

static void *other(void *unused)
{
	for (int i = 0; i < 5; i++)
		x++;
	return unused;
}

int main(void)
{
	pthread_t t, u;
	pthread_create(&t, NULL, other, NULL);
	pthread_create(&u, NULL, other, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
