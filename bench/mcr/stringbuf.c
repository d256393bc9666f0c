/* SPDX-License-Identifier: Apache-2.0 */
/* A buffer is appended to another: its length is asked for under its lock, its content taken under the lock
 * again. */
#include "threads.h"

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static int length = 3, text[4] = { 1, 2, 3 };

static int length_of(void)
{
	pthread_mutex_lock(&guard);
	int n = length;
	pthread_mutex_unlock(&guard);
	return n;
}

static void *append(void *unused)
{
	int n = length_of(), sum = 0;
	pthread_mutex_lock(&guard);
	assert(n <= length);
	for (int i = 0; i < n; i++)
		sum += text[i];
	pthread_mutex_unlock(&guard);
	return sum ? unused : NULL;
}

static void *erase(void *unused)
{
	pthread_mutex_lock(&guard);
	length = 0;
	pthread_mutex_unlock(&guard);
	return unused;
}

int main(void)
{
	run_two(append, erase);
	return 0;
}
