/* SPDX-License-Identifier: Apache-2.0 */
// A lost update among accesses that never meet anybody's: a change of threads in front of those shows nothing new.
#include "threads.h"

static int c, of_first, of_second, only_read = 3;

static void *prepare(void)
{
	return NULL;
}

static void *first(void *prepared)
{
	of_first = only_read;
	c = c + 1;
	return prepared;
}

static void *second(void *prepared)
{
	c = c + 1;
	of_second = only_read;
	return prepared;
}
