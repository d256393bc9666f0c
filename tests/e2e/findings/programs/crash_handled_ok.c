// The handler of the fault jumps away, and the program goes on.
// EXPECT record: status 0
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>

static sigjmp_buf out;

static void leave(int signal)
{
	siglongjmp(out, signal);
}

static void *fault(void *unused)
{
	if (!sigsetjmp(out, 1))
		*(volatile int *)8 = 1;
	return unused;
}

int main(void)
{
	pthread_t t;
	signal(SIGSEGV, leave);
	pthread_create(&t, NULL, fault, NULL);
	pthread_join(t, NULL);
	return 0;
}
