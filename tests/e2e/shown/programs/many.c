/* SPDX-License-Identifier: Apache-2.0 */
/* Sixty increments against sixty: 10,800 pairs of instructions, which are three pairs of lines. */
#include <pthread.h>

static int x;
#define TEN x++; x++; x++; x++; x++; x++; x++; x++; x++; x++;

static void *work(void *arg)
{
	(void)arg;
	TEN TEN TEN TEN TEN TEN
	return NULL;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, work, NULL);
	TEN TEN TEN TEN TEN TEN
	pthread_join(t, NULL);
	return 0;
}
