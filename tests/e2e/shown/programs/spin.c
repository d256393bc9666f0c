/* SPDX-License-Identifier: Apache-2.0 */
/* Two threads spin for ever in loops of two reads; a third one has ended. */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int go, stop;

static void *spinner(void *arg)
{
	while (!atomic_load(&go) &&
	       !atomic_load(&stop))
		;
	return arg;
}

static void *short_lived(void *arg)
{
	return arg;
}

int main(void)
{
	pthread_t t[3];
	pthread_create(&t[0], NULL, spinner, NULL);
	pthread_create(&t[1], NULL, spinner, NULL);
	pthread_create(&t[2], NULL, short_lived, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return 0;
}
