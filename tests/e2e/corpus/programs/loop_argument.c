/* SPDX-License-Identifier: Apache-2.0 */
/* Threads get a number.  Wrong: the address of the loop's counter, which goes on counting. */
#include <stdint.h>
#include "threads.h"

static int seen[3];

static void *work(void *argument)
{
#ifdef WRONG
	int number = *(int *)argument;
#else
	int number = (int)(intptr_t)argument;
#endif
	seen[number] = 1;
	return NULL;
}

int main(void)
{
	int i;
	for (i = 0; i < 2; i++)
#ifdef WRONG
		start(work, (long)&i);
#else
		start(work, i);
#endif
	finish();
	return seen[0] && seen[1] ? 0 : 1;
}
