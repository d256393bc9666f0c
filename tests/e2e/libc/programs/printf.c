/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The printf family over many formats; the text must be the one of a build without heddle.  Strings are read
 * as far as the precision goes, %n stores.
 *
 * trace: T0 hidden:stream
 * trace: T0 read 3 [^=]*= 0x636261 .*\+libc
 * trace: T0 read 2 [^=]*= 30839 .*\+libc
 * trace: T0 write 2 [^=]*= 7 .*\+libc
 */
#define _GNU_SOURCE
#include <assert.h>
#include <err.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

static void through_list(const char *format, ...)
{
	va_list ap, again;
	static char *made, room[16];
	va_start(ap, format);
	va_copy(again, ap);
	vprintf(format, ap);
	va_end(ap);
	assert(vasprintf(&made, format, again) == (int)strlen(made));
	va_end(again);
	printf("%s", made);
	va_start(ap, format);
	assert(vsnprintf(room, sizeof(room), format, ap) == (int)strlen(made));
	va_end(ap);
	printf("<%s>\n", room);
	free(made);
}

int main(void)
{
	static const char *const integers[] = {
		"%d", "%5d", "%-5d|", "%05d", "%+d", "% d", "%x", "%#X", "%o", "%u", "%i", "%.3d", "%'d",
		"%8.4x",
	};
	static const char *const floats[] = {
		"%f", "%.0f", "%10.3f", "%-10.2e|", "%g", "%G", "%a", "%#.0f", "%+.1f",
	};
	char abc[] = { 'a', 'b', 'c' }, wxyz[] = "wxyz";	/* the first has no terminator */
	for (unsigned i = 0; i < sizeof(integers) / sizeof(*integers); i++)
		for (int v = -12345; v < 20000; v += 12345)
			printf(integers[i], v), putchar(' ');
	for (unsigned i = 0; i < sizeof(floats) / sizeof(*floats); i++)
		printf(floats[i], 1234.5678), printf(floats[i], -1e-10), putchar('\n');
	printf("%hhd %hd %ld %lld %jd %zu %td %Lf %c %% %p\n", 300, 70000, 1L << 40, -5LL, INTMAX_MAX,
	       sizeof(int), (ptrdiff_t)-3, 2.5L, 'q', (void *)0x1234);
	printf("%.3s|%.*s|%5s|%-5s|%s|%.0s|\n", abc, 2, wxyz, "ab", "cd", (char *)NULL, "never");
	printf("%2$s %1$d %3$.*4$f %2$s\n", 7, "positional", 3.14159, 2);
	printf("%ls %lc %.2ls\n", L"wide", (wint_t)L'w', L"wide");
	static short n = -1;
	static long m = -1;
	printf("seven..%hn and more%ln\n", &n, &m);
	assert(n == 7 && m == 16);
	static char room[8];
	assert(snprintf(room, sizeof(room), "%s", "0123456789") == 10 && !strcmp(room, "0123456"));
	assert(sprintf(room, "%d", 42) == 2 && !strcmp(room, "42") && snprintf(NULL, 0, "%d", 12345) == 5);
	through_list("%d %s %.1f %c %ld|", 1, "two", 3.0, '4', 5L);
	through_list("%1$s-%1$s-%2$d|", "again", 9);
	through_list("%f %f %f %f %f %f %f %f %f %f %d|", 1., 2., 3., 4., 5., 6., 7., 8., 9., 10., 11);
	fflush(stdout);
	dprintf(1, "%s %d\n", "descriptor", 1);
	fprintf(stderr, "to standard error %d\n", 2);
	warnx("a warning %s", "without errno");
	fputs("end\n", stdout);
	return 0;
}
