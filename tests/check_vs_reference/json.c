/* SPDX-License-Identifier: Apache-2.0 */
/* Reads well-formed JSON by skipping what was not asked for; the nesting is that of the text. */
#include "json.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char *skip_space(const char *p)
{
	return p + strspn(p, " \t\r\n");
}

static const char *skip_string(const char *p)
{
	for (p++; *p && *p != '"'; p++)
		if (*p == '\\' && p[1])
			p++;
	return *p ? p + 1 : p;
}

static const char *skip_value(const char *p)
{
	unsigned depth = 0;
	do {
		p = skip_space(p);
		if (*p == '"') {
			p = skip_string(p);
		} else if (*p == '{' || *p == '[') {
			depth++;
			p++;
		} else if (*p == '}' || *p == ']') {
			depth--;
			p++;
		} else if (*p == ',' || *p == ':') {
			p++;
		} else {
			p += strcspn(p, ",:]} \t\r\n");
		}
	} while (*p && depth);
	return p;
}

const char *json_member(const char *object, const char *key)
{
	char name[64];
	if (!object || *object != '{')
		return NULL;
	for (const char *p = skip_space(object + 1); *p == '"';) {
		long n = json_string(p, name, sizeof(name));
		const char *value = skip_space(skip_space(skip_string(p)) + 1);
		if (n >= 0 && (size_t)n == strlen(key) && !memcmp(name, key, (size_t)n))
			return value;
		p = skip_space(skip_value(value));
		if (*p == ',')
			p = skip_space(p + 1);
	}
	return NULL;
}

static const char *element(const char *p)
{
	return *p && *p != ']' ? p : NULL;
}

const char *json_first(const char *array)
{
	return array && *array == '[' ? element(skip_space(array + 1)) : NULL;
}

const char *json_next(const char *value)
{
	const char *p = skip_space(skip_value(value));
	return *p == ',' ? element(skip_space(p + 1)) : NULL;
}

static int hex_digit(char c)
{
	if (isdigit((unsigned char)c))
		return c - '0';
	return isxdigit((unsigned char)c) ? tolower((unsigned char)c) - 'a' + 10 : -1;
}

/* The character behind a backslash; *p moves to its end. */
static int escaped(const char **p)
{
	static const char letters[] = "nrtbf", meanings[] = "\n\r\t\b\f";
	const char *letter = strchr(letters, **p);
	int code = 0;
	if (**p && letter)
		return meanings[letter - letters];
	if (**p != 'u')
		return (unsigned char)**p;
	for (unsigned i = 0; i < 4; i++) {
		int digit = hex_digit((*p)[1]);
		if (digit < 0)
			return -1;
		code = code * 16 + digit;
		++*p;
	}
	return code < 256 ? code : -1;
}

long json_string(const char *value, char *out, size_t room)
{
	size_t n = 0;
	if (!value || *value != '"')
		return -1;
	for (const char *p = value + 1; *p != '"'; p++) {
		int c = (unsigned char)*p;
		if (c == '\\') {
			p++;
			c = escaped(&p);
		}
		if (!c || c < 0 || n == room)
			return -1;
		out[n++] = (char)c;
	}
	return (long)n;
}

long json_number(const char *value)
{
	return value && isdigit((unsigned char)*value) ? strtol(value, NULL, 10) : -1;
}

bool json_is_true(const char *value)
{
	return value && !strncmp(value, "true", 4);
}
