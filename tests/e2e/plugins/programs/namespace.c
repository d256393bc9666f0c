/* A namespace of its own would have a libc of its own. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	(void)argc;
	printf("%d\n", dlmopen(LM_ID_NEWLM, argv[1], RTLD_NOW) != NULL);
	return 0;
}
