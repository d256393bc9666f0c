/* SPDX-License-Identifier: Apache-2.0 */
/* A handler of SIGTERM ends a program of which each part waits in another way, as the argument says. */
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

static atomic_int stop;
static sem_t end;
static int counter, descriptor;
static pid_t sender;

static void on_term(int signal, siginfo_t *info, void *context)
{
	(void)signal, (void)context;
	sender = info->si_pid;
	atomic_store(&stop, 1);
	sem_post(&end);
}

static void *sleeps(void *unused)
{
	while (!atomic_load(&stop))
		usleep(1000);
	return unused;
}

static void *computes(void *unused)
{
	while (!atomic_load_explicit(&stop, memory_order_relaxed))
		counter++;
	return unused;
}

static void *waits(void *unused)
{
	while (sem_wait(&end))
		;
	return unused;
}

static void *reads(void *unused)
{
	unsigned long n;
	while (read(descriptor, &n, sizeof(n)) != sizeof(n) && !atomic_load(&stop))
		;
	return unused;
}

static void *awaits(void *unused)
{
	sigset_t set;
	int signal;
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigwait(&set, &signal);
	printf("sigwait: %s\n", strsignal(signal));
	return unused;
}

static void *pauses(void *unused)
{
	pause();
	return unused;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void *(*start)(void *);
	} ways[] = { { "sleeps", sleeps }, { "computes", computes }, { "waits", waits },
		     { "reads", reads },   { "awaits", awaits },     { "pauses", pauses } };
	struct sigaction action = { .sa_sigaction = on_term, .sa_flags = SA_SIGINFO };
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sem_init(&end, 0, 0);
	descriptor = eventfd(0, 0);
	pthread_t t;
	for (unsigned i = 0; argc > 1 && i < sizeof(ways) / sizeof(*ways); i++) {
		if (strcmp(argv[1], ways[i].name))
			continue;
		if (ways[i].start == awaits)
			pthread_sigmask(SIG_BLOCK, &set, NULL);
		else
			sigaction(SIGTERM, &action, NULL);
		pthread_create(&t, NULL, ways[i].start, NULL);
		/* the other one gets it */
		pthread_sigmask(SIG_BLOCK, &set, NULL);
		puts("ready");
		fflush(stdout);
		pthread_join(t, NULL);
	}
	printf("end, the sender is %s\n", sender == getppid() ? "the parent" : "another");
	return 0;
}
