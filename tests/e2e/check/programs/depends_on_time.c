/* SPDX-License-Identifier: Apache-2.0 */
// The processor's clock is read out of sight: the same schedule does not do the same again.
// OPTIONS --kinds=deadlock
// STATUS 4
// COMPLETE false
// INCONCLUSIVE plan\|same
#include <pthread.h>
#include <stdio.h>

static int value;

static void *change(void *arg)
{
	unsigned low, high;
	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	for (unsigned i = 0; i < (low >> 4) % 64; i++)
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
