/* SPDX-License-Identifier: Apache-2.0 */
/* Option parsing: each line is a word of the command line. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "base/opts.h"

#define WORDS_MAX 64

static void run(const uint8_t *bytes, size_t len)
{
	static const char *const choices[] = { "one", "two", "three", NULL };
	bool flag = false, help = false;
	uint64_t number = 0;
	const char *string = NULL;
	int choice = 0, operand = 0, argc = 1;
	const struct opt table[] = {
		{ 'f', "flag", OPT_FLAG, &flag, NULL, "A flag.", 0, 0, NULL },
		{ 'n', "number", OPT_NUMBER, &number, "N", "A number.", 3, 1000, NULL },
		{ 's', "string", OPT_STRING, &string, "TEXT", "Any text.", 0, 0, NULL },
		{ 0, "choice", OPT_CHOICE, &choice, NULL, "A choice.", 0, 0, choices },
		{ 0, NULL, OPT_FLAG, NULL, NULL, NULL, 0, 0, NULL },
	};
	const struct opt_spec spec = {
		.command = "fuzz", .operands = "FILE", .summary = "Nothing.", .table = table
	};
	char *text = malloc(len + 1), *argv[WORDS_MAX + 2] = { (char *)"fuzz" };
	memcpy(text, bytes, len);
	text[len] = 0;
	for (char *word = strtok(text, "\n"); word && argc <= WORDS_MAX; word = strtok(NULL, "\n"))
		argv[argc++] = word;
	struct err err;
	if (!opts_parse(&spec, argc, argv, &operand, &help, &err) && !help) {
		if (operand < 1 || operand > argc || choice < 0 || choice > 2 ||
		    (number && (number < 3 || number > 1000)))
			abort();
	}
	free(text);
}

const struct fuzz_target fuzz_options = { "options", run, NULL };
