// expect: errno-in-handler:observed signal-unsafe:observed
// A handler that allocates and changes errno, of a signal that another thread sends.
// TSAN: signal-unsafe call inside of a signal
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static atomic_int done;
static void *volatile kept;
static void allocate(void)
{
	kept = malloc(10);
}
static void handle(int number)
{
	allocate();
	errno = EINVAL;
	done = number;
}
static void *send(void *main_thread)
{
	pthread_kill(*(pthread_t *)main_thread, SIGUSR1);
	return 0;
}
int main(void)
{
	struct sigaction action = { .sa_handler = handle };
	pthread_t t, self = pthread_self();
	sigaction(SIGUSR1, &action, 0);
	pthread_create(&t, 0, send, &self);
	while (!done)
		usleep(1000);
	return pthread_join(t, 0);
}
