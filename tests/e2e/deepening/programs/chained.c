/* SPDX-License-Identifier: Apache-2.0 */
// Races behind races: the second pair of lines runs only if the first race went wrong, and the failure only if both did.
#include "threads.h"

static int x, y;
static bool first_x, first_y, second_x, second_y;

static void *prepare(void)
{
	return NULL;
}

static void *first(void *prepared)
{
	x = x + 1;
	first_x = true;
	if (x == 1 && second_x) {
		y = y + 1;
		first_y = true;
		if (y == 1 && second_y)
			abort();
	}
	return prepared;
}

static void *second(void *prepared)
{
	x = x + 1;
	second_x = true;
	if (x == 1 && first_x) {
		y = y + 1;
		second_y = true;
		if (y == 1 && first_y)
			abort();
	}
	return prepared;
}
