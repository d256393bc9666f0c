/* SPDX-License-Identifier: Apache-2.0 */
/* A thread uses what main sets after it has started that thread. */
#include <assert.h>
#include <pthread.h>

static const int *setting;

static void *use(void *unused)
{
	assert(setting);
	return unused;
}

int main(void)
{
	static const int value = 7;
	pthread_t t;
	pthread_create(&t, NULL, use, NULL);
	setting = &value;
	pthread_join(t, NULL);
	return 0;
}
