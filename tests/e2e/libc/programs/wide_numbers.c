/* SPDX-License-Identifier: Apache-2.0 */
/* Wide strings, and numbers from text. */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

static void wide(void)
{
	static wchar_t s[16], t[16];
	static char bytes[16];
	wchar_t *d;
	assert(wcslen(wcscpy(s, L"hello")) == 5 && wcsnlen(s, 3) == 3 && !wcscmp(s, L"hello") &&
	       wcsncmp(s, L"help", 4) < 0);
	assert(wcscat(s, L"!") == s && s[5] == L'!' && wcschr(s, L'l') == s + 2 &&
	       wcsrchr(s, L'l') == s + 3 && wcsstr(s, L"lo") == s + 3);
	assert(wmemcpy(t, s, 7) == t && !wmemcmp(s, t, 7) && wmemchr(t, L'o', 7) == t + 4);
	assert(wmemset(t, L'x', 3) == t && wmemmove(t + 1, t, 4) == t + 1 && !wcscmp(t, L"xxxxl!"));
	assert(wcsncpy(t, L"ab", 5) == t && !t[4]);
	d = wcsdup(s);
	assert(d && !wcscmp(d, s));
	free(d);
	assert(mbstowcs(t, "bytes", 16) == 5 && !wcscmp(t, L"bytes") && wcstombs(bytes, t, 16) == 5 &&
	       !strcmp(bytes, "bytes"));
}

int main(void)
{
	static const char *const texts[] = {
		"42", "  -17abc", "0x1f", "077", "", "xyz", "99999999999999999999", "3.25e2z", "-inf", "   ",
	};
	wide();
	for (unsigned i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		static char *end, *end2, *end3;
		errno = 0;
		long l = strtol(texts[i], &end, 0);
		printf("%ld %td %d|", l, end - texts[i], errno);
		unsigned long u = strtoul(texts[i], &end2, 16);
		double d = strtod(texts[i], &end3);
		printf("%lu %td|%g %td|%d %ld %lld %g|%g %Lg %jd\n", u, end2 - texts[i], d, end3 - texts[i],
		       atoi(texts[i]), atol(texts[i]),
		       strtoll(texts[i], NULL, 10), atof(texts[i]), (double)strtof(texts[i], NULL),
			strtold(texts[i], NULL),
		       strtoimax(texts[i], NULL, 10));
	}
	static int exponent;
	static double whole;
	assert(frexp(8, &exponent) == 0.5 && exponent == 4 && modf(3.5, &whole) == 0.5 && whole == 3);
	return 0;
}
