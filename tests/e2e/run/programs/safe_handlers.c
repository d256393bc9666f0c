// expect:
// Handlers that do what they may: keep errno, write, are left by siglongjmp before malloc is called, run only in sigsuspend, are
// of a fault or a broken pipe, set the default action again, run in a thread that was just sent a signal and then allocates.
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
static atomic_int done;
static sigjmp_buf again;
static void *volatile kept;
static void keeps(int number)
{
	int error = errno;
	done = number;
	write(-1, "", 1);
	errno = error;
}
static void leaves(int number)
{
	siglongjmp(again, number);
}
static void waits(int number)
{
	kept = malloc(20);
	errno = number;
	done = number;
}
static void breaks(int number)
{
	printf("no reader, %d\n", number);
}
static void faults(int number, siginfo_t *info, void *context)
{
	(void)context;
	kept = malloc(30);
	errno = number;
	mprotect(info->si_addr, 4096, PROT_READ | PROT_WRITE);
}
static void last(int number)
{
	signal(number, SIG_DFL);
	errno = number;
	raise(number);
}
static void *send(void *number)
{
	kill(getpid(), *(int *)number);
	return 0;
}
static void get(int number, void (*handle)(int))
{
	pthread_t t;
	done = 0;
	signal(number, handle);
	pthread_create(&t, 0, send, &number);
	if (sigsetjmp(again, 1))
		done = 1;
	while (!done)
		usleep(1000);
	pthread_join(t, 0);
	kept = malloc(50);
}
int main(void)
{
	struct sigaction fault = { .sa_sigaction = faults, .sa_flags = SA_SIGINFO };
	sigset_t one, old;
	int pipes[2];
	get(SIGUSR1, keeps);
	get(SIGUSR2, leaves);
	signal(SIGHUP, waits);
	sigemptyset(&one);
	sigaddset(&one, SIGHUP);
	sigprocmask(SIG_BLOCK, &one, &old);
	kill(getpid(), SIGHUP);
	sigsuspend(&old);
	signal(SIGPIPE, breaks);
	if (!pipe(pipes)) {
		close(pipes[0]);
		write(pipes[1], "x", 1);
	}
	sigaction(SIGSEGV, &fault, 0);
	char *page = mmap(0, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	page[0] = 1;
	pid_t child = fork();
	if (!child) {
		signal(SIGTERM, last);
		for (;;)
			pause();
	}
	usleep(10000);
	kill(child, SIGTERM);
	waitpid(child, 0, 0);
	/* A handler of the default is not seen by the program. */
	sigaction(SIGBUS, 0, &fault);
	return fault.sa_handler != SIG_DFL || fault.sa_flags;
}
