/* SPDX-License-Identifier: Apache-2.0 */
/* A buffer is cleared while another thread fills a byte of it.  Wrong: the byte is inside what is cleared. */
#include <string.h>
#include "threads.h"

static char buffer[64];

static void *fill(void *unused)
{
	(void)unused;
#ifdef WRONG
	buffer[31] = 1;
#else
	buffer[32] = 1;
#endif
	return NULL;
}

int main(void)
{
	start(fill, 0);
	memset(buffer, 0, 32);
	finish();
	return 0;
}
