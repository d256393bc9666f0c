/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The scanf family.  libc converts; what it has stored follows from the format and from the number of
 * conversions that it reports.  The headers give programs the names of C99; only -std=c89 still leads to the
 * plain ones.
 */
#include "rt/libc_format.h"
#include "rt/libc_stream.h"

#define SCANNED(call)                                                           \
	__extension__({                                                         \
		va_list before_, after_;                                        \
		va_copy(before_, ap);                                           \
		va_copy(after_, ap);                                            \
		format_scanf_checks(format, before_, PC);                       \
		int assigned_ = (call);                                         \
		format_scanf_wrote(format, after_, assigned_, PC);              \
		va_end(before_);                                                \
		va_end(after_);                                                 \
		assigned_;                                                      \
	})

#define FORM(name, vname, parameter, argument, controlled)                      \
	RT_EXPORT int vname(parameter, const char *restrict format, va_list ap) \
	{                                                                       \
		if (!libc_enter(PC))                                            \
			return REAL_FN(vname)(argument, format, ap);            \
		return controlled(REAL_FN(vname)(argument, format, ap));        \
	}                                                                       \
	RT_EXPORT int name(parameter, const char *restrict format, ...)       \
	{                                                                       \
		va_list ap;                                                     \
		va_start(ap, format);                                           \
		int assigned;                                                   \
		if (!libc_enter(PC))                                            \
			assigned = REAL_FN(vname)(argument, format, ap);        \
		else                                                            \
			assigned = controlled(REAL_FN(vname)(argument, format, ap)); \
		va_end(ap);                                                     \
		return assigned;                                                \
	}

#define FROM_STREAM(call) STREAM_CALL(stream, SCANNED(call))
#define FROM_TEXT(call) SCANNED((libc_read_string(text, PC), LIBC_CALL(call)))

FORM(__isoc99_fscanf, __isoc99_vfscanf, FILE *restrict stream, stream, FROM_STREAM)
FORM(__isoc99_sscanf, __isoc99_vsscanf, const char *restrict text, text, FROM_TEXT)

#define FORM0(name, vname)                                                      \
	RT_EXPORT int vname(const char *restrict format, va_list ap)          \
	{                                                                       \
		if (!libc_enter(PC))                                            \
			return REAL_FN(vname)(format, ap);                      \
		return STREAM_CALL(stdin, SCANNED(REAL_FN(vname)(format, ap))); \
	}                                                                       \
	RT_EXPORT int name(const char *restrict format, ...)                  \
	{                                                                       \
		va_list ap;                                                     \
		va_start(ap, format);                                           \
		int assigned;                                                   \
		if (!libc_enter(PC))                                            \
			assigned = REAL_FN(vname)(format, ap);                  \
		else                                                            \
			assigned = STREAM_CALL(stdin, SCANNED(REAL_FN(vname)(format, ap))); \
		va_end(ap);                                                     \
		return assigned;                                                \
	}
FORM0(__isoc99_scanf, __isoc99_vscanf)
