/* SPDX-License-Identifier: Apache-2.0 */
/* Streams: every way in and out of a file, positions, buffers, ends. */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *name;

static void out(void)
{
	FILE *f = fopen(name, "w");
	static char buffer[BUFSIZ];
	assert(f && !setvbuf(f, buffer, _IOFBF, sizeof(buffer)) && fileno(f) > 2);
	assert(fputc('a', f) == 'a' && putc('b', f) == 'b' && putc_unlocked('c', f) == 'c' &&
	       fputs("def\n", f) >= 0);
	int numbers[3] = { 0x41424344, 0x45464748, 0x0a494a4b };
	assert(fwrite(numbers, sizeof(int), 3, f) == 3 && fprintf(f, "%s %d\n", "line", 3) == 7);
	assert(ftell(f) == 26 && !fflush(f) && !ferror(f) && !fclose(f));
}

static void in(void)
{
	FILE *f = fopen(name, "r");
	static char text[64], *line;
	static size_t room;
	static int numbers[4];
	static fpos_t here;
	assert(f && fgetc(f) == 'a' && ungetc('z', f) == 'z' && getc(f) == 'z' && getc_unlocked(f) == 'b');
	assert(fgets(text, sizeof(text), f) == text && !strcmp(text, "cdef\n"));
	assert(fread(numbers, sizeof(int), 3, f) == 3 && numbers[1] == 0x45464748);
	assert(getline(&line, &room, f) == 7 && !strcmp(line, "line 3\n") && room > 7);
	assert(fgetc(f) == EOF && feof(f) && fread(numbers, sizeof(int), 1, f) == 0);
	clearerr(f);
	assert(!feof(f) && !fseek(f, 3, SEEK_SET) && ftello(f) == 3 && getdelim(&line, &room, 'f', f) == 3 &&
	       !strcmp(line, "def"));
	assert(!fgetpos(f, &here) && !fseeko(f, 0, SEEK_END) && !fsetpos(f, &here) && fgetc(f) == '\n');
	rewind(f);
	assert(fgets(text, 3, f) && !strcmp(text, "za") == 0 && !strcmp(text, "ab"));
	f = freopen(name, "a+", f);
	assert(f && fputs("more\n", f) >= 0 && !fclose(f));
	free(line);
}

static void embedded_nul(void)
{
	FILE *f = tmpfile();
	static char text[8] = "-------";
	assert(f && fwrite("a\0b\nc", 1, 5, f) == 5);
	rewind(f);
	assert(fgets(text, sizeof(text), f) && text[0] == 'a' && text[2] == 'b' && text[3] == '\n' &&
	       !text[4] && text[5] == '-');
	fclose(f);
}

int main(void)
{
	static char path[] = "streams.XXXXXX";
	int fd = mkstemp(path);
	assert(fd >= 0 && !close(fd));
	name = path;
	out();
	in();
	embedded_nul();
	FILE *f = fopen(name, "r");
	for (int c; (c = fgetc(f)) != EOF;)
		putchar(c);
	assert(!fclose(f) && !unlink(name));
	errno = 0;
	assert(!fopen("/no/such/file", "r") && errno == ENOENT);
	perror("as expected");
	errno = 5;
	assert(puts("errno stays") >= 0 && errno == 5);
	putchar_unlocked('!');
	assert(putchar('\n') == '\n');
	for (int c; (c = getchar()) != EOF;)
		putchar(c);
	return 0;
}
