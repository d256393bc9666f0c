// RESTART inplace
// State that few programs change, in a table that is put back only then: handlers of signals.
#include <assert.h>
#include <pthread.h>
#include <signal.h>

static int handled;

static void on_signal(int signal) { handled += signal; }

static void *other(void *unused)
{
	return unused;
}

int main(void)
{
	pthread_t thread;
	struct sigaction action = { .sa_handler = on_signal }, before;
	pthread_create(&thread, NULL, other, NULL);
	assert(!sigaction(SIGUSR2, &action, &before) && before.sa_handler == SIG_DFL);
	action.sa_flags = SA_RESETHAND;
	assert(!sigaction(SIGUSR1, &action, &before) && before.sa_handler == SIG_DFL);
	raise(SIGUSR1);
	assert(handled == SIGUSR1);
	assert(!sigaction(SIGUSR1, NULL, &before) && before.sa_handler == SIG_DFL);
	pthread_join(thread, NULL);
	return 0;
}
