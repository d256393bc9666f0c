/* SPDX-License-Identifier: Apache-2.0 */
// Random numbers of the processor are read out of sight: the same schedule does not do the same again.
// OPTIONS --kinds=deadlock
// STATUS 4
// COMPLETE false
// INCONCLUSIVE plan\|same
#include <pthread.h>
#include <stdio.h>

static int value;

static void *change(void *arg)
{
	unsigned number;
	__asm__ volatile("rdrand %0" : "=r"(number));
	for (unsigned i = 0; i < number % 64; i++)
		value++;
	return arg;
}

int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, change, NULL);
	pthread_create(&b, NULL, change, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return value < 0;
}
