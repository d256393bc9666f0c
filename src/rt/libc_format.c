/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Formats of printf and scanf; see libc_format.h.
 *
 * Arguments are taken from the list in order, as libc takes them.  With positions (%2$s) their
 * types must all be known before the first can be taken: a pass over the format collects them.
 */
#include "rt/libc_format.h"
#include "rt/libc_wrap.h"
#include "rt/mem.h"
#include "rt/shadow.h"
#include "wire/wire.h"

#define POSITIONS 64

enum argument_type {
	ARGUMENT_NONE,
	ARGUMENT_INT,
	ARGUMENT_WORD,
	ARGUMENT_DOUBLE,
	ARGUMENT_LONG_DOUBLE
};

struct arguments {
	va_list rest;
	bool has_positions;
	uint64_t values[POSITIONS];
};

/* ---- the text ---- */

static unsigned number(const char **at)
{
	unsigned n = 0;
	while (**at >= '0' && **at <= '9')
		n = n * 10 + (unsigned)(*(*at)++ - '0');
	return n;
}

/* "N$" at this place: N, and the place moves; otherwise 0. */
static unsigned position(const char **at)
{
	const char *p = *at;
	unsigned n = number(&p);
	if (!n || *p != '$')
		return 0;
	*at = p + 1;
	return n;
}

static void length(const char **at, struct conversion *c)
{
	const char *p = *at;
	if (*p == 'h' && p[1] == 'h') {
		c->length = 'H';
		p += 2;
	} else if ((*p == 'l' && p[1] == 'l') || *p == 'q') {
		c->length = 'q';
		p += *p == 'q' ? 1 : 2;
	} else if (*p == 'h' || *p == 'l' || *p == 'L' || *p == 'j' || *p == 'z' || *p == 't') {
		c->length = *p++;
	} else if (*p == 'Z') {
		c->length = 'z';
		p++;
	}
	*at = p;
}

static void star(const char **at, bool *is_argument, unsigned *which)
{
	++*at;
	*is_argument = true;
	*which = position(at);
}

static bool is_flag(char c)
{
	return c == '-' || c == '+' || c == ' ' || c == '#' || c == '0' || c == '\'' || c == 'I';
}

static void printf_fields(const char **at, struct conversion *c)
{
	while (is_flag(**at))
		++*at;
	if (**at == '*')
		star(at, &c->width_is_argument, &c->width_position);
	else
		c->width = (int)number(at);
	if (**at != '.')
		return;
	++*at;
	if (**at == '*')
		star(at, &c->precision_is_argument, &c->precision_position);
	else
		c->precision = (int)number(at);
}

static bool is_old_allocation(const char *at)
{
	return at[0] == 'a' && (at[1] == 's' || at[1] == 'S' || at[1] == '[');
}

static void scanf_fields(const char **at, enum format_kind kind, struct conversion *c)
{
	for (;; ++*at) {
		if (**at == '*')
			c->is_suppressed = true;
		else if (**at != '\'' && **at != 'I')
			break;
	}
	c->width = (int)number(at);
	if (**at == 'm' || (kind == FORMAT_SCANF_GNU && is_old_allocation(*at))) {
		c->allocates = true;
		++*at;
	}
}

/* "[set]": a bracket that comes first belongs to the set. */
static void skip_set(const char **at)
{
	if (**at == '^')
		++*at;
	if (**at == ']')
		++*at;
	while (**at && **at != ']')
		++*at;
	if (**at)
		++*at;
}

bool format_next(const char **at, enum format_kind kind, struct conversion *c)
{
	for (const char *p = *at; *p;) {
		if (*p++ != '%')
			continue;
		/* Field by field: a compiler may make a call of memset from one assignment. */
		c->letter = c->length = 0;
		c->is_suppressed = c->allocates = c->width_is_argument = c->precision_is_argument =
			false;
		c->width_position = c->precision_position = 0;
		c->width = 0;
		c->precision = -1;
		c->position = position(&p);
		if (kind == FORMAT_PRINTF)
			printf_fields(&p, c);
		else
			scanf_fields(&p, kind, c);
		length(&p, c);
		if (!*p)
			return false;
		c->letter = *p++;
		if (c->letter == '%' || (c->letter == 'm' && kind == FORMAT_PRINTF))
			continue;
		if (c->letter == '[' && kind != FORMAT_PRINTF)
			skip_set(&p);
		*at = p;
		return true;
	}
	return false;
}

