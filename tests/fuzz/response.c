/* SPDX-License-Identifier: Apache-2.0 */
/* Response files of compilers: what is split, quoted and split again is the same words. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "cc/response.h"

static void run(const uint8_t *bytes, size_t len)
{
	struct words words = { 0 }, again = { 0 };
	struct buf text = { 0 };
	response_split((const char *)bytes, len, &words);
	for (size_t i = 0; i < words.list.len; i++) {
		response_quote(words.list.at[i], &text);
		buf_char(&text, '\n');
	}
	response_split(text.at ? text.at : "", text.len, &again);
	if (again.list.len != words.list.len)
		abort();
	for (size_t i = 0; i < words.list.len; i++)
		if (strcmp(words.list.at[i], again.list.at[i]))
			abort();
	words_release(&words);
	words_release(&again);
	buf_release(&text);
}

const struct fuzz_target fuzz_response = { "response", run, NULL };
