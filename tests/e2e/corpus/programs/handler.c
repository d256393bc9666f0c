/* SPDX-License-Identifier: Apache-2.0 */
/* A signal handler counts.  Wrong: it takes the lock that the interrupted thread may hold. */
#include <signal.h>
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile sig_atomic_t signals;
static int work_done;

static void on_signal(int number)
{
	(void)number;
#ifdef WRONG
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
#endif
	signals = 1;
}

static void *work(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&lock);
	work_done++;
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	signal(SIGUSR1, on_signal);
	start(work, 0);
	pthread_kill(started[0], SIGUSR1);
	finish();
	return 0;
}
