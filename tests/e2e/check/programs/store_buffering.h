/* SPDX-License-Identifier: Apache-2.0 */
/* Store buffering. */
#include <pthread.h>
#include <stdio.h>

static int x, y, a, b;

static void *first(void *unused)
{
	x = 1;
	a = y;
	return unused;
}

static void *second(void *unused)
{
	y = 1;
	b = x;
	return unused;
}

int main(void)
{
	pthread_t t, u;
	pthread_create(&t, NULL, first, NULL);
	pthread_create(&u, NULL, second, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	printf("%d%d", a, b);
	return 0;
}
