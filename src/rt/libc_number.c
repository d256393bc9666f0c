/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions on numbers that store a second result, or leave one behind: the others touch nothing
 * and need no wrapper.  Numbers in text are read by libc_text.inc.
 */
#include "rt/libc_wrap.h"

/* Two results: one returned, one stored. */
#define SPLIT(name, type, stored)                       \
	RT_EXPORT type name(type x, stored *out)        \
	{                                               \
		if (!libc_enter(PC))                    \
			return REAL_FN(name)(x, out);   \
		libc_will_write(out, sizeof(*out), PC); \
		type v = REAL_FN(name)(x, out);         \
		rt_libc_wrote(out, sizeof(*out), PC);   \
		return v;                               \
	}
SPLIT(frexp, double, int)
SPLIT(frexpf, float, int)
SPLIT(frexpl, long double, int)
SPLIT(modf, double, double)
SPLIT(modff, float, float)
SPLIT(modfl, long double, long double)

#define SINE_AND_COSINE(name, type)                           \
	RT_EXPORT void name(type x, type *sine, type *cosine) \
	{                                                     \
		bool controlled = libc_enter(PC);             \
		REAL_FN(name)(x, sine, cosine);               \
		if (!controlled)                              \
			return;                               \
		rt_libc_wrote(sine, sizeof(*sine), PC);       \
		rt_libc_wrote(cosine, sizeof(*cosine), PC);   \
	}
SINE_AND_COSINE(sincos, double)
SINE_AND_COSINE(sincosf, float)
SINE_AND_COSINE(sincosl, long double)

#define QUOTIENT(name, type)                                                        \
	WRAP(type, name, (type x, type y, int *out), (x, y, out), ROOM_OBJECT(out), \
	     WROTE_OBJECT(out))
QUOTIENT(remquo, double)
QUOTIENT(remquof, float)
QUOTIENT(remquol, long double)

/* ---- the logarithm of gamma leaves its sign in a variable of the library's, or where the caller
 * wants it ---- */

/* The variable that the program sees, which may be a copy in the program itself; NULL: there is
 * none. */
static int *sign_of_gamma(void)
{
	static RT_STATE int *variable;
	if (!variable) {
		g.internal++;
		variable = REAL_FN(dlsym)(RTLD_DEFAULT, "signgam");
		g.internal--;
	}
	return variable;
}

#define LOG_GAMMA(name, type) \
	WRAP(type, name, (type x), (x), NOTHING, WROTE_OBJECT(sign_of_gamma()))
#define LOG_GAMMA_R(name, type) \
	WRAP(type, name, (type x, int *out), (x, out), ROOM_OBJECT(out), WROTE_OBJECT(out))
LOG_GAMMA(lgamma, double)
LOG_GAMMA(lgammaf, float)
LOG_GAMMA(lgammal, long double)
LOG_GAMMA(gamma, double)
LOG_GAMMA(gammaf, float)
LOG_GAMMA(gammal, long double)
LOG_GAMMA_R(lgamma_r, double)
LOG_GAMMA_R(lgammaf_r, float)
LOG_GAMMA_R(lgammal_r, long double)

/* ---- numbers as decimal digits, in a static buffer or in the caller's ---- */

#define DIGITS(name, type)                                                                       \
	WRAP(char *, name, (type x, int digits, int *point, int *negative),                      \
	     (x, digits, point, negative), CHANGES(BUFFER);                                      \
	     ROOM_OBJECT(point); ROOM_OBJECT(negative), WROTE_TEXT(result); WROTE_OBJECT(point); \
	     WROTE_OBJECT(negative))
#define DIGITS_R(name, type)                                                                      \
	WRAP(int, name,                                                                           \
	     (type x, int digits, int *restrict point, int *restrict negative, char *restrict to, \
	      size_t room),                                                                       \
	     (x, digits, point, negative, to, room), ROOM_OBJECT(point);                          \
	     ROOM_OBJECT(negative); ROOM(to, room ? 1 : 0), WROTE_OBJECT(point);                  \
	     WROTE_OBJECT(negative); if (!result) WROTE_TEXT(to))
#define DIGITS_PLAIN(name, type)                                                         \
	WRAP(char *, name, (type x, int digits, char *to), (x, digits, to), ROOM(to, 1), \
	     WROTE_TEXT(to))
DIGITS(ecvt, double)
DIGITS(fcvt, double)
DIGITS(qecvt, long double)
DIGITS(qfcvt, long double)
DIGITS_R(ecvt_r, double)
DIGITS_R(fcvt_r, double)
DIGITS_PLAIN(gcvt, double)
DIGITS_PLAIN(qgcvt, long double)

/* A number by a format with one conversion. */
#define FORMATTED(name, type)                                                \
	WRAP(int, name, (char *to, size_t room, const char *format, type x), \
	     (to, room, format, x), READS_TEXT(format);                      \
	     ROOM(to, room ? 1 : 0),                                         \
	     WROTE(to,                                                       \
		   result >= 0 && room ? ((size_t)result < room ? (size_t)result + 1 : room) : 0))
FORMATTED(strfromd, double)
FORMATTED(strfromf, float)
FORMATTED(strfroml, long double)
