// The program has a handler for the fault, which ends the process: it runs, and the fault is reported.
// EXPECT record: status 1, kind crash
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static void give_up(int signal)
{
	_exit(signal);
}

static void *fault(void *unused)
{
	(void)unused;
	*(volatile int *)8 = 1;	// PLACE
	return NULL;
}

int main(void)
{
	pthread_t t;
	signal(SIGSEGV, give_up);
	pthread_create(&t, NULL, fault, NULL);
	pthread_join(t, NULL);
	return 0;
}
