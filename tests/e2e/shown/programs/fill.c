/* SPDX-License-Identifier: Apache-2.0 */
/* A function of libc writes many bytes, of which another thread writes one in the middle. */
#include <pthread.h>
#include <string.h>

static char page[100];

static void *mark(void *arg)
{
	(void)arg;
	page[77] = 1;
	return NULL;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, mark, NULL);
	memset(page, 0, sizeof(page));
	pthread_join(t, NULL);
	return 0;
}
