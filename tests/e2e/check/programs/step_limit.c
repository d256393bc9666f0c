/* SPDX-License-Identifier: Apache-2.0 */
// An execution that is cut off by the limit of steps withholds `complete`.
// OPTIONS --steps=2000
// STATUS 4
// COMPLETE false
// INCONCLUSIVE limit
#include <pthread.h>

static volatile unsigned n;

int main(void)
{
	for (unsigned i = 0; i < 100000; i++)
		n += i;
	return 0;
}
