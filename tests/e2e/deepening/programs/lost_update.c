/* SPDX-License-Identifier: Apache-2.0 */
#include "threads.h"

static int c;

static void *prepare(void)
{
	return NULL;
}

static void *first(void *prepared)
{
	c = c + 1;
	return prepared;
}

static void *second(void *prepared)
{
	c = c + 1;
	return prepared;
}
