/* SPDX-License-Identifier: Apache-2.0 */
/* A thread other than main follows a null pointer. */
#include <pthread.h>
#include <stddef.h>

static int *nothing;

static void *work(void *unused)
{
	int before = 12;
	before += *nothing;	/* LINE crash */
	return unused + before;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, work, NULL);
	pthread_join(t, NULL);
}
