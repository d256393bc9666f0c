/* SPDX-License-Identifier: Apache-2.0 */
/* Two threads print a line each, in two calls.  Wrong: without the lock of the stream around them. */
#include <stdio.h>
#include "threads.h"

static void *print(void *argument)
{
	const char *word = argument;
#ifndef WRONG
	flockfile(stdout);
#endif
	fputs(word, stdout);
	putchar('\n');
#ifndef WRONG
	funlockfile(stdout);
#endif
	return NULL;
}

int main(void)
{
	start(print, (long)"ab");
	start(print, (long)"cd");
	finish();
	return 0;
}
