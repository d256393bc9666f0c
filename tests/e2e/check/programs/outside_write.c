/* SPDX-License-Identifier: Apache-2.0 */
// Inline assembler changes memory without a hook: what others may see of it in between is not known.
// STATUS 4
// COMPLETE false
// INCONCLUSIVE sight
// ASSUMES outside-write:
#include <pthread.h>
#include <stdio.h>

static int value;

static void *change(void *arg)
{
	__asm__ volatile("movl $1, %0" : "=m"(value));
	return arg;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, change, NULL);
	int seen = value;
	pthread_join(t, NULL);
	printf("%d %d\n", seen, value);
	return 0;
}
