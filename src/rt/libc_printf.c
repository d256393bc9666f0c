/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The printf family, for characters and wide characters.  Each form ends in its v-form; what the
 * arguments point to is found by the format scanner, the text is made by libc.  Forms that print
 * into memory touch no stream: they are ranges alone.
 */
#include "rt/libc_format.h"
#include "rt/libc_stream.h"
#include "rt/libc_wrap.h"
#include "rt/ring.h"
#include "wire/wire.h"

/* What the macros below make forms of: a character of the format, and the format as the scanner
 * wants it. */
#define UNIT char
#define FORMAT_TEXT format_text

/* Reads before, the call, stores by %n after. */
#define FORMATTED(format, arguments, call)                                  \
	__extension__({                                                     \
		va_list before_, after_;                                    \
		va_copy(before_, arguments);                                \
		va_copy(after_, arguments);                                 \
		const char *text_ = FORMAT_TEXT(format, PC);                \
		unsigned stores_ = format_printf_reads(text_, before_, PC); \
		int printed_ = (call);                                      \
		if (stores_ && printed_ >= 0)                               \
			format_printf_wrote(text_, after_, PC);             \
		va_end(before_);                                            \
		va_end(after_);                                             \
		printed_;                                                   \
	})

/*
 * A form and its v-form: what stands before the format as parameters and as arguments, and what
 * is done under control, for which ENTER_ and its name is the first step. All of it is inside the
 * exported function, since PC is its caller.
 */
