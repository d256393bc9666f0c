/* SPDX-License-Identifier: Apache-2.0 */
/* Stacks are used by one thread after the other; locks and variables on them are new each time. */
#include <pthread.h>
#include <string.h>

static int sum;

static int deep(int n)
{
	char room[64];
	pthread_mutex_t own;
	pthread_mutex_init(&own, NULL);
	pthread_mutex_lock(&own);
	memset(room, n, sizeof(room));
	int result = room[n % 64] + (n ? deep(n - 1) : 0);
	pthread_mutex_unlock(&own);
	pthread_mutex_destroy(&own);
	return result;
}

static void *work(void *argument)
{
	int before = *(int *)argument;
	*(int *)argument = deep(before);
	sum += *(int *)argument;
	return NULL;
}

int main(void)
{
	for (int round = 0; round < 4; round++) {
		pthread_t a, b;
		int x = round, y = 5 - round;
		pthread_create(&a, NULL, work, &x);
		pthread_create(&b, NULL, work, &y);
		pthread_join(b, NULL);
		pthread_join(a, NULL);
	}
	return sum & 0x7f;
}
