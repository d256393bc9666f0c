/* SPDX-License-Identifier: Apache-2.0 */
/* A maximum is kept by a loop of compare and exchange.  Wrong: it is not tried again after a failure. */
#include <stdatomic.h>
#include "threads.h"

static atomic_int most;

static void *offer(void *argument)
{
	int value = (int)(long)argument, seen = atomic_load(&most);
	while (seen < value) {
		if (atomic_compare_exchange_strong(&most, &seen, value))
			break;
#ifdef WRONG
		break;
#endif
	}
	return NULL;
}

int main(void)
{
	start(offer, 2);
	start(offer, 3);
	finish();
	assert(most == 3);
	return 0;
}
