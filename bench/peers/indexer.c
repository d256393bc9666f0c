/* SPDX-License-Identifier: Apache-2.0 */
/* THREADS threads insert four messages each into a hash table of 128 places by compare and swap. */
#include "threads.h"

#define PLACES 128
#define MESSAGES 4

static _Atomic int table[PLACES];

static void *insert(void *number)
{
	for (int i = 1; i <= MESSAGES; i++) {
		int message = i * 11 + NUMBER(number), place = message * 7 % PLACES, empty = 0;
		while (!atomic_compare_exchange_strong(&table[place], &empty, message)) {
			place = (place + 1) % PLACES;
			empty = 0;
		}
	}
	return NULL;
}

int main(void)
{
	start_all(THREADS, insert);
	join_all(THREADS);
	return 0;
}