size_t format_integer_size(const struct conversion *c)
{
	switch (c->length) {
	case 'H':
		return sizeof(char);
	case 'h':
		return sizeof(short);
	case 'l':
	case 'q':
	case 'L':
	case 'j':
	case 'z':
	case 't':
		return sizeof(long);
	}
	return sizeof(int);
}

static bool is_wide(const struct conversion *c)
{
	return c->letter == 'S' || c->letter == 'C' || c->length == 'l';
}

static bool can_change(const void *format)
{
	uintptr_t p = (uintptr_t)format;
	return (p >= ARENA_HEAP && p < ARENA_END) || shadow_is_module(p);
}

const char *format_text(const char *format, pc_t pc)
{
	if (can_change(format))
		libc_read_string(format, pc);
	return format;
}

const char *format_text_wide(const wchar_t *format, pc_t pc)
{
	static RT_STATE char *narrow;
	static RT_STATE size_t room;
	size_t n = 0;
	while (format[n])
		n++;
	if (can_change(format))
		rt_libc_read(format, (n + 1) * sizeof(*format), pc);
	if (room < n + 1) {
		room = 2 * n + 4096;
		narrow = rt_map(room);
	}
	for (size_t i = 0; i <= n; i++)
		narrow[i] = (unsigned)format[i] < 128 ? (char)format[i] : '?';
	return narrow;
}

/* ---- the arguments of printf ---- */

static enum argument_type type_of(const struct conversion *c)
{
	switch (c->letter) {
	case 'a':
	case 'A':
	case 'e':
	case 'E':
	case 'f':
	case 'F':
	case 'g':
	case 'G':
		return c->length == 'L' || c->length == 'q' ? ARGUMENT_LONG_DOUBLE
							    : ARGUMENT_DOUBLE;
	case 's':
	case 'S':
	case 'p':
	case 'n':
		return ARGUMENT_WORD;
	}
	return format_integer_size(c) == sizeof(long) && c->letter != 'c' ? ARGUMENT_WORD
									  : ARGUMENT_INT;
}

static uint64_t take_argument(struct arguments *a, enum argument_type type)
{
	switch (type) {
	case ARGUMENT_INT:
		return (uint64_t)(int64_t)va_arg(a->rest, int);
	case ARGUMENT_WORD:
		return va_arg(a->rest, uint64_t);
	case ARGUMENT_DOUBLE:
		(void)va_arg(a->rest, double);
		break;
	case ARGUMENT_LONG_DOUBLE:
		(void)va_arg(a->rest, long double);
		break;
	case ARGUMENT_NONE:
		break;
	}
	return 0;
}

static void note_type(enum argument_type *types, unsigned which, enum argument_type type)
{
	if (which && which <= POSITIONS)
		types[which - 1] = type;
}

/* Arguments by position: all their types first, then all their values. */
static void take_positions(struct arguments *a, const char *format, enum format_kind kind)
{
	enum argument_type types[POSITIONS];
	for (unsigned i = 0; i < POSITIONS; i++)
		types[i] = ARGUMENT_NONE;
	struct conversion c;
	while (format_next(&format, kind, &c)) {
		if (c.width_is_argument)
			note_type(types, c.width_position, ARGUMENT_INT);
		if (c.precision_is_argument)
			note_type(types, c.precision_position, ARGUMENT_INT);
		note_type(types, c.position, kind == FORMAT_PRINTF ? type_of(&c) : ARGUMENT_WORD);
	}
	for (unsigned i = 0; i < POSITIONS && types[i] != ARGUMENT_NONE; i++)
		a->values[i] = take_argument(a, types[i]);
}

static void arguments_begin(struct arguments *a, const char *format, enum format_kind kind,
			    va_list list)
{
	va_copy(a->rest, list);
	struct conversion c;
	const char *at = format;
	a->has_positions = format_next(&at, kind, &c) && c.position;
	if (a->has_positions)
		take_positions(a, format, kind);
}

static uint64_t argument(struct arguments *a, unsigned which, enum argument_type type)
{
	if (!a->has_positions)
		return take_argument(a, type);
	return which && which <= POSITIONS ? a->values[which - 1] : 0;
}

static void read_text(const void *text, const struct conversion *c, pc_t pc)
{
	if (!text)
		return; /* printed as "(null)" */
	size_t max = c->precision >= 0 ? (size_t)c->precision : SIZE_MAX, n = 0;
	if (is_wide(c)) {
		const wchar_t *s = text;
		while (n < max && s[n])
			n++;
		rt_libc_read(text, (n < max ? n + 1 : n) * sizeof(*s), pc);
		return;
	}
	const char *s = text;
	while (n < max && s[n])
		n++;
	rt_libc_read(text, n < max ? n + 1 : n, pc);
}

