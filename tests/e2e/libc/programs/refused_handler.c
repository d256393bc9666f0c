/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A signal handler would run in the middle of a step.
 *
 * refused: sigaction with a handler
 */
#include <assert.h>
#include <signal.h>
#include <stdio.h>

static volatile sig_atomic_t seen;

static void handler(int signal)
{
	seen = signal;
}

int main(void)
{
	struct sigaction action = { .sa_handler = handler };
	assert(!sigaction(SIGUSR1, &action, NULL) && !raise(SIGUSR1) && seen == SIGUSR1);
	puts("the handler ran");
	return 0;
}
