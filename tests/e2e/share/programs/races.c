/* SPDX-License-Identifier: Apache-2.0 */
// Two threads that race at 100 places, behind as many other steps as the argument says: to show all that can take long.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#define TEN(n) ONE(n##0) ONE(n##1) ONE(n##2) ONE(n##3) ONE(n##4) ONE(n##5) ONE(n##6) ONE(n##7) ONE(n##8) ONE(n##9)
#define ALL TEN(0) TEN(1) TEN(2) TEN(3) TEN(4) TEN(5) TEN(6) TEN(7) TEN(8) TEN(9)
#define ONE(n) static int place##n; static void set##n(void) { place##n = 1; }
ALL
#undef ONE
#define ONE(n) set##n();

static void *work(void *steps)
{
	atomic_int own = 0;
	for (int i = 0; i < *(int *)steps; i++)
		atomic_fetch_add(&own, 1);
	ALL
	return NULL;
}

int main(int argc, char **argv)
{
	int steps = argc > 1 ? atoi(argv[1]) : 0;
	pthread_t other;
	pthread_create(&other, NULL, work, &steps);
	work(&steps);
	pthread_join(other, NULL);
	return 0;
}
