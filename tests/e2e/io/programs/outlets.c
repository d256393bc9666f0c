/* SPDX-License-Identifier: Apache-2.0 */
/* Ways to standard output, and away from it. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/uio.h>
#include <unistd.h>

static void put(int fd, const char *text)
{
	if (write(fd, text, strlen(text)) < 0)
		_exit(1);
}

int main(void)
{
	put(1, "write\n");
	int twin = dup(1);
	put(twin, "duplicate\n");
	struct iovec parts[2] = { { "two ", 4 }, { "parts\n", 6 } };
	if (writev(1, parts, 2) != 10)
		return 1;
	dprintf(2, "to standard error\n");
	int in = open("seen", O_RDONLY);
	if (sendfile(1, in, NULL, 1000) < 0)
		return 1;
	lseek(in, 0, SEEK_SET);
	FILE *named = fopen("/dev/stdout", "a");
	if (named)
		fputs("by its name\n", named);
	if (named)
		fclose(named);
	int file = open("elsewhere", O_WRONLY | O_CREAT | O_TRUNC, 0600);
	dup2(file, 1);
	put(1, "to a file\n");
	dup2(twin, 1);
	put(1, "back again\n");
	close(twin);
	printf("at the end\n");
	return 0;
}
