/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A timer that sends a signal, by real time.
 *
 * refused: alarm
 */
#include <assert.h>
#include <stdio.h>
#include <unistd.h>

int main(void)
{
	assert(alarm(1000) == 0 && alarm(0) > 0);
	puts("the timer was set");
	return 0;
}
