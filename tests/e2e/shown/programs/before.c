/* SPDX-License-Identifier: Apache-2.0 */
/* The racing access has been made, by the same instruction, before main: a snapshot at main does not list that. */
#include <pthread.h>

static int shared;

static void touch(void)
{
	shared++;
}

__attribute__((constructor)) static void early(void)
{
	touch();
	touch();
}

static void *work(void *arg)
{
	touch();
	return arg;
}

int main(void)
{
	pthread_t t;
	touch();
	pthread_create(&t, NULL, work, NULL);
	touch();
	pthread_join(t, NULL);
	return 0;
}
