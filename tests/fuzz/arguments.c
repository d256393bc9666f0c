/* SPDX-License-Identifier: Apache-2.0 */
/* Command lines of compilers, each line a word: taken apart, with nothing lost but response
 * files, which are expanded. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "cc/args.h"

#define WORDS_MAX 64

static void run(const uint8_t *bytes, size_t len)
{
	char *text = malloc(len + 1), *argv[WORDS_MAX + 2] = { (char *)"cc" };
	int argc = 1;
	bool has_files = false;
	memcpy(text, bytes, len);
	text[len] = 0;
	for (char *word = strtok(text, "\n"); word && argc <= WORDS_MAX;
	     word = strtok(NULL, "\n")) {
		argv[argc++] = word;
		has_files |= word[0] == '@';
	}
	struct cc_args a = { 0 };
	struct err err;
	if (!cc_args_parse(&a, argc, argv, &err)) {
		size_t words = 0, sources = 0;
		for (size_t i = 0; i < a.words.len; i++) {
			const struct cc_word *w = &a.words.at[i];
			words += 1 + (w->value != NULL);
			sources += w->role == ROLE_INPUT && w->input != INPUT_LINKER;
		}
		if ((!has_files && words != (size_t)argc - 1) || sources != a.sources ||
		    a.c_sources > a.sources)
			abort();
	}
	cc_args_release(&a);
	free(text);
}

const struct fuzz_target fuzz_arguments = { "arguments", run, NULL };
