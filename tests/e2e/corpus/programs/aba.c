/* SPDX-License-Identifier: Apache-2.0 */
/* A lock-free stack of two nodes, named by numbers, with a version beside the top.  Wrong: the version does not grow, so a
 * pop that was interrupted succeeds although the node below it is gone (ABA). */
#include <stdatomic.h>
#include "threads.h"

#ifdef WRONG
#define VERSION 0
#else
#define VERSION 0x100
#endif

static atomic_int below[3];	/* the node below each node; 0: none */
static atomic_int top;		/* the number of the top node, and the version in the upper bytes */

static int pop(void)
{
	int seen = atomic_load(&top), next;
	do {
		if (!(seen & 0xff))
			return 0;
		next = ((seen & ~0xff) + VERSION) | atomic_load(&below[seen & 0xff]);
	} while (!atomic_compare_exchange_strong(&top, &seen, next));
	return seen & 0xff;
}

static void push(int node)
{
	int seen = atomic_load(&top), next;
	do {
		atomic_store(&below[node], seen & 0xff);
		next = ((seen & ~0xff) + VERSION) | node;
	} while (!atomic_compare_exchange_strong(&top, &seen, next));
}

/* Takes both nodes, keeps the second one and puts the first one back. */
static void *rotate(void *unused)
{
	(void)unused;
	int first = pop(), second = pop();
	if (first)
		push(first);
	return (void *)(long)second;
}

int main(void)
{
	void *kept;
	push(2);
	push(1);
	start(rotate, 0);
	int mine[2] = {pop(), pop()};
	pthread_join(started[0], &kept);
	assert(!kept || ((long)kept != mine[0] && (long)kept != mine[1]));
	return 0;
}
