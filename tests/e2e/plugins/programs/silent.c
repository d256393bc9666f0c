/* A library that is built without heddle: fills a block of the caller's, has one of its own. */
#include <stdlib.h>
#include <string.h>

void silent_fill(char *block, int n)
{
	while (n--)
		block[n] = (char)('a' + n);
}

char *silent_block(void)
{
	char *own = malloc(8);
	for (int i = 0; i < 8; i++)
		own[i] = (char)i;
	return own;
}
