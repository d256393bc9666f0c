/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Wide strings, conversions and wide streams.
 *
 * trace: T0 hidden:characters
 * trace: T0 hidden:conversion
 */
#define _GNU_SOURCE
#include <assert.h>
#include <iconv.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <wctype.h>

static wchar_t s[64], t[64];
static char bytes[64];
static mbstate_t state;

static void strings(void)
{
	static wchar_t line[] = L"one two,three", *place;
	assert(wcscpy(s, L"Hello") == s && wcpcpy(t, s) == t + 5 && !wcscasecmp(s, L"hELLO"));
	assert(wcsncat(s, L", you", 4) == s && !wcscmp(s, L"Hello, yo") && wcsncasecmp(s, L"HELP", 3) == 0);
	assert(wcpncpy(t, L"ab", 5) == t + 2 && t[4] == 0 && wcschrnul(s, L'x') == s + 9);
	assert(wcsspn(s, L"Hel") == 4 && wcscspn(s, L"o") == 4 && wcspbrk(s, L"ol") == s + 2);
	for (wchar_t *w = wcstok(line, L" ,", &place); w; w = wcstok(NULL, L" ,", &place))
		printf("[%ls]", w);
	assert(wmempcpy(t, s, 3) == t + 3 && wmemcmp(t, s, 3) == 0 && wmemchr(t, L'l', 3) == t + 2);
	assert(wcscoll(L"a", L"b") < 0 && wcsxfrm(t, L"abc", 64) < 64 && wcswidth(L"abc", 3) == 3);
	wchar_t *end, *twin = wcsdup(s);
	assert(wcstol(L" 42x", &end, 10) == 42 && *end == L'x' && wcstod(L"2.5e1,", &end) == 25 && *end == L',');
	printf("%ls %ld\n", twin, wcslen(twin));
	free(twin);
}

static void conversions(void)
{
	wchar_t c = 0;
	const char *from = "abc";
	const wchar_t *wide = L"xyz";
	assert(mbrtowc(&c, "q", 1, &state) == 1 && c == L'q' && mbrlen("r", 1, NULL) == 1);
	assert(wcrtomb(bytes, L'w', &state) == 1 && bytes[0] == 'w' && mbsinit(&state));
	assert(mbtowc(&c, "z", 1) == 1 && c == L'z' && wctomb(bytes, L'k') == 1 && bytes[0] == 'k');
	assert(mblen("a", 1) == 1 && mblen(NULL, 0) == 0);
	assert(mbsrtowcs(t, &from, 64, &state) == 3 && !from && !wcscmp(t, L"abc"));
	assert(wcsrtombs(bytes, &wide, 64, &state) == 3 && !wide && !strcmp(bytes, "xyz"));
	from = "longer";
	assert(mbsnrtowcs(t, &from, 4, 64, &state) == 4 && t[3] == L'g');
	wide = L"longer";
	assert(wcsnrtombs(bytes, &wide, 2, 64, &state) == 2 && bytes[1] == 'o');
	assert(mbstowcs(t, "four", 64) == 4 && wcstombs(bytes, t, 64) == 4 && !strcmp(bytes, "four"));
	assert(towupper(L'a') == L'A' && iswctype(L'1', wctype("digit")));
}

static void sets(void)
{
	static char in[] = "caf\xe9", out[16], *i, *o;
	static size_t left, room;
	iconv_t c = iconv_open("UTF-8", "ISO-8859-1");
	assert(c != (iconv_t)-1);
	i = in;
	o = out;
	left = 4;
	room = sizeof(out);
	assert(iconv(c, &i, &left, &o, &room) == 0 && left == 0 && o - out == 5 && room == sizeof(out) - 5);
	printf("%02x%02x\n", out[3] & 255, out[4] & 255);
	assert(iconv(c, NULL, NULL, NULL, NULL) == 0 && iconv_close(c) == 0);
}

static void streams(void)
{
	static int number;
	static float real;
	static wchar_t word[16];
	static char narrow[16];
	assert(swprintf(s, 64, L"%d %s %ls|%n", 7, "narrow", L"wide", &number) == 14 && number == 14);
	assert(swprintf(s, 4, L"%d", 123456) == -1);
	assert(swscanf(L"12 3.5 word thing", L"%d %f %ls %s", &number, &real, word, narrow) == 4);
	printf("%d %g %ls %s\n", number, real, word, narrow);
	FILE *f = tmpfile();
	assert(f && fwide(f, 1) > 0 && fputwc(L'a', f) == L'a' && putwc(L'b', f) == L'b' && fputws(L"c 10\nline\n", f) >= 0);
	assert(fwprintf(f, L"%d %ls\n", 99, L"end") == 7);
	rewind(f);
	assert(fgetwc(f) == L'a' && ungetwc(L'A', f) == L'A' && getwc(f) == L'A');
	assert(fwscanf(f, L"%ls %d\n", word, &number) == 2 && number == 10 && !wcscmp(word, L"bc"));
	assert(fgetws(s, 64, f) == s && !wcscmp(s, L"line\n"));
	assert(fgetws(s, 64, f) == s && !wcscmp(s, L"99 end\n") && fgetwc(f) == WEOF);
	fclose(f);
}

int main(void)
{
	setlocale(LC_ALL, "C.UTF-8");
	strings();
	conversions();
	sets();
	streams();
	return 0;
}
