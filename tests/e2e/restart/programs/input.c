// RESTART inplace
// Every execution reads standard input from its beginning, and finds the same numbers.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(void)
{
	char line[64];
	unsigned random;
	if (!fgets(line, sizeof(line), stdin) || strcmp(line, "first\n"))
		return 1;
	printf("%d %d\n", (int)getpid(), getentropy(&random, sizeof(random)));
	fprintf(stderr, "%u\n", random);
	return getchar() == 's' ? 0 : 2;
}
