/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The scanf family, for characters and wide characters.  libc converts; what it has stored
 * follows from the format and from the number of conversions that it reports.  The headers give
 * programs the names of C99; only with -std=c89, or with GNU extensions, do the plain ones stay.
 */
#include "rt/libc_format.h"
#include "rt/libc_stream.h"
#include "rt/libc_wrap.h"

/* What the macros below make forms of: a character, the format as the scanner wants it, its rules.
 */
#define UNIT char
#define FORMAT_TEXT format_text
#define KIND FORMAT_SCANF

#define SCANNED(call)                                                   \
	__extension__({                                                 \
		va_list before_, after_;                                \
		va_copy(before_, ap);                                   \
		va_copy(after_, ap);                                    \
		const char *text_ = FORMAT_TEXT(format, PC);            \
		format_scanf_checks(text_, KIND, before_, PC);          \
		int assigned_ = (call);                                 \
		format_scanf_wrote(text_, KIND, after_, assigned_, PC); \
		va_end(before_);                                        \
		va_end(after_);                                         \
		assigned_;                                              \
	})

#define FORM(name, vname, real, parameter, argument, controlled)                    \
	RT_EXPORT int vname(parameter, const UNIT *restrict format, va_list ap)     \
	{                                                                           \
		if (!libc_enter(PC))                                                \
			return REAL_FN(real)(argument, format, ap);                 \
		return controlled(REAL_FN(real)(argument, format, ap));             \
	}                                                                           \
	RT_EXPORT int name(parameter, const UNIT *restrict format, ...)             \
	{                                                                           \
		va_list ap;                                                         \
		va_start(ap, format);                                               \
		int assigned;                                                       \
		if (!libc_enter(PC))                                                \
			assigned = REAL_FN(real)(argument, format, ap);             \
		else                                                                \
			assigned = controlled(REAL_FN(real)(argument, format, ap)); \
		va_end(ap);                                                         \
		return assigned;                                                    \
	}
#define FORM0(name, vname, real)                                                           \
	RT_EXPORT int vname(const UNIT *restrict format, va_list ap)                       \
	{                                                                                  \
		if (!stream_enter(stdin, PC))                                              \
			return REAL_FN(real)(format, ap);                                  \
		return STREAM_CALL(stdin, SCANNED(REAL_FN(real)(format, ap)));             \
	}                                                                                  \
	RT_EXPORT int name(const UNIT *restrict format, ...)                               \
	{                                                                                  \
		va_list ap;                                                                \
		va_start(ap, format);                                                      \
		int assigned;                                                              \
		if (!stream_enter(stdin, PC))                                              \
			assigned = REAL_FN(real)(format, ap);                              \
		else                                                                       \
			assigned = STREAM_CALL(stdin, SCANNED(REAL_FN(real)(format, ap))); \
		va_end(ap);                                                                \
		return assigned;                                                           \
	}
#define FROM_STREAM(call) STREAM_CALL(stream, SCANNED(call))
#define FROM_TEXT(call) SCANNED((read_all(text, PC), LIBC_CALL(call)))
#define read_all libc_read_string

#define C99(name) __isoc99_##name, __isoc99_v##name, __isoc99_v##name
/* The headers rename the plain names, also for us: ours have names of their own and the plain
 * ones as symbols. */
#define PLAIN(name) plain_##name, plain_v##name, v##name
#define ROW0(names) ROW0_(names)
#define ROW0_(name, vname, real) FORM0(name, vname, real)
#define ROW(names, parameter, argument, controlled) ROW_(names, parameter, argument, controlled)
#define ROW_(name, vname, real, parameter, argument, controlled) \
	FORM(name, vname, real, parameter, argument, controlled)

ROW0(C99(scanf))
ROW(C99(fscanf), FILE *restrict stream, stream, FROM_STREAM)
ROW(C99(sscanf), const char *restrict text, text, FROM_TEXT)

#undef KIND
#define KIND FORMAT_SCANF_GNU
ROW0(PLAIN(scanf))
ROW(PLAIN(fscanf), FILE *restrict stream, stream, FROM_STREAM)
ROW(PLAIN(sscanf), const char *restrict text, text, FROM_TEXT)

/* ---- wide characters ---- */

#undef read_all
static void read_all(const wchar_t *text, pc_t pc)
{
	size_t n = 0;
	while (text[n])
		n++;
	rt_libc_read(text, (n + 1) * sizeof(*text), pc);
}

#undef UNIT
#undef FORMAT_TEXT
#define UNIT wchar_t
#define FORMAT_TEXT format_text_wide
ROW0(PLAIN(wscanf))
ROW(PLAIN(fwscanf), FILE *restrict stream, stream, FROM_STREAM)
ROW(PLAIN(swscanf), const wchar_t *restrict text, text, FROM_TEXT)

#undef KIND
#define KIND FORMAT_SCANF
ROW0(C99(wscanf))
ROW(C99(fwscanf), FILE *restrict stream, stream, FROM_STREAM)
ROW(C99(swscanf), const wchar_t *restrict text, text, FROM_TEXT)
