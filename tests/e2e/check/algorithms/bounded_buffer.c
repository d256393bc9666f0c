// SPDX-License-Identifier: Apache-2.0
// A buffer for one element, two producers and a consumer.  WRONG: one condition variable for both, and signal, which is
// enough for so few threads.
#define THREADS 3
#include "common.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER, not_empty = PTHREAD_COND_INITIALIZER;
static int is_full, sum;

#ifdef WRONG
#define WAIT_FULL() pthread_cond_wait(&not_full, &lock)
#define WAIT_EMPTY() pthread_cond_wait(&not_full, &lock)
#define TELL_FULL() pthread_cond_signal(&not_full)
#define TELL_EMPTY() pthread_cond_signal(&not_full)
#else
#define WAIT_FULL() pthread_cond_wait(&not_empty, &lock)
#define WAIT_EMPTY() pthread_cond_wait(&not_full, &lock)
#define TELL_FULL() pthread_cond_signal(&not_empty)
#define TELL_EMPTY() pthread_cond_signal(&not_full)
#endif

static void *body(void *number)
{
	int rounds = *(int *)number == 0 ? 2 : 1;
	for (int k = 0; k < rounds; k++) {
		pthread_mutex_lock(&lock);
		if (*(int *)number == 0) {
			while (!is_full)
				WAIT_FULL();
			is_full = 0;
			sum++;
			TELL_EMPTY();
		} else {
			while (is_full)
				WAIT_EMPTY();
			is_full = 1;
			TELL_FULL();
		}
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

int main(void)
{
	(void)not_empty;
	run_threads();
	assert(sum == 2 && !is_full);
	return 0;
}
