/* SPDX-License-Identifier: Apache-2.0 */
/* The lines of a witness file and their parts; see witness_lines.h. */
#include "trace/witness_lines.h"

#include <string.h>

#include "base/alloc.h"

int line_reject(const struct line_reader *p, const char *what)
{
	return err_set(p->err, ERR_FORMAT, "%s, line %lu: %s", p->name, p->line, what);
}

bool line_next(struct line_reader *p)
{
	if (p->rest == p->stop)
		return false;
	const char *newline = memchr(p->rest, '\n', (size_t)(p->stop - p->rest));
	p->at = p->rest;
	p->end = newline ? newline : p->stop;
	p->rest = newline ? newline + 1 : p->stop;
	p->line++;
	return true;
}

bool line_take_text(struct line_reader *p, const char *text)
{
	size_t len = strlen(text);
	if ((size_t)(p->end - p->at) < len || memcmp(p->at, text, len))
		return false;
	p->at += len;
	return true;
}

bool line_take_number(struct line_reader *p, uint64_t limit, uint64_t *out)
{
	uint64_t v = 0;
	const char *start = p->at;
	for (; p->at < p->end && *p->at >= '0' && *p->at <= '9'; p->at++) {
		uint64_t digit = (uint64_t)(*p->at - '0');
		if (v > (limit - digit) / 10)
			return false;
		v = v * 10 + digit;
	}
	*out = v;
	return p->at > start;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool line_take_hash(struct line_reader *p, uint64_t *out)
{
	uint64_t v = 0;
	if (p->end - p->at < 16)
		return false;
	for (int i = 0; i < 16; i++) {
		int d = hex_digit(p->at[i]);
		if (d < 0)
			return false;
		v = v << 4 | (uint64_t)d;
	}
	p->at += 16;
	*out = v;
	return true;
}

bool line_take_bytes(struct line_reader *p, struct buf *out)
{
	if (!line_take_text(p, "\""))
		return false;
	while (p->at < p->end && *p->at != '"') {
		char c = *p->at++;
		if (c == '\\') {
			if (p->at == p->end)
				return false;
			c = *p->at++;
			if (c == 'x') {
				if (p->end - p->at < 2)
					return false;
				int high = hex_digit(p->at[0]), low = hex_digit(p->at[1]);
				if (high < 0 || low < 0)
					return false;
				c = (char)(high << 4 | low);
				p->at += 2;
			} else if (c != '"' && c != '\\') {
				return false;
			}
		}
		buf_char(out, c);
	}
	return line_take_text(p, "\"");
}

bool line_take_quoted(struct line_reader *p, struct buf *out)
{
	size_t start = out->len;
	return line_take_bytes(p, out) &&
	       (out->len == start || !memchr(out->at + start, 0, out->len - start));
}

char *line_take_string(struct line_reader *p)
{
	struct buf b = { 0 };
	if (line_take_quoted(p, &b))
		return buf_take(&b);
	buf_release(&b);
	return NULL;
}

char *line_take_word(struct line_reader *p)
{
	const char *start = p->at;
	while (p->at < p->end && ((*p->at >= 'a' && *p->at <= 'z') ||
				  (*p->at >= '0' && *p->at <= '9') || *p->at == '-'))
		p->at++;
	return p->at > start ? mem_strndup(start, (size_t)(p->at - start)) : NULL;
}
