/* SPDX-License-Identifier: Apache-2.0 */
// Tool and program share a processor while they take turns, but the program sees all that it may use.
// OPTIONS --outcomes
// STATUS 0
// COMPLETE true
// OUTCOMES all
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

static void *other(void *unused)
{
	(void)unused;
	return NULL;
}

int main(void)
{
	pthread_t t;
	cpu_set_t set, mine;
	pthread_create(&t, NULL, other, NULL);
	pthread_join(t, NULL);
	if (sched_getaffinity(0, sizeof(set), &set) || pthread_getaffinity_np(pthread_self(), sizeof(mine), &mine))
		return 2;
	puts(CPU_EQUAL(&set, &mine) && (sysconf(_SC_NPROCESSORS_ONLN) < 2 || CPU_COUNT(&set) > 1) ? "all" : "one");
	return 0;
}
