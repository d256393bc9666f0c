/* SPDX-License-Identifier: Apache-2.0 */
/* A thread takes signals by sigwait.  Wrong: it asks for another signal than the one that is sent. */
#include <signal.h>
#include "threads.h"

static sigset_t set;
static int result;

static void *receive(void *unused)
{
	(void)unused;
	int number;
	sigwait(&set, &number);
	result++;
	return NULL;
}

int main(void)
{
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGUSR2);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
#ifdef WRONG
	sigdelset(&set, SIGUSR2);
#endif
	result = 1;
	start(receive, 0);
	pthread_kill(started[0], SIGUSR2);
	finish();
	assert(result == 2);
	return 0;
}
