/* SPDX-License-Identifier: Apache-2.0 */
/* A thread waits in a loop that changes a variable of its own, and back: nothing that lasts, but
 * another thread looks at the variable, for the first time perhaps when the loop has been going on
 * for long, and waits for what is there in between. */
#include <pthread.h>
#include <stdatomic.h>

static _Atomic(atomic_int *) place;
static atomic_int stop;

static void *look(void *arg)
{
	atomic_int *p;
	while (!(p = place))
		;
	while (!*p)
		;
	stop = 1;
	return arg;
}

int main(void)
{
	pthread_t t;
	atomic_int mine = 0;
	pthread_create(&t, NULL, look, NULL);
	place = &mine;
	while (!stop) {
		mine = 1;
		mine = 0;
	}
	pthread_join(t, NULL);
	return 0;
}
