/* SPDX-License-Identifier: Apache-2.0 */
/* A thread prints.  Wrong: main does not wait for it, so that its line may be lost. */
#include <stdio.h>
#include "threads.h"

static void *print(void *unused)
{
	(void)unused;
	puts("done");
	return NULL;
}

int main(void)
{
	start(print, 0);
#ifndef WRONG
	finish();
#endif
	return 0;
}
