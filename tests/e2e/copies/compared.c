/* SPDX-License-Identifier: Apache-2.0 */
/* Two variables are compared by one call, which cannot be divided, while another thread changes both. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static int first, second;

static void *writer(void *arg)
{
	first = 1;
#ifndef ONE
	second = 1;
#endif
	return arg;
}

int main(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, writer, NULL);
	volatile size_t size = sizeof(first);
	puts(memcmp(&first, &second, size) ? "different" : "the same");
	pthread_join(thread, NULL);
	return 0;
}
