/* SPDX-License-Identifier: Apache-2.0 */
/*
 * KIND: race
 *
 * Two workers fill halves of a buffer; the first one writes one element too many.  Fixed: it does not.
 */
#include <pthread.h>
#include <stddef.h>

#define HALF 3
static int buffer[2 * HALF];

static void *first(void *unused)
{
#ifdef FIXED
	for (int i = 0; i < HALF; i++)
#else
	for (int i = 0; i <= HALF; i++)
#endif
		buffer[i] = 1;
	return unused;
}

static void *second(void *unused)
{
	for (int i = HALF; i < 2 * HALF; i++)
		buffer[i] = 2;
	return unused;
}

int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, first, NULL);
	pthread_create(&b, NULL, second, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return buffer[HALF] > 2;
}
