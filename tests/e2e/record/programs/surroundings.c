/* SPDX-License-Identifier: Apache-2.0 */
/* Prints everything that a process gets from its parent, and ends with a status of its own. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

extern char **environ;

static void *count(void *lines)
{
	++*(int *)lines;
	return NULL;
}

int main(int argc, char **argv)
{
	char where[4096], line[256];
	int lines = 0;
	printf("directory %s\n", getcwd(where, sizeof(where)) ? where : "?");
	for (int i = 1; i < argc; i++)
		printf("argument '%s'\n", argv[i]);
	for (char **e = environ; *e; e++)
		printf("environment '%s'\n", *e);
	for (int fd = 0; fd < 256; fd++)
		if (fcntl(fd, F_GETFD) != -1)
			printf("descriptor %d\n", fd);
	while (fgets(line, sizeof(line), stdin)) {
		pthread_t t;
		pthread_create(&t, NULL, count, &lines);
		pthread_join(t, NULL);
		fprintf(stderr, "line %d is %s", lines, line);
	}
	return argc > 1 ? atoi(argv[1]) : 0;
}
