/* SPDX-License-Identifier: Apache-2.0 */
/* Two signals come before their thread takes one: the handler of the second one begins where the
 * handler of the first one has just begun. */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

static atomic_int order;

static void handle(int number)
{
	order = order * 10 + (number == SIGUSR1 ? 1 : 2);
}

static void *receive(void *arg)
{
	return arg;
}

int main(void)
{
	struct sigaction action = { .sa_handler = handle };
	pthread_t t;
	sigaction(SIGUSR1, &action, NULL);
	sigaction(SIGUSR2, &action, NULL);
	pthread_create(&t, NULL, receive, NULL);
	pthread_kill(t, SIGUSR1);
	pthread_kill(t, SIGUSR2);
	pthread_join(t, NULL);
	assert(order != 21);
	return 0;
}
