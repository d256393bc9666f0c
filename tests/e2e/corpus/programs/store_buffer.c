/* SPDX-License-Identifier: Apache-2.0 */
/* Two threads announce themselves and look for the other one, to be run under TSO.  Wrong: no fence between. */
#include <stdatomic.h>
#include "threads.h"

static atomic_int here[2];
static int alone[2];

static void *enter(void *argument)
{
	long me = (long)argument;
	atomic_store_explicit(&here[me], 1, memory_order_relaxed);
#ifndef WRONG
	atomic_thread_fence(memory_order_seq_cst);
#endif
	alone[me] = !atomic_load_explicit(&here[1 - me], memory_order_relaxed);
	return NULL;
}

int main(void)
{
	start(enter, 0);
	start(enter, 1);
	finish();
	assert(!(alone[0] && alone[1]));
	return 0;
}
