/* SPDX-License-Identifier: Apache-2.0 */
// Reads what was never written on its stack, right after hooks and switches have run there.
#include <pthread.h>
#include <stdio.h>

static volatile int shared;
static volatile unsigned long sum;

static __attribute__((noinline)) void touch(int n)
{
	shared += n;
	shared ^= n;
}

/* The address is given away, so that the compiler takes the content as it is. */
static __attribute__((noinline)) void look(void)
{
	unsigned char room[1024];
	unsigned long seen = 0;
	__asm__ volatile("" : : "r"(room) : "memory");
	for (unsigned i = 0; i < sizeof(room); i++)
		seen = seen * 31 + room[i];
	sum += seen;
}

static void *work(void *unused)
{
	for (int i = 0; i < 8; i++) {
		touch(i);
		look();
	}
	return unused;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, work, NULL);
	work(NULL);
	pthread_join(t, NULL);
	printf("%lu\n", sum);
	return 0;
}
