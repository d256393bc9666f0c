/* SPDX-License-Identifier: Apache-2.0 */
/* Prints where one thread was when the other looked, four times. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int place;
static char seen[5];

static void *go(void *unused)
{
	for (int i = 1; i <= 8; i++)
		atomic_store(&place, i);
	return unused;
}

static void *look(void *unused)
{
	int a = place, b = place, c = place, d = place;
	snprintf(seen, sizeof(seen), "%d%d%d%d", a, b, c, d);
	return unused;
}

int main(void)
{
	pthread_t t, u;
	pthread_create(&t, NULL, go, NULL);
	pthread_create(&u, NULL, look, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	puts(seen);
	return 0;
}
