/* SPDX-License-Identifier: Apache-2.0 */
/* Words, numbers and signs of a specification; see lexer.h. */
#include "commute/lexer.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define TEXT_SHOWN 40

void lexer_fail(struct lexer *l, struct spec_place place, const char *fmt, ...)
{
	char text[512];
	va_list ap;
	if (l->rc)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	l->rc = err_set(l->err, ERR_FORMAT, "%s:%u:%u: %s", l->path, place.line, place.column,
			text);
	l->at = l->end;
	l->token.kind = TOKEN_END;
}

static struct spec_place here(const struct lexer *l)
{
	return (struct spec_place){ l->line, (unsigned)(l->at - l->line_start) + 1 };
}

static void skip_space(struct lexer *l)
{
	while (l->at < l->end) {
		if (*l->at == '#') {
			while (l->at < l->end && *l->at != '\n')
				l->at++;
		} else if (*l->at == '\n') {
			l->line_start = ++l->at;
			l->line++;
		} else if (*l->at == ' ' || *l->at == '\t' || *l->at == '\r') {
			l->at++;
		} else {
			break;
		}
	}
}

static bool is_of_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static void take_number(struct lexer *l)
{
	struct token *t = &l->token;
	t->kind = TOKEN_NUMBER;
	while (l->at < l->end && isdigit((unsigned char)*l->at)) {
		if (__builtin_mul_overflow(t->number, 10, &t->number) ||
		    __builtin_add_overflow(t->number, *l->at - '0', &t->number)) {
			lexer_fail(l, t->place, "the number is too large");
			return;
		}
		l->at++;
	}
	if (l->at < l->end && is_of_name(*l->at))
		lexer_fail(l, here(l), "a number ends here, and then comes '%c'", *l->at);
}

static void take_sign(struct lexer *l)
{
	static const char *const signs[] = { "->", "==", "!=", "<=", ">=", "&&", "||" };
	size_t left = (size_t)(l->end - l->at);
	l->token.kind = TOKEN_SIGN;
	for (size_t i = 0; i < sizeof(signs) / sizeof(*signs); i++)
		if (left >= 2 && !memcmp(l->at, signs[i], 2)) {
			l->at += 2;
			return;
		}
	if (!*l->at || !strchr("{}():;,.=!<>+-*", *l->at)) {
		bool is_shown = isprint((unsigned char)*l->at);
		lexer_fail(l, l->token.place, "%s%.*s%s has no meaning here",
			   is_shown ? "'" : "this byte", is_shown ? 1 : 0, l->at,
			   is_shown ? "'" : "");
		return;
	}
	l->at++;
}

void lexer_next(struct lexer *l)
{
	skip_space(l);
	l->token = (struct token){ .at = l->at, .place = here(l) };
	if (l->at == l->end || l->rc)
		return;
	if (isdigit((unsigned char)*l->at)) {
		take_number(l);
	} else if (is_of_name(*l->at)) {
		l->token.kind = TOKEN_NAME;
		while (l->at < l->end && is_of_name(*l->at))
			l->at++;
	} else {
		take_sign(l);
	}
	l->token.len = l->token.kind == TOKEN_END ? 0 : (size_t)(l->at - l->token.at);
}

void lexer_init(struct lexer *l, const char *path, const char *text, size_t len, struct err *err)
{
	*l = (struct lexer){ .path = path,
			     .at = text,
			     .end = text + len,
			     .line_start = text,
			     .line = 1,
			     .err = err };
	lexer_next(l);
}

bool lexer_is(const struct lexer *l, const char *text)
{
	const struct token *t = &l->token;
	return t->kind != TOKEN_END && t->len == strlen(text) && !memcmp(t->at, text, t->len);
}

bool lexer_skip(struct lexer *l, const char *text)
{
	bool is_there = lexer_is(l, text);
	if (is_there)
		lexer_next(l);
	return is_there;
}

void lexer_token_text(const struct lexer *l, char *out, size_t size)
{
	const struct token *t = &l->token;
	int shown = t->len < TEXT_SHOWN ? (int)t->len : TEXT_SHOWN;
	if (t->kind == TOKEN_END)
		snprintf(out, size, "the end of the file");
	else
		snprintf(out, size, "'%.*s%s'", shown, t->at, t->len > TEXT_SHOWN ? "..." : "");
}

void lexer_expect(struct lexer *l, const char *text, const char *where)
{
	char found[TEXT_SHOWN + 8];
	if (lexer_skip(l, text))
		return;
	lexer_token_text(l, found, sizeof(found));
	lexer_fail(l, l->token.place, "'%s' is expected %s, not %s", text, where, found);
}
