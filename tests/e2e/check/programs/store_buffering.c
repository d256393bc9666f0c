// SPDX-License-Identifier: Apache-2.0
// Each thread writes one variable and reads the other: under SC at least one of them sees the other's.
// OPTIONS --outcomes --kinds=deadlock
// STATUS 0
// COMPLETE true
// OUTCOMES 01|10|11
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
