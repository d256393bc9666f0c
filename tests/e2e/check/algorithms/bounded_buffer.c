/* SPDX-License-Identifier: Apache-2.0 */
// A buffer for one element, two producers and a consumer.  WRONG: a waiter does not test its condition again, so that an element is put
// over another one if a producer comes between; the consumer then waits for ever.
#define THREADS 3
#include "common.h"

#ifdef WRONG
#define WAIT_WHILE if
#define ELEMENTS 3
#else
#define WAIT_WHILE while
#define ELEMENTS 2
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER, not_empty = PTHREAD_COND_INITIALIZER;
static int is_full, sum;

static void *body(void *number)
{
	int which = *(int *)number, rounds = which == 0 ? ELEMENTS : which == 1 ? ELEMENTS - 1 : 1;
	for (int k = 0; k < rounds; k++) {
		pthread_mutex_lock(&lock);
		if (which == 0) {
			WAIT_WHILE (!is_full)
				pthread_cond_wait(&not_empty, &lock);
			is_full = 0;
			sum++;
			pthread_cond_signal(&not_full);
		} else {
			WAIT_WHILE (is_full)
				pthread_cond_wait(&not_full, &lock);
			is_full = 1;
			pthread_cond_signal(&not_empty);
		}
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

int main(void)
{
	run_threads();
	assert(sum == ELEMENTS && !is_full);
	return 0;
}
