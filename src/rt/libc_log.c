/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages: to the system log, whose connection is one object, and to standard error by error().
 * What the arguments of a format lead to is read by the scanner of libc_format.c.
 */
#include "rt/libc_format.h"
#include "rt/libc_stream.h"
#include "rt/libc_wrap.h"
#include "rt/mem.h"
#include "wire/wire.h"

static void read_formatted(const char *format, va_list ap, pc_t pc)
{
	va_list copy;
	va_copy(copy, ap);
	format_printf_reads(format_text(format, pc), copy, pc);
	va_end(copy);
}

/* ---- the system log ---- */

WRAP_VOID(openlog, (const char *name, int options, int facility), (name, options, facility),
	  CHANGES(LOG);
	  READS_TEXT(name), NOTHING)
WRAP_VOID(closelog, (void), (), CHANGES(LOG), NOTHING)
WRAP(int, setlogmask, (int mask), (mask), CHANGES(LOG), NOTHING)

#define LOGGED(name, vname, parameters, leading)                             \
	RT_EXPORT void vname(parameters, const char *format, va_list ap)     \
	{                                                                    \
		if (libc_enter(PC)) {                                        \
			read_formatted(format, ap, PC);                      \
			libc_hidden(HIDDEN_LOG, true, PC);                   \
			LIBC_CALL((REAL_FN(vname)(leading, format, ap), 0)); \
		} else {                                                     \
			REAL_FN(vname)(leading, format, ap);                 \
		}                                                            \
	}                                                                    \
	RT_EXPORT void name(parameters, const char *format, ...)             \
	{                                                                    \
		va_list ap;                                                  \
		va_start(ap, format);                                        \
		if (libc_enter(PC)) {                                        \
			read_formatted(format, ap, PC);                      \
			libc_hidden(HIDDEN_LOG, true, PC);                   \
			LIBC_CALL((REAL_FN(vname)(leading, format, ap), 0)); \
		} else {                                                     \
			REAL_FN(vname)(leading, format, ap);                 \
		}                                                            \
		va_end(ap);                                                  \
	}
#define COMMA ,
LOGGED(syslog, vsyslog, int priority, priority)
LOGGED(__syslog_chk, __vsyslog_chk, int priority COMMA int flag, priority COMMA flag)

/*
 * ---- error(): libc has no v-form of it ----
 *
 * The message is put together first; the real function prints it, with all that belongs to it.
 */

struct message {
	char *text;
	size_t size;
};

static struct message message_new(const char *format, va_list ap)
{
	va_list copy;
	va_copy(copy, ap);
	int before = errno;
	int n = REAL_FN(vsnprintf)(NULL, 0, format, copy);
	va_end(copy);
	size_t size = n < 0 ? 1 : (size_t)n + 1;
	struct message m = { rt_map(size), size };
	errno = before;
	if (n >= 0)
		REAL_FN(vsnprintf)(m.text, size, format, ap);
	errno = before;
	return m;
}

static void message_free(struct message m)
{
	rt_unmap(m.text, m.size);
}

/* Under control the end of the process must be ours: libc's would not pass through exit(). */
#define ERROR(name, parameters, leading, before)                                                 \
	RT_EXPORT void name parameters                                                           \
	{                                                                                        \
		va_list ap;                                                                      \
		va_start(ap, format);                                                            \
		bool is_controlled = libc_enter(PC);                                             \
		if (is_controlled) {                                                             \
			before;                                                                  \
			read_formatted(format, ap, PC);                                          \
		}                                                                                \
		struct message m = message_new(format, ap);                                      \
		va_end(ap);                                                                      \
		if (is_controlled) {                                                             \
			STREAM_CALL(stderr, (REAL_FN(name)(0, leading, "%s", m.text), 0));       \
			libc_wrote_if_changed(&error_message_count, sizeof(error_message_count), \
					      PC);                                               \
		} else {                                                                         \
			REAL_FN(name)(status, leading, "%s", m.text);                            \
		}                                                                                \
		message_free(m);                                                                 \
		if (status)                                                                      \
			exit(status);                                                            \
	}
ERROR(error, (int status, int number, const char *format, ...), number, NOTHING)
ERROR(error_at_line,
      (int status, int number, const char *file, unsigned line, const char *format, ...),
      number COMMA file COMMA line, READS_TEXT(file))

/* The same of a parser of options, which may end the process by itself. */
#define PARSER(name, parameters, leading)                                               \
	RT_EXPORT void name parameters                                                  \
	{                                                                               \
		va_list ap;                                                             \
		va_start(ap, format);                                                   \
		bool is_controlled = libc_enter(PC);                                    \
		if (is_controlled)                                                      \
			read_formatted(format, ap, PC);                                 \
		struct message m = message_new(format, ap);                             \
		va_end(ap);                                                             \
		if (is_controlled)                                                      \
			STREAM_CALL(stderr, (REAL_FN(name)(leading, "%s", m.text), 0)); \
		else                                                                    \
			REAL_FN(name)(leading, "%s", m.text);                           \
		message_free(m);                                                        \
	}
PARSER(argp_error, (const struct argp_state *restrict state, const char *restrict format, ...),
       state)
PARSER(argp_failure,
       (const struct argp_state *restrict state, int status, int number,
	const char *restrict format, ...),
       state COMMA status COMMA number)
