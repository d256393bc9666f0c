/* SPDX-License-Identifier: Apache-2.0 */
/* POSIX spin locks, one for each of two counters.  Wrong: both threads use their own lock for the same counter. */
#include "threads.h"

static pthread_spinlock_t locks[2];
static int counters[2];

static void *add(void *argument)
{
	long mine = (long)argument;
#ifdef WRONG
	int *counter = &counters[0];
#else
	int *counter = &counters[mine];
#endif
	pthread_spin_lock(&locks[mine]);
	++*counter;
	pthread_spin_unlock(&locks[mine]);
	return NULL;
}

int main(void)
{
	pthread_spin_init(&locks[0], PTHREAD_PROCESS_PRIVATE);
	pthread_spin_init(&locks[1], PTHREAD_PROCESS_PRIVATE);
	start(add, 0);
	start(add, 1);
	start(add, 0);
	finish();
	return counters[0] + counters[1] == 3 ? 0 : 1;
}
