/* SPDX-License-Identifier: Apache-2.0 */
// A data race is a finding, and the search goes on: all three orders are outcomes.
// OPTIONS --outcomes
// STATUS 1
// COMPLETE true
// KIND race
// OUTCOMES 1|2
#include <pthread.h>
#include <stdio.h>

static int x;

static void *other(void *unused)
{
	x = 2;
	return unused;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, other, NULL);
	x = 1;
	pthread_join(t, NULL);
	printf("%d", x);
	return 0;
}
