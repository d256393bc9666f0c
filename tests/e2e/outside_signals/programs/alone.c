/* SPDX-License-Identifier: Apache-2.0 */
/* One thread, which never waits: each SIGUSR1 is counted, SIGTERM ends it. */
#include <signal.h>
#include <stdio.h>

static volatile sig_atomic_t stop, seen;
static volatile unsigned steps;

static void on_usr1(int signal)
{
	(void)signal;
	seen++;
	puts("SIGUSR1");
	fflush(stdout);
}

static void on_term(int signal)
{
	(void)signal;
	stop = 1;
}

int main(void)
{
	signal(SIGUSR1, on_usr1);
	signal(SIGTERM, on_term);
	puts("ready");
	fflush(stdout);
	while (!stop)
		steps++;
	printf("end after %d\n", seen);
	return 0;
}
