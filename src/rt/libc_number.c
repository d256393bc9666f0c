/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers from text.  libc converts and tells where it stopped; the bytes up to there and the one that ended
 * it are what was examined.
 */
#include "rt/libc_wrap.h"

static void examined(const char *s, const char *end, pc_t pc)
{
	if (end == s)
		while (isspace((unsigned char)*end))
			end++;
	rt_libc_read(s, (size_t)(end - s) + 1, pc);
}

static void tell_end(char **out, char *end, pc_t pc)
{
	if (!out)
		return;
	libc_will_write(out, sizeof(*out), pc);
	*out = end;
	rt_libc_wrote(out, sizeof(*out), pc);
}

#define INTEGER(name, type)                                                            \
	RT_EXPORT type name(const char *restrict s, char **restrict out, int base)   \
	{                                                                              \
		if (!libc_enter(PC))                                                   \
			return REAL_FN(name)(s, out, base);                            \
		char *end;                                                             \
		type v = LIBC_CALL(REAL_FN(name)(s, &end, base));                      \
		examined(s, end, PC);                                                  \
		tell_end(out, end, PC);                                                \
		return v;                                                              \
	}
INTEGER(strtol, long)
INTEGER(strtoll, long long)
INTEGER(strtoul, unsigned long)
INTEGER(strtoull, unsigned long long)
INTEGER(strtoimax, intmax_t)
INTEGER(strtoumax, uintmax_t)

#define FLOATING(name, type)                                                           \
	RT_EXPORT type name(const char *restrict s, char **restrict out)             \
	{                                                                              \
		if (!libc_enter(PC))                                                   \
			return REAL_FN(name)(s, out);                                  \
		char *end;                                                             \
		type v = LIBC_CALL(REAL_FN(name)(s, &end));                            \
		examined(s, end, PC);                                                  \
		tell_end(out, end, PC);                                                \
		return v;                                                              \
	}
FLOATING(strtod, double)
FLOATING(strtof, float)
FLOATING(strtold, long double)

#define SIMPLE(name, type, convert)                                                    \
	RT_EXPORT type name(const char *s)                                           \
	{                                                                              \
		if (!libc_enter(PC))                                                   \
			return REAL_FN(name)(s);                                       \
		char *end;                                                             \
		type v = (type)LIBC_CALL(convert);                                     \
		examined(s, end, PC);                                                  \
		return v;                                                              \
	}
SIMPLE(atoi, int, REAL_FN(strtol)(s, &end, 10))
SIMPLE(atol, long, REAL_FN(strtol)(s, &end, 10))
SIMPLE(atoll, long long, REAL_FN(strtoll)(s, &end, 10))
SIMPLE(atof, double, REAL_FN(strtod)(s, &end))

/* Two results: one returned, one stored. */
#define SPLIT(name, type, stored)                                                      \
	RT_EXPORT type name(type x, stored *out)                                     \
	{                                                                              \
		if (!libc_enter(PC))                                                   \
			return REAL_FN(name)(x, out);                                  \
		libc_will_write(out, sizeof(*out), PC);                                \
		type v = REAL_FN(name)(x, out);                                        \
		rt_libc_wrote(out, sizeof(*out), PC);                                  \
		return v;                                                              \
	}
SPLIT(frexp, double, int)
SPLIT(frexpf, float, int)
SPLIT(frexpl, long double, int)
SPLIT(modf, double, double)
SPLIT(modff, float, float)
SPLIT(modfl, long double, long double)

#define SINE_AND_COSINE(name, type)                                                    \
	RT_EXPORT void name(type x, type *sine, type *cosine)                          \
	{                                                                              \
		bool controlled = libc_enter(PC);                                      \
		REAL_FN(name)(x, sine, cosine);                                        \
		if (!controlled)                                                       \
			return;                                                        \
		rt_libc_wrote(sine, sizeof(*sine), PC);                                \
		rt_libc_wrote(cosine, sizeof(*cosine), PC);                            \
	}
SINE_AND_COSINE(sincos, double)
SINE_AND_COSINE(sincosf, float)
