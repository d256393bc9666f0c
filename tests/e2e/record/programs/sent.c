// The program sends itself a signal that stands for a fault.
#include <signal.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "raise"))
		raise(SIGSEGV);
	else
		kill(getpid(), SIGSEGV);
	return 0;
}
