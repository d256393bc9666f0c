/* SPDX-License-Identifier: Apache-2.0 */
/* An update is lost. */
#include <assert.h>
#include <pthread.h>

static int counter;

static void *count(void *unused)
{
	counter++;
	return unused;
}

int main(void)
{
	pthread_t t, u;
	pthread_create(&t, NULL, count, NULL);
	pthread_create(&u, NULL, count, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	assert(counter == 2);
	return 0;
}
