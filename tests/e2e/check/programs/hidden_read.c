/* SPDX-License-Identifier: Apache-2.0 */
// A function without hooks reads what another thread writes: a schedule in which that matters is not seen.
// OPTIONS --kinds=assertion,deadlock
// STATUS 0
// COMPLETE true
// ASSUMES no-sanitize:look
// ASSUMES compiled:-O0
#include <pthread.h>

static int value;

__attribute__((no_sanitize("thread"), noinline)) static int look(void)
{
	return value;
}

static void *change(void *arg)
{
	value = 1;
	return arg;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, change, NULL);
	int seen = look();
	pthread_join(t, NULL);
	return seen > 1;
}