#define FORM(name, vname, parameters, leading, controlled)              \
	RT_EXPORT int vname(parameters, const UNIT *format, va_list ap) \
	{                                                               \
		if (!ENTER_##controlled)                                \
			return REAL_FN(vname)(leading, format, ap);     \
		return controlled(vname, leading);                      \
	}                                                               \
	RT_EXPORT int name(parameters, const UNIT *format, ...)         \
	{                                                               \
		va_list ap;                                             \
		va_start(ap, format);                                   \
		int printed;                                            \
		if (!ENTER_##controlled)                                \
			printed = REAL_FN(vname)(leading, format, ap);  \
		else                                                    \
			printed = controlled(vname, leading);           \
		va_end(ap);                                             \
		return printed;                                         \
	}
/* printf and vprintf have nothing before the format. */
#define FORM0(name, vname, controlled)                        \
	RT_EXPORT int vname(const UNIT *format, va_list ap)   \
	{                                                     \
		if (!ENTER_##controlled)                      \
			return REAL_FN(vname)(format, ap);    \
		return controlled(vname);                     \
	}                                                     \
	RT_EXPORT int name(const UNIT *format, ...)           \
	{                                                     \
		va_list ap;                                   \
		va_start(ap, format);                         \
		int printed;                                  \
		if (!ENTER_##controlled)                      \
			printed = REAL_FN(vname)(format, ap); \
		else                                          \
			printed = controlled(vname);          \
		va_end(ap);                                   \
		return printed;                               \
	}
#define COMMA ,

/* ---- to streams and descriptors ---- */

/* The v-form with what stands before the format. */
#define PRINT(vname, ...) REAL_FN(vname)(__VA_ARGS__, format, ap)

#define ENTER_TO_STDOUT stream_enter(stdout, PC)
#define TO_STDOUT(vname) STREAM_CALL(stdout, FORMATTED(format, ap, REAL_FN(vname)(format, ap)))
#define ENTER_TO_STDOUT_CHECKED stream_enter(stdout, PC)
#define TO_STDOUT_CHECKED(vname, ...) \
	STREAM_CALL(stdout, FORMATTED(format, ap, PRINT(vname, __VA_ARGS__)))
#define ENTER_TO_STREAM stream_enter(stream, PC)
#define TO_STREAM(vname, ...) STREAM_CALL(stream, FORMATTED(format, ap, PRINT(vname, __VA_ARGS__)))
#define ENTER_TO_DESCRIPTOR libc_enter(PC)
#define TO_DESCRIPTOR(vname, ...)                              \
	FORMATTED(format, ap,                                  \
		  (ev_sync(EV_USE, 0, 0, (uint64_t)fd, 0, PC), \
		   LIBC_CALL(PRINT(vname, __VA_ARGS__))))

FORM0(printf, vprintf, TO_STDOUT)
FORM(fprintf, vfprintf, FILE *stream, stream, TO_STREAM)
FORM(dprintf, vdprintf, int fd, fd, TO_DESCRIPTOR)
FORM(__printf_chk, __vprintf_chk, int flag, flag, TO_STDOUT_CHECKED)
FORM(__fprintf_chk, __vfprintf_chk, FILE *stream COMMA int flag, stream COMMA flag, TO_STREAM)
FORM(__dprintf_chk, __vdprintf_chk, int fd COMMA int flag, fd COMMA flag, TO_DESCRIPTOR)

/* ---- to memory ---- */

/* What a call with this much room left behind: the text as far as it fits, and the terminator. */
static int wrote_text(const char *to, size_t room, int printed, pc_t pc)
{
	if (printed >= 0 && room)
		rt_libc_wrote(to, (size_t)printed < room ? (size_t)printed + 1 : room, pc);
	return printed;
}

static int wrote_allocated(char **to, int printed, pc_t pc)
{
	if (printed >= 0) {
		rt_libc_wrote(to, sizeof(*to), pc);
		rt_libc_wrote(*to, (size_t)printed + 1, pc);
	}
	return printed;
}

/* The room of sprintf is unknown before; of snprintf, how much of it is used is. */
#define ENTER_TO_MEMORY libc_enter(PC)
#define TO_MEMORY(vname, ...)                  \
	FORMATTED(format, ap,                  \
		  (libc_will_write(to, 1, PC), \
		   wrote_text(to, SIZE_MAX, LIBC_CALL(PRINT(vname, __VA_ARGS__)), PC)))
#define ENTER_TO_ROOM libc_enter(PC)
#define TO_ROOM(vname, ...)                               \
	FORMATTED(format, ap,                             \
		  (libc_will_write(to, room ? 1 : 0, PC), \
		   wrote_text(to, room, LIBC_CALL(PRINT(vname, __VA_ARGS__)), PC)))
#define ENTER_TO_HEAP libc_enter(PC)
#define TO_HEAP(vname, ...) \
	FORMATTED(format, ap, wrote_allocated(to, LIBC_CALL(PRINT(vname, __VA_ARGS__)), PC))

FORM(sprintf, vsprintf, char *to, to, TO_MEMORY)
FORM(snprintf, vsnprintf, char *to COMMA size_t room, to COMMA room, TO_ROOM)
FORM(asprintf, vasprintf, char **to, to, TO_HEAP)
extern __typeof__(asprintf) __asprintf LIBC_ALIAS(asprintf);
FORM(__sprintf_chk, __vsprintf_chk, char *to COMMA int flag COMMA size_t limit,
     to COMMA flag COMMA limit, TO_MEMORY)
FORM(__snprintf_chk, __vsnprintf_chk, char *to COMMA size_t room COMMA int flag COMMA size_t limit,
     to COMMA room COMMA flag COMMA limit, TO_ROOM)
FORM(__asprintf_chk, __vasprintf_chk, char **to COMMA int flag, to COMMA flag, TO_HEAP)

/* ---- messages on standard error ---- */

#define WARNING(name, vname)                                                                 \
	RT_EXPORT void vname(const char *format, va_list ap)                                 \
	{                                                                                    \
		if (libc_enter(PC))                                                          \
			STREAM_CALL(stderr,                                                  \
				    FORMATTED(format, ap, (REAL_FN(vname)(format, ap), 0))); \
		else                                                                         \
			REAL_FN(vname)(format, ap);                                          \
	}                                                                                    \
	RT_EXPORT void name(const char *format, ...)                                         \
	{                                                                                    \
		va_list ap;                                                                  \
		va_start(ap, format);                                                        \
		if (libc_enter(PC))                                                          \
			STREAM_CALL(stderr,                                                  \
				    FORMATTED(format, ap, (REAL_FN(vname)(format, ap), 0))); \
		else                                                                         \
			REAL_FN(vname)(format, ap);                                          \
		va_end(ap);                                                                  \
	}
WARNING(warn, vwarn)
WARNING(warnx, vwarnx)

/* The same and the end of the process, which must be ours: libc's would not pass through exit(). */
#define ENDING(name, vname, vwarning)                                                           \
	RT_EXPORT void vname(int status, const char *format, va_list ap)                        \
	{                                                                                       \
		if (libc_enter(PC))                                                             \
			STREAM_CALL(stderr,                                                     \
				    FORMATTED(format, ap, (REAL_FN(vwarning)(format, ap), 0))); \
		else                                                                            \
			REAL_FN(vwarning)(format, ap);                                          \
		exit(status);                                                                   \
	}                                                                                       \
	RT_EXPORT void name(int status, const char *format, ...)                                \
	{                                                                                       \
		va_list ap;                                                                     \
		va_start(ap, format);                                                           \
		if (libc_enter(PC))                                                             \
			STREAM_CALL(stderr,                                                     \
				    FORMATTED(format, ap, (REAL_FN(vwarning)(format, ap), 0))); \
		else                                                                            \
			REAL_FN(vwarning)(format, ap);                                          \
		va_end(ap);                                                                     \
		exit(status);                                                                   \
	}
ENDING(err, verr, vwarn)
ENDING(errx, verrx, vwarnx)

/* ---- into an object that grows in an obstack ---- */

static int grew(const struct obstack *stack, int printed, pc_t pc)
{
	libc_wrote_if_changed(stack, sizeof(*stack), pc);
	if (printed >= 0) {
		libc_wrote_if_changed(stack->chunk, sizeof(*stack->chunk), pc);
		libc_wrote_if_changed(stack->object_base,
				      (size_t)(stack->next_free - stack->object_base), pc);
	}
	return printed;
}

#define ENTER_TO_OBSTACK libc_enter(PC)
#define TO_OBSTACK(vname, ...)                        \
	FORMATTED(format, ap,                         \
		  (rt_libc_read(to, sizeof(*to), PC), \
		   grew(to, LIBC_CALL(PRINT(vname, __VA_ARGS__)), PC)))
FORM(obstack_printf, obstack_vprintf, struct obstack *to, to, TO_OBSTACK)
FORM(__obstack_printf_chk, __obstack_vprintf_chk, struct obstack *to COMMA int flag, to COMMA flag,
     TO_OBSTACK)

/* ---- wide characters ---- */

#undef UNIT
#undef FORMAT_TEXT
#define UNIT wchar_t
#define FORMAT_TEXT format_text_wide

/* Without room enough nothing says how much was stored. */
static int wrote_wide(const wchar_t *to, size_t room, int printed, pc_t pc)
{
	if (printed >= 0)
		rt_libc_wrote(to, ((size_t)printed + 1) * sizeof(*to), pc);
	else
		libc_wrote_if_changed(to, room * sizeof(*to), pc);
	return printed;
}

#define ENTER_TO_WIDE libc_enter(PC)
#define TO_WIDE(vname, ...)                                         \
	FORMATTED(format, ap,                                       \
		  (libc_will_write(to, room ? sizeof(*to) : 0, PC), \
		   wrote_wide(to, room, LIBC_CALL(PRINT(vname, __VA_ARGS__)), PC)))
FORM0(wprintf, vwprintf, TO_STDOUT)
FORM(fwprintf, vfwprintf, FILE *stream, stream, TO_STREAM)
FORM(__wprintf_chk, __vwprintf_chk, int flag, flag, TO_STDOUT_CHECKED)
FORM(__fwprintf_chk, __vfwprintf_chk, FILE *stream COMMA int flag, stream COMMA flag, TO_STREAM)
FORM(swprintf, vswprintf, wchar_t *to COMMA size_t room, to COMMA room, TO_WIDE)
FORM(__swprintf_chk, __vswprintf_chk,
     wchar_t *to COMMA size_t room COMMA int flag COMMA size_t limit,
     to COMMA room COMMA flag COMMA limit, TO_WIDE)