/* The next conversion with its argument, and the precision if that is one. */
static bool next_argument(struct arguments *a, const char **format, struct conversion *c,
			  uint64_t *value)
{
	if (!format_next(format, FORMAT_PRINTF, c))
		return false;
	if (c->width_is_argument)
		argument(a, c->width_position, ARGUMENT_INT);
	if (c->precision_is_argument)
		c->precision = (int)argument(a, c->precision_position, ARGUMENT_INT);
	*value = argument(a, c->position, type_of(c));
	return true;
}

unsigned format_printf_reads(const char *format, va_list list, pc_t pc)
{
	struct arguments a;
	struct conversion c;
	uint64_t value;
	unsigned stores = 0;
	arguments_begin(&a, format, FORMAT_PRINTF, list);
	while (next_argument(&a, &format, &c, &value)) {
		if (c.letter == 's' || c.letter == 'S') {
			read_text((const void *)value, &c, pc);
		} else if (c.letter == 'n') {
			libc_will_write((const void *)value, format_integer_size(&c), pc);
			stores++;
		}
	}
	va_end(a.rest);
	return stores;
}

void format_printf_wrote(const char *format, va_list list, pc_t pc)
{
	struct arguments a;
	struct conversion c;
	uint64_t value;
	arguments_begin(&a, format, FORMAT_PRINTF, list);
	while (next_argument(&a, &format, &c, &value))
		if (c.letter == 'n')
			rt_libc_wrote((const void *)value, format_integer_size(&c), pc);
	va_end(a.rest);
}

/* ---- the arguments of scanf: all are pointers ---- */

/* Bytes that a conversion stores; 0: as many as the text has. */
static size_t stored_size(const struct conversion *c)
{
	size_t unit = is_wide(c) ? sizeof(wchar_t) : 1;
	if (c->allocates)
		return sizeof(void *);
	switch (c->letter) {
	case 's':
	case 'S':
	case '[':
		return 0;
	case 'c':
	case 'C':
		return unit * (c->width ? (size_t)c->width : 1);
	case 'p':
		return sizeof(void *);
	case 'a':
	case 'A':
	case 'e':
	case 'E':
	case 'f':
	case 'F':
	case 'g':
	case 'G':
		return c->length == 'l' ? sizeof(double)
		       : c->length	? sizeof(long double)
					: sizeof(float);
	}
	return format_integer_size(c);
}

static bool next_target(struct arguments *a, const char **format, enum format_kind kind,
			struct conversion *c, void **target)
{
	while (format_next(format, kind, c)) {
		if (c->is_suppressed)
			continue;
		*target = (void *)argument(a, c->position, ARGUMENT_WORD);
		return true;
	}
	return false;
}

static void wrote_text(const void *text, const struct conversion *c, pc_t pc)
{
	size_t n = 0;
	if (is_wide(c)) {
		while (((const wchar_t *)text)[n])
			n++;
		rt_libc_wrote(text, (n + 1) * sizeof(wchar_t), pc);
	} else {
		libc_wrote_string(text, pc);
	}
}

void format_scanf_checks(const char *format, enum format_kind kind, va_list list, pc_t pc)
{
	struct arguments a;
	struct conversion c;
	void *target;
	arguments_begin(&a, format, kind, list);
	while (next_target(&a, &format, kind, &c, &target)) {
		size_t size = stored_size(&c);
		libc_will_write(target, size ? size : 1, pc);
	}
	va_end(a.rest);
}

void format_scanf_wrote(const char *format, enum format_kind kind, va_list list, int assigned,
			pc_t pc)
{
	struct arguments a;
	struct conversion c;
	void *target;
	int done = 0;
	arguments_begin(&a, format, kind, list);
	while (done <= assigned && next_target(&a, &format, kind, &c, &target)) {
		size_t size = stored_size(&c);
		bool counts = c.letter != 'n';
		if (!counts || done == assigned) {
			/* It is not known whether it was reached, or how far. */
			if (size && !c.allocates)
				libc_wrote_if_changed(target, size, pc);
		} else if (!size) {
			wrote_text(target, &c, pc);
		} else {
			rt_libc_wrote(target, size, pc);
			if (c.allocates && (c.letter == 'c' || c.letter == 'C'))
				rt_libc_wrote(*(void **)target, c.width ? (size_t)c.width : 1, pc);
			else if (c.allocates)
				wrote_text(*(void **)target, &c, pc);
		}
		done += counts;
	}
	va_end(a.rest);
}
