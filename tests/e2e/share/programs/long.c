/* SPDX-License-Identifier: Apache-2.0 */
// Long executions.  With an argument two threads write to the same places, again and again: every move of one races with
// moves of the other.  Without, one thread reads for a long time and does nothing that others notice, but for one write at
// its end, which races with the only one of the other.
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#define PLACES 4096
static volatile int places[PLACES];
static int last;

static void *write_all(void *bit)
{
	for (int i = 0; i < 40000; i++)
		places[i * 7 % PLACES] ^= (int)(intptr_t)bit;
	return NULL;
}

static void *read_all(void *unused)
{
	int sum = 0;
	for (int i = 0; i < 3000; i++)
		sum += places[i % PLACES];
	last = sum + 2;
	return unused;
}

static void *write_last(void *unused)
{
	last = 1;
	return unused;
}

int main(int argc, char **argv)
{
	(void)argv;
	pthread_t a, b;
	pthread_create(&a, NULL, argc > 1 ? write_all : write_last, (void *)1);
	pthread_create(&b, NULL, argc > 1 ? write_all : read_all, (void *)2);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
