/* SPDX-License-Identifier: Apache-2.0 */
/*
 * KIND: race
 *
 * A table is made on first use; the quick test is made without the lock on a plain pointer.  Fixed:
 * always under the lock.
 */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int table[4], *ready_table;

static int *get_table(void)
{
#ifndef FIXED
	if (ready_table)
		return ready_table;
#endif
	pthread_mutex_lock(&lock);
	if (!ready_table) {
		for (int i = 0; i < 4; i++)
			table[i] = i * i;
		ready_table = table;
	}
	int *found = ready_table;
	pthread_mutex_unlock(&lock);
	return found;
}

static void *use(void *unused)
{
	return get_table()[2] == 4 ? unused : get_table();
}

int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, use, NULL);
	pthread_create(&b, NULL, use, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
