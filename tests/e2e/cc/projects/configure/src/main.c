/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "words.h"

int main(int argc, char **argv)
{
	unsigned workers = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 2;
	char *lines[256], *line = NULL;
	size_t count = 0, room = 0;
	while (count < 256 && getline(&line, &room, stdin) > 0) {
		line[strcspn(line, "\n")] = 0;
		lines[count++] = strdup(line);
	}
	struct totals t = count_words((const char *const *)lines, count, workers);
	printf("%zu words, longest %zu, mean %.2f\n", t.words, t.longest, t.mean_length);
	for (size_t i = 0; i < count; i++)
		free(lines[i]);
	free(line);
	return 0;
}
