/* Reads memory that a library without hooks has written. */
#include <stdio.h>
#include <stdlib.h>

void silent_fill(char *block, int n);
char *silent_block(void);

int main(void)
{
	char *block = malloc(8);
	block[0] = 'x';
	silent_fill(block, 8);
	char *own = silent_block();
	printf("%c %d\n", block[0], own[3]);
	free(own);
	free(block);
	return 0;
}
