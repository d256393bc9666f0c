/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The scanf family: every kind of conversion stores what it must, and no more.
 *
 * trace: T0 write 4 [^=]*= 42 .*\+libc
 * trace: T0 write 1 [^=]*= 7 .*\+libc
 * trace: T0 write 6 [^=]*= 0x6f6c6c6568 .*\+libc
 */
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

static int scan(const char *text, const char *format, ...)
{
	va_list ap;
	va_start(ap, format);
	int n = vsscanf(text, format, ap);
	va_end(ap);
	return n;
}

int main(void)
{
	static int i = -1, j = -1, k = -1;
	static signed char h = -1;
	static short s = -1;
	static long l = -1;
	static float f;
	static double d;
	static long double ld;
	static char word[16] = "", set[16] = "", c = 0, three[3] = "", *made = NULL;
	static wchar_t wide[8];
	assert(scan("42 7 hello", "%d %hhd %s", &i, &h, word) == 3 && i == 42 && h == 7 &&
	       !strcmp(word, "hello"));
	assert(scan("1.5 2.5 3.5", "%f %lf %Lf", &f, &d, &ld) == 3 && f == 1.5f && d == 2.5 && ld == 3.5L);
	assert(scan("ff 0x10 077", "%x %i %o", (unsigned *)&i, &j, (unsigned *)&k) == 3 && i == 255 &&
	       j == 16 && k == 63);
	assert(scan("-5 6000000000", "%hd %ld", &s, &l) == 2 && s == -5 && l == 6000000000L);
	assert(scan("xabcabc]-9", "x%[abc]]%n%d", set, &k, &i) == 2 && !strcmp(set, "abcabc") && k == 8 &&
	       i == -9);
	assert(scan("12 skipped 34", "%d %*s %d", &i, &j) == 2 && i == 12 && j == 34);
	assert(scan("XYZ", "%c%2c", &c, three) == 2 && c == 'X' && three[0] == 'Y' && three[1] == 'Z' &&
	       !three[2]);
	assert(scan("12abc", "%1d%1d%s", &i, &j, word) == 3 && i == 1 && j == 2 && !strcmp(word, "abc"));
	i = j = -7;
	assert(scan("5 x", "%d %d", &i, &j) == 1 && i == 5 && j == -7);
	assert(scan("", "%d", &i) == EOF && i == 5);
	assert(scan("second first", "%2$s %1$s", word, set) == 2 && !strcmp(word, "first") &&
	       !strcmp(set, "second"));
	assert(scan("allocated", "%ms", &made) == 1 && !strcmp(made, "allocated"));
	free(made);
	assert(scan("wide", "%ls", wide) == 1 && wcslen(wide) == 4 && wide[3] == L'e');
	FILE *file = tmpfile();
	assert(file);
	fputs("100 apples\n200 pears\n", file);
	rewind(file);
	while (fscanf(file, "%d %15s", &i, word) == 2)
		printf("%d of %s\n", i, word);
	assert(feof(file));
	fclose(file);
	while (scanf("%d", &i) == 1)
		printf("from standard input: %d\n", i);
	return 0;
}
