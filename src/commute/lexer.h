/* SPDX-License-Identifier: Apache-2.0 */
/* Words, numbers and signs of a specification, with their places. */
#ifndef HEDDLE_COMMUTE_LEXER_H
#define HEDDLE_COMMUTE_LEXER_H

#include "commute/spec.h"

enum token_kind { TOKEN_END, TOKEN_NAME, TOKEN_NUMBER, TOKEN_SIGN };

struct token {
	enum token_kind kind;
	const char *at;
	size_t len;
	int64_t number;
	struct spec_place place;
};

struct lexer {
	const char *path, *at, *end, *line_start;
	unsigned line;
	struct token token; /* the current one */
	int rc;		    /* of the first error; then only TOKEN_END follows */
	struct err *err;
};

void lexer_init(struct lexer *l, const char *path, const char *text, size_t len, struct err *err);
void lexer_next(struct lexer *l);
bool lexer_is(const struct lexer *l, const char *text);
/* Goes on if the current token is that text. */
bool lexer_skip(struct lexer *l, const char *text);
/* The same, and it must be there; `where` ends the sentence of the error. */
void lexer_expect(struct lexer *l, const char *text, const char *where);
/* The first error counts. */
void lexer_fail(struct lexer *l, struct spec_place place, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* The current token as it is in an error. */
void lexer_token_text(const struct lexer *l, char *out, size_t size);

#endif
