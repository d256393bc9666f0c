/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Formats of printf and scanf, read far enough to know which arguments point to memory and how
 * much of it is touched. The conversion itself is libc's.
 */
#ifndef HEDDLE_RT_LIBC_FORMAT_H
#define HEDDLE_RT_LIBC_FORMAT_H

#include <stdarg.h>
#include <wchar.h>

#include "rt/rt.h"

struct conversion {
	char letter;	    /* 's', 'd', ...; 0: the format ended inside a conversion */
	char length;	    /* 'H' for hh, 'h', 'l', 'q' for ll, 'L', 'j', 'z', 't'; 0: none */
	bool is_suppressed; /* scanf: '*' */
	bool allocates;	    /* scanf: 'm' */
	bool width_is_argument, precision_is_argument;
	unsigned position; /* of the argument, from 1; 0: the next one */
	unsigned width_position, precision_position;
	int width;     /* 0: none */
	int precision; /* -1: none */
};

/* GNU's scanf differs from C99's in one thing: an 'a' before 's', 'S' or '[' asks for memory, as
 * 'm' does. */
enum format_kind { FORMAT_PRINTF, FORMAT_SCANF, FORMAT_SCANF_GNU };

/* The next conversion after *at, which moves behind it; false at the end.  "%%" and "%m" are
 * skipped. */
bool format_next(const char **at, enum format_kind kind, struct conversion *c);

/* Bytes of the object that an integer conversion or %n with this length is about. */
size_t format_integer_size(const struct conversion *c);

/* printf: report the strings that the arguments point to; gives the number of %n. */
unsigned format_printf_reads(const char *format, va_list arguments, pc_t pc);
/* printf has returned: report what %n stored. */
void format_printf_wrote(const char *format, va_list arguments, pc_t pc);

/* scanf is about to store: is the memory alive? */
void format_scanf_checks(const char *format, enum format_kind kind, va_list arguments, pc_t pc);
/* scanf has returned `assigned`: report what it stored. */
void format_scanf_wrote(const char *format, enum format_kind kind, va_list arguments, int assigned,
			pc_t pc);

/*
 * The format as the functions above want it; that it is read is reported if it lies where it could
 * have been changed.  A wide one gets into a buffer that the next call overwrites; what of it is
 * not ASCII does not matter here.
 */
const char *format_text(const char *format, pc_t pc);
const char *format_text_wide(const wchar_t *format, pc_t pc);

#endif
