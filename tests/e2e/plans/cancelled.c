/* SPDX-License-Identifier: Apache-2.0 */
/* A thread is cancelled when it may have ended: before its point of cancellation, or too late. */
#include <pthread.h>
#include <stdio.h>

static int state;

static void *first(void *arg)
{
	pthread_testcancel();
	state = 1;
	return arg;
}

static void *second(void *arg)
{
	return arg;
}

int main(void)
{
	pthread_t t, u;
	void *result;
	pthread_create(&t, NULL, first, NULL);
	pthread_create(&u, NULL, second, NULL);
	pthread_join(u, NULL);
	pthread_cancel(t);
	pthread_join(t, &result);
	printf("%d%s\n", state, result == PTHREAD_CANCELED ? " cancelled" : "");
	return 0;
}
