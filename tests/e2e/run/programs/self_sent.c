// expect: errno-in-handler:potential signal-unsafe:potential
// The same of a signal that the thread sends to itself: nothing shows that others send it.
#include <errno.h>
#include <signal.h>
#include <stdio.h>
static void handle(int number)
{
	printf("%d\n", number);
	errno = EINVAL;
}
int main(void)
{
	signal(SIGUSR1, handle);
	raise(SIGUSR1);
	return 0;
}
