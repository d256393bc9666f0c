/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Streams whose other side is memory or functions of the program's, buffers that the program gives, and the
 * characters that the headers' macros take from a stream without a call.
 *
 * trace: T0 acquire:stream
 * trace: T0 release:stream
 */
#define _GNU_SOURCE
#include <assert.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

static char *grown, fixed[32], buffer[256], collected[256];
static size_t length, filled, given;

static ssize_t take(void *cookie, const char *from, size_t n)
{
	assert(cookie == &filled && filled + n <= sizeof(collected));
	memcpy(collected + filled, from, n);
	filled += n;
	return (ssize_t)n;
}

static ssize_t give(void *cookie, char *to, size_t n)
{
	static const char text[] = "line of a cookie\n";
	(void)cookie;
	size_t left = sizeof(text) - 1 - given, now = n < left ? n : left;
	memcpy(to, text + given, now);
	given += now;
	return (ssize_t)now;
}

static int position(void *cookie, off64_t *offset, int whence)
{
	(void)cookie;
	return *offset >= 0 && whence >= 0 ? 0 : -1;
}

static void memory(void)
{
	FILE *f = open_memstream(&grown, &length);
	assert(f);
	fprintf(f, "%d and %s", 42, "more");
	fflush(f);
	assert(length == 11 && !strcmp(grown, "42 and more"));
	for (int i = 0; i < 2000; i++)
		fputc('x', f);
	fclose(f);
	assert(length == 2011 && grown[2010] == 'x' && !grown[2011]);
	free(grown);
	wchar_t *wide;
	size_t units;
	f = open_wmemstream(&wide, &units);
	fputws(L"wide", f);
	fclose(f);
	assert(units == 4 && !wcscmp(wide, L"wide"));
	free(wide);
	f = fmemopen(fixed, sizeof(fixed), "w+");
	fputs("in fixed memory", f);
	fflush(f);
	assert(!strcmp(fixed, "in fixed memory"));
	rewind(f);
	char word[16];
	assert(fscanf(f, "%15s", word) == 1 && !strcmp(word, "in"));
	fclose(f);
	f = fmemopen("only read\n", 10, "r");
	assert(fgets(buffer, sizeof(buffer), f) && !strcmp(buffer, "only read\n"));
	fclose(f);
}

static void functions(void)
{
	FILE *f = fopencookie(&filled, "w+", (cookie_io_functions_t){ give, take, position, NULL });
	assert(f);
	fputs("to the cookie", f);
	fflush(f);
	assert(filled == 13 && !memcmp(collected, "to the cookie", 13));
	fseek(f, 0, SEEK_SET);
	assert(fgets(buffer, sizeof(buffer), f));
	printf("%s", buffer);
	fclose(f);
}

static void buffers(void)
{
	static char own[BUFSIZ];
	FILE *f = tmpfile();
	assert(!setvbuf(f, own, _IOFBF, sizeof(own)));
	fputs("buffered here", f);
	assert(!memcmp(own, "buffered here", 13) && __fpending(f) == 13 && __fbufsize(f) == sizeof(own));
	rewind(f);
	int sum = 0, c;
	flockfile(f);
	while ((c = getc_unlocked(f)) != EOF)
		sum += c;
	clearerr_unlocked(f);
	for (int i = 0; i < 10; i++)
		putc_unlocked('a' + i, f);
	funlockfile(f);
	printf("%d %d\n", sum, __fwriting(f) != 0);
	fclose(f);
	f = tmpfile();
	for (int i = 0; i < 6000; i++)
		putc_unlocked('a' + i % 26, f);
	rewind(f);
	for (sum = 0; (c = getc_unlocked(f)) != EOF;)
		sum += c;
	assert(feof_unlocked(f) && !ferror_unlocked(f));
	printf("%d\n", sum);
	fclose(f);
}

int main(void)
{
	memory();
	functions();
	buffers();
	return 0;
}
