/* SPDX-License-Identifier: Apache-2.0 */
/* JSON writer; see json.h. */
#include "base/json.h"

#include <string.h>

void json_init(struct json *j, struct buf *out)
{
	*j = (struct json){ .out = out };
}

static void newline(struct json *j)
{
	buf_char(j->out, '\n');
	buf_fill(j->out, ' ', (size_t)j->depth * 2);
}

/* Separator before a value or key: a comma after an earlier element, then a new line. */
static void element(struct json *j)
{
	if (j->after_key) {
		j->after_key = false;
		return;
	}
	if (j->has_elements)
		buf_char(j->out, ',');
	if (j->depth)
		newline(j);
	j->has_elements = true;
}

static void open_container(struct json *j, char c)
{
	element(j);
	buf_char(j->out, c);
	j->depth++;
	j->has_elements = false;
}

static void close_container(struct json *j, char c)
{
	j->depth--;
	if (j->has_elements)
		newline(j);
	buf_char(j->out, c);
	j->has_elements = true;
	if (!j->depth)
		buf_char(j->out, '\n');
}

void json_begin_object(struct json *j)
{
	open_container(j, '{');
}
void json_end_object(struct json *j)
{
	close_container(j, '}');
}
void json_begin_array(struct json *j)
{
	open_container(j, '[');
}
void json_end_array(struct json *j)
{
	close_container(j, ']');
}

/* Length of the valid UTF-8 sequence at s, or 0. */
static size_t utf8_length(const unsigned char *s, size_t left)
{
	size_t n = s[0] < 0x80		   ? 1
		   : (s[0] & 0xe0) == 0xc0 ? 2
		   : (s[0] & 0xf0) == 0xe0 ? 3
		   : (s[0] & 0xf8) == 0xf0 ? 4
					   : 0;
	if (n > left)
		return 0;
	for (size_t i = 1; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	if (n == 2 && s[0] < 0xc2)
		return 0;
	if (n == 3 && ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f)))
		return 0;
	if (n == 4 &&
	    ((s[0] == 0xf0 && s[1] < 0x90) || s[0] > 0xf4 || (s[0] == 0xf4 && s[1] > 0x8f)))
		return 0;
	return n;
}

static void quoted(struct json *j, const char *text, size_t len)
{
	const unsigned char *s = (const unsigned char *)text, *end = s + len;
	buf_char(j->out, '"');
	while (s < end) {
		size_t n = utf8_length(s, (size_t)(end - s));
		if (!n) {
			buf_str(j->out, "\\ufffd");
			n = 1;
		} else if (*s == '"' || *s == '\\') {
			buf_printf(j->out, "\\%c", *s);
		} else if (*s < 0x20 || *s == 0x7f) {
			buf_printf(j->out, "\\u%04x", *s);
		} else {
			buf_add(j->out, s, n);
		}
		s += n;
	}
	buf_char(j->out, '"');
}

void json_key(struct json *j, const char *key)
{
	element(j);
	quoted(j, key, strlen(key));
	buf_str(j->out, ": ");
	j->after_key = true;
}

void json_string(struct json *j, const char *s)
{
	element(j);
	if (s)
		quoted(j, s, strlen(s));
	else
		buf_str(j->out, "null");
}

void json_bytes(struct json *j, const char *bytes, size_t len)
{
	element(j);
	quoted(j, len ? bytes : "", len);
}

void json_number(struct json *j, uint64_t n)
{
	element(j);
	buf_decimal(j->out, n);
}

void json_bool(struct json *j, bool b)
{
	element(j);
	buf_str(j->out, b ? "true" : "false");
}
