/* SPDX-License-Identifier: Apache-2.0 */
/* With -DLIBRARY a shared library with an unlocked counter, otherwise a program that uses it. */
#ifdef LIBRARY
static int counter;
void count(void)
{
	counter++;
}
#else
#include <pthread.h>
void count(void);

static void *work(void *arg)
{
	count();
	return arg;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, work, NULL);
	count();
	pthread_join(t, NULL);
	return 0;
}
#endif
