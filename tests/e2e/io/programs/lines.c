/* SPDX-License-Identifier: Apache-2.0 */
/* Standard input by every road: read, getc, fgets, scanf, getline, fread, ungetc, end of file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(void)
{
	char line[64], *whole = NULL, block[8];
	size_t room = 0;
	int a, b;
	char first;
	if (read(0, &first, 1) == 1)
		printf("read: %c\n", first);
	printf("getc: %c\n", getc(stdin));
	ungetc('!', stdin);
	if (fgets(line, sizeof(line), stdin))
		printf("fgets: %s", line);
	if (scanf("%d %d", &a, &b) == 2)
		printf("scanf: %d\n", a + b);
	if (getline(&whole, &room, stdin) >= 0 && getline(&whole, &room, stdin) >= 0)
		printf("getline: %s", whole);
	size_t n = fread(block, 1, sizeof(block), stdin);
	printf("fread: %zu %.*s\n", n, (int)n, block);
	printf("rest: %d %d %d\n", getchar(), feof(stdin), ferror(stdin));
	free(whole);
	return 0;
}
