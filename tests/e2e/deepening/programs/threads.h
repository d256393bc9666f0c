/* SPDX-License-Identifier: Apache-2.0 */
/* Two threads, after `prepare`; what it gives is an argument of both, so that nobody has to read it from shared memory. */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

static void *prepare(void);
static void *first(void *prepared);
static void *second(void *prepared);

int main(void)
{
	pthread_t a, b;
	void *prepared = prepare();
	pthread_create(&a, NULL, first, prepared);
	pthread_create(&b, NULL, second, prepared);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
