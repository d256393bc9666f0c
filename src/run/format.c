/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See format.h.  A format with numbered arguments, or with a conversion that is not known, is
 * followed only up to there: what comes later is not recorded.
 */
#include "run/format.h"

#include "run/real.h"
#include "run/run.h"
#include "run/shadow.h"

enum length { NORMAL, LONG, LONG_DOUBLE };

static bool is_one_of(char c, const char *list)
{
	while (*list && *list != c)
		list++;
	return c && *list;
}

/* A number, or '*'; -1: none. */
static int number_at(const char **at, va_list *ap)
{
	int n = 0;
	if (**at == '*') {
		(*at)++;
		return va_arg(*ap, int);
	}
	if (**at < '0' || **at > '9')
		return -1;
	for (; **at >= '0' && **at <= '9'; (*at)++)
		n = n * 10 + (**at - '0');
	return n;
}

static enum length length_at(const char **at)
{
	enum length length = NORMAL;
	for (; is_one_of(**at, "hlqLjzt"); (*at)++)
		length = **at == 'L' ? LONG_DOUBLE : **at == 'h' ? length : LONG;
	return length;
}

static void read_text(struct thr *t, const char *s, int precision, uintptr_t pc)
{
	if (!s || !precision)
		return;
	size_t n = precision < 0 ? REAL_FN(strlen)(s) : REAL_FN(strnlen)(s, (size_t)precision);
	n += precision < 0 || n < (size_t)precision; /* its end */
	access_range(t, (uintptr_t)s, n, 0, pc);
}

/* False: not known. */
static bool convert(struct thr *t, char c, enum length length, int precision, va_list *ap,
		    uintptr_t pc)
{
	if (c == 's' && length == NORMAL)
		read_text(t, va_arg(*ap, const char *), precision, pc);
	else if (is_one_of(c, "sSpn"))
		(void)va_arg(*ap, void *);
	else if (is_one_of(c, "diouxXc") && length == NORMAL)
		(void)va_arg(*ap, int);
	else if (is_one_of(c, "diouxXcC"))
		(void)va_arg(*ap, long);
	else if (is_one_of(c, "aAeEfFgG") && length == LONG_DOUBLE)
		(void)va_arg(*ap, long double);
	else if (is_one_of(c, "aAeEfFgG"))
		(void)va_arg(*ap, double);
	else
		return is_one_of(c, "%m");
	return true;
}

void format_access(struct thr *t, const char *format, va_list list, uintptr_t pc)
{
	access_range(t, (uintptr_t)format, REAL_FN(strlen)(format) + 1, 0, pc);
	va_list ap;
	va_copy(ap, list);
	for (const char *at = format; *at; at++) {
		if (*at != '%')
			continue;
		at++;
		while (is_one_of(*at, "-+ #0'I"))
			at++;
		number_at(&at, &ap);
		int precision = -1;
		if (*at == '.') {
			at++;
			precision = is_one_of(*at, "0123456789*") ? number_at(&at, &ap) : 0;
		}
		enum length length = length_at(&at);
		if (!convert(t, *at, length, precision, &ap, pc))
			break;
	}
	va_end(ap);
}
