/* SPDX-License-Identifier: Apache-2.0 */
/* Two threads wait for a gate that stays open.  Wrong: only one of them is woken. */
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t opened = PTHREAD_COND_INITIALIZER;
static int is_open;

static void *pass(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&lock);
	while (!is_open)
		pthread_cond_wait(&opened, &lock);
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	start(pass, 0);
	start(pass, 0);
	pthread_mutex_lock(&lock);
	is_open = 1;
#ifdef WRONG
	pthread_cond_signal(&opened);
#else
	pthread_cond_broadcast(&opened);
#endif
	pthread_mutex_unlock(&lock);
	finish();
	return 0;
}
