/* SPDX-License-Identifier: Apache-2.0 */
// The process may end before, between and after what a thread writes, and by either thread.
// OPTIONS --outcomes
// STATUS 0
// COMPLETE true
// OUTCOMES |a|ab|ab
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static void *other(void *unused)
{
	write(1, "a", 1);
	write(1, "b", 1);
	exit(3);
	return unused;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, other, NULL);
	return 0;
}
