/* SPDX-License-Identifier: Apache-2.0 */
/* Two threads pass a turn to and fro and yield while they wait.  Wrong: one plays fewer rounds than the other. */
#include <sched.h>
#include <stdatomic.h>
#include "threads.h"

#ifdef WRONG
#define ROUNDS_OF_FIRST 1
#else
#define ROUNDS_OF_FIRST 2
#endif

static atomic_int turn;

static void *play(void *argument)
{
	int me = (int)(long)argument, rounds = me == 0 ? ROUNDS_OF_FIRST : 2;
	while (rounds-- > 0) {
		while (atomic_load(&turn) != me)
			sched_yield();
		atomic_store(&turn, 1 - me);
	}
	return NULL;
}

int main(void)
{
	start(play, 0);
	start(play, 1);
	finish();
	return 0;
}
