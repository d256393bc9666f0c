/* SPDX-License-Identifier: Apache-2.0 */
/* An assertion that always fails, in an execution that shows three races as well. */
#include <assert.h>
#include <pthread.h>

static int a, b, c;

static void *set(void *arg)
{
	(void)arg;
	a = b = c = 1;
	return NULL;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, set, NULL);
	int sum = a + b + c;
	pthread_join(t, NULL);
	assert(sum > 3);
	return 0;
}
