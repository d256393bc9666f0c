/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Variable arguments.  They lie one behind the other in slots of 8 bytes, as the ABI of x86-64 has
 * those that do not fit into registers; a va_list that says so is one that the ABI allows.
 */
#include <stdio.h>

#include "interp/machine.h"

uint64_t format_arguments(struct call *c, uint32_t from)
{
	uint64_t size = 16;
	for (uint32_t k = from; k < c->count; k++)
		size += 32;
	uint64_t at = (c->t->stack - size) & ~15ull, next = at;
	c->t->stack = at;
	space_mark(c->m, at, size, true);
	for (uint32_t k = from; k < c->count; k++) {
		const struct ir_type *t = type_of(c->m, c->types[k]);
		if (!ir_is_scalar(t)) {
			next = (next + t->align - 1) & ~(t->align - 1);
			memcpy((void *)next, (void *)(uintptr_t)c->args[k], t->size);
			next += (t->size + 7) & ~7ull;
			continue;
		}
		/* What is narrower than int is passed as int, with its sign if it has one. */
		memcpy((void *)next, &c->args[k], 8);
		next += 8;
		if (FAULT(INTERP_VARARGS_IN_FOUR_BYTES))
			next -= t->size == 4 ? 4 : 0;
	}
	return at;
}

struct printer {
	struct machine *m;
	uint64_t next; /* argument */
	struct buf *out;
	char spec[64];
	size_t len;
};

static bool take(struct printer *p, void *to, uint64_t size, uint64_t align)
{
	p->next = (p->next + align - 1) & ~(align - 1);
	if (!space_check(p->m, p->next, size, false))
		return false;
	memcpy(to, (void *)p->next, size);
	p->next += (size + 7) & ~7ull;
	return true;
}

static bool add(struct printer *p, char c)
{
	if (p->len + 2 > sizeof(p->spec)) {
		machine_end(p->m, INTERP_REFUSED, "a long format");
		return false;
	}
	p->spec[p->len++] = c;
	p->spec[p->len] = 0;
	return true;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"
static bool print_string(struct printer *p, bool has_precision, int precision)
{
	uint64_t at, len = 0;
	if (!take(p, &at, 8, 8))
		return false;
	if (at && has_precision && precision >= 0) {
		while (len < (uint64_t)precision && space_is_valid(p->m, at + len, 1) &&
		       *(const char *)(at + len))
			len++;
		if (len < (uint64_t)precision && !space_check(p->m, at + len, 1, false))
			return false;
	} else if (at && !space_string(p->m, at, &len)) {
		return false;
	}
	buf_printf(p->out, p->spec, (const char *)at);
	return true;
}

static bool print_number(struct printer *p, char conversion, bool is_long_double, bool is_long)
{
	long double l = 0;
	uint64_t v;
	double d;
	if (strchr("aAeEfFgG", conversion)) {
		if (is_long_double ? !take(p, &l, 16, 16) : !take(p, &d, 8, 8))
			return false;
		if (is_long_double)
			buf_printf(p->out, p->spec, l);
		else
			buf_printf(p->out, p->spec, d);
		return true;
	}
	if (!take(p, &v, 8, 8))
		return false;
	if (conversion == 'p')
		buf_printf(p->out, p->spec, (void *)v);
	else if (is_long)
		buf_printf(p->out, p->spec, v);
	else
		buf_printf(p->out, p->spec, (unsigned)v);
	return true;
}
#pragma GCC diagnostic pop

/* `*` becomes its number.  *precision is the number behind the dot. */
static bool star(struct printer *p, bool is_precision, int *precision)
{
	uint64_t v;
	char number[16];
	if (!take(p, &v, 8, 8))
		return false;
	if (is_precision)
		*precision = (int)v;
	if (is_precision && (int)v < 0) {
		p->len -= p->len && p->spec[p->len - 1] == '.';
		p->spec[p->len] = 0;
		return true;
	}
	snprintf(number, sizeof(number), "%d", (int)v);
	for (const char *s = number; *s; s++)
		if (!add(p, *s))
			return false;
	return true;
}

/* One directive, `s` behind its percent sign; NULL if the execution has ended. */
static const char *directive(struct printer *p, const char *s)
{
	bool is_long = false, is_long_double = false, has_precision = false;
	int precision = 0;
	p->len = 0;
	add(p, '%');
	for (; *s && strchr("-+ #0'123456789.*", *s); s++) {
		has_precision |= *s == '.';
		if (has_precision && *s >= '0' && *s <= '9')
			precision = precision * 10 + *s - '0';
		if (*s == '*' ? !star(p, has_precision, &precision) : !add(p, *s))
			return NULL;
	}
	for (; *s && strchr("hlLqjzt", *s); s++) {
		is_long |= strchr("lqjzt", *s) != NULL;
		is_long_double |= *s == 'L';
		if (!add(p, *s))
			return NULL;
	}
	if (!*s || !add(p, *s))
		return NULL;
	if (*s == '%')
		buf_char(p->out, '%');
	else if (*s == 's' && !is_long ? !print_string(p, has_precision, precision)
		 : *s && strchr("diouxXcpaAeEfFgG", *s) && !(is_long && *s == 'c')
			 ? !print_number(p, *s, is_long_double, is_long)
			 : true) {
		machine_end(p->m, INTERP_REFUSED, "the format %s", p->spec);
		return NULL;
	}
	return s + 1;
}

bool format_print(struct machine *m, uint64_t format, uint64_t arguments, struct buf *out)
{
	struct printer p = { .m = m, .next = arguments, .out = out };
	uint64_t len;
	if (!space_string(m, format, &len))
		return false;
	for (const char *s = (const char *)format; *s;) {
		if (*s != '%') {
			buf_char(out, *s++);
			continue;
		}
		s = directive(&p, s + 1);
		if (!s)
			return false;
	}
	return true;
}
