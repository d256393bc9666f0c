/* SPDX-License-Identifier: Apache-2.0 */
/* Response files; see response.h. */
#include "cc/response.h"

#include <ctype.h>
#include <string.h>

#include "base/file.h"

#define MAX_DEPTH 64

void response_split(const char *text, size_t len, struct words *out)
{
	struct buf word = { 0 };
	bool in_word = false;
	char quote = 0;
	for (size_t i = 0; i < len; i++) {
		char c = text[i];
		if (c == '\\' && i + 1 < len && quote != '\'') {
			buf_char(&word, text[++i]);
			in_word = true;
		} else if (quote ? c == quote : c == '"' || c == '\'') {
			quote = quote ? 0 : c;
			in_word = true;
		} else if (!quote && isspace((unsigned char)c)) {
			if (in_word)
				words_take(out, buf_take(&word));
			in_word = false;
		} else {
			buf_char(&word, c);
			in_word = true;
		}
	}
	if (in_word)
		words_take(out, buf_take(&word));
	buf_release(&word);
}

static int expand(const char *word, int depth, struct words *out, struct err *err)
{
	struct buf content = { 0 };
	if (word[0] != '@' || !word[1] || file_read(word + 1, &content, NULL)) {
		buf_release(&content);
		words_add(out, word);
		return 0;
	}
	if (depth == MAX_DEPTH) {
		buf_release(&content);
		return err_set(err, ERR_USAGE, "response file %s includes itself", word + 1);
	}
	struct words inner = { 0 };
	response_split(content.at ? content.at : "", content.len, &inner);
	buf_release(&content);
	int rc = 0;
	for (size_t i = 0; i < inner.list.len && !rc; i++)
		rc = expand(inner.list.at[i], depth + 1, out, err);
	words_release(&inner);
	return rc;
}

int response_expand(const char *word, struct words *out, struct err *err)
{
	return expand(word, 0, out, err);
}

void response_quote(const char *word, struct buf *out)
{
	buf_char(out, '"');
	for (; *word; word++) {
		if (*word == '"' || *word == '\\')
			buf_char(out, '\\');
		buf_char(out, *word);
	}
	buf_char(out, '"');
}
