/* SPDX-License-Identifier: Apache-2.0 */
/* Two threads that run for some seconds under control. */
#include <pthread.h>

static volatile unsigned long turns;

static void *work(void *unused)
{
	for (int i = 0; i < 3000000; i++)
		turns++;
	return unused;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, work, NULL);
	work(NULL);
	pthread_join(t, NULL);
}
