/* SPDX-License-Identifier: Apache-2.0 */
// An atomic operation in assembler: nobody sees it happen.
// OPTIONS --kinds=assertion,deadlock
// STATUS 0
// COMPLETE true
// ASSUMES asm:.*assembler.c:14
#include <pthread.h>

static int value;

static void *change(void *arg)
{
	int one = 0;
	__asm__ volatile("lock xaddl %0, %1" : "+r"(one), "+m"(value) : : "memory");
	return arg;
}

int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, change, NULL);
	pthread_create(&b, NULL, change, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
