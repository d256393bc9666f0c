/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One line of a trace in text form, parsed without help of the tool, and the way in which a
 * violation is reported.
 *
 *   T<thread> <kind>[:<mode>] [<size>] [0x<object>] [= <a>] [-> <b>]
 *   [+<flag>]... [#<bytes>] [@<location>] [^<stack>]
 */
#ifndef VALIDATOR_EVENT_H
#define VALIDATOR_EVENT_H

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NONE UINT64_MAX

struct event {
	uint64_t thread, size, obj, a, b;
	uint64_t location, stack;
	const char *kind, *mode; /* mode: "" if there is none */
	const char *hex;	 /* data, two digits for each byte */
	size_t hex_len;
	bool is_failed, is_hashed, is_zero, is_buffered;
};

static uint64_t event_number, line_number;

static inline void violation(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));
static void unreadable(const char *what) __attribute__((noreturn));

static inline void violation(const char *fmt, ...)
{
	va_list ap;
	printf("event %" PRIu64 " (line %" PRIu64 "): ", event_number, line_number);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	exit(1);
}

static void unreadable(const char *what)
{
	fprintf(stderr, "validate: line %" PRIu64 ": %s\n", line_number, what);
	exit(2);
}

static void *zeroed(size_t size)
{
	void *p = calloc(1, size);
	if (!p)
		unreadable("out of memory");
	return p;
}

static uint64_t number(const char *word)
{
	char *end;
	uint64_t v = word ? strtoull(word, &end, 0) : 0;
	if (!word || end == word || *end)
		unreadable("a number is expected");
	return v;
}

static void parse_flag(struct event *e, const char *flag)
{
	e->is_failed |= !strcmp(flag, "failed");
	e->is_hashed |= !strcmp(flag, "hashed");
	e->is_zero |= !strcmp(flag, "zero");
	e->is_buffered |= !strcmp(flag, "buffered");
}

/* The line is cut into words in place. */
static struct event parse_event(char *line)
{
	struct event e = { 0 };
	char *rest, *word = strtok_r(line, " \t", &rest);
	e.thread = number(word + 1);
	char *kind = strtok_r(NULL, " \t", &rest);
	if (!kind)
		unreadable("an event has no kind");
	char *mode = kind + strcspn(kind, ":");
	e.mode = *mode ? mode + 1 : "";
	*mode = 0;
	e.kind = kind;
	while ((word = strtok_r(NULL, " \t", &rest))) {
		if (!strcmp(word, "="))
			e.a = number(strtok_r(NULL, " \t", &rest));
		else if (!strcmp(word, "->"))
			e.b = number(strtok_r(NULL, " \t", &rest));
		else if (*word == '+')
			parse_flag(&e, word + 1);
		else if (*word == '#')
			e.hex = word + 1;
		else if (*word == '@')
			e.location = number(word + 1);
		else if (*word == '^')
			e.stack = number(word + 1);
		else if (!strncmp(word, "0x", 2))
			e.obj = number(word);
		else
			e.size = number(word);
	}
	e.hex_len = e.hex ? strlen(e.hex) : 0;
	return e;
}

/* Byte i of what an access read or wrote; of a read-modify-write, `second` is the new value. */
static inline uint8_t event_byte(const struct event *e, uint64_t i, bool second)
{
	if (e->size <= 8)
		return (uint8_t)((second ? e->b : e->a) >> 8 * i);
	size_t at = 2 * (i + second * e->size);
	if (at + 2 > e->hex_len)
		unreadable("an access has fewer bytes than its size");
	char pair[3] = { e->hex[at], e->hex[at + 1], 0 };
	return (uint8_t)strtoul(pair, NULL, 16);
}

#endif
