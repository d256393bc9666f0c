/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions of libc that read or write the program's memory, each beside a plain access of another thread.  Used like
 * orders.c; without `racy` the second thread begins when the first one has been joined.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <arpa/inet.h>
#include <fcntl.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

#include "orders.h"

static char text[256] = "12 34", rest[256];
static int numbers[8] = { 3, 1, 2 };
static wchar_t wide[16] = L"wide";
static struct timespec spec;
static struct timeval val;
static struct stat status;
static struct tm parts;
static time_t moment;
static FILE *null;
static volatile long sink;

/* What compilers call in programs that are built with _FORTIFY_SOURCE. */
int __snprintf_chk(char *to, size_t n, int flag, size_t room, const char *format, ...);
int __sprintf_chk(char *to, int flag, size_t room, const char *format, ...);
void *__memcpy_chk(void *to, const void *from, size_t n, size_t room);
void *__memmove_chk(void *to, const void *from, size_t n, size_t room);
void *__memset_chk(void *to, int c, size_t n, size_t room);
char *__strcpy_chk(char *to, const char *from, size_t room);
char *__stpcpy_chk(char *to, const char *from, size_t room);
char *__strncpy_chk(char *to, const char *from, size_t n, size_t room);
char *__strcat_chk(char *to, const char *from, size_t room);
char *__strncat_chk(char *to, const char *from, size_t n, size_t room);

static void write_text(void) { text[1] = '3'; }
static void read_text(void) { sink = text[1]; }

static int ascending(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

#define CASES(X) \
	X(snprintf, snprintf(text, sizeof(text), "%d", 77), read_text()) \
	X(sprintf, sprintf(text, "%d %s", 77, "x"), read_text()) \
	X(snprintf_s, snprintf(rest, sizeof(rest), "%5d %g %Lf %.3s", 1, 2.0, 3.0L, text), write_text()) \
	X(fprintf_s, fprintf(null, "%*d %s", 3, 4, text), write_text()) \
	X(fputs, fputs(text, null), write_text()) \
	X(dprintf_s, dprintf(fileno(null), "%lu%s", 1ul, text), write_text()) \
	X(snprintf_chk, __snprintf_chk(text, 64, 1, sizeof(text), "%d %s", 77, "x"), read_text()) \
	X(sprintf_chk, __sprintf_chk(text, 1, sizeof(text), "%d", 777), read_text()) \
	X(memcpy_chk, __memcpy_chk(text, rest, 16, sizeof(text)), read_text()) \
	X(memmove_chk, __memmove_chk(rest, text, 16, sizeof(rest)), write_text()) \
	X(memset_chk, __memset_chk(text, 'x', (size_t)sink + 16, sizeof(text)), read_text()) \
	X(strcpy_chk, __strcpy_chk(text, rest, sizeof(text)), text[0] = 'z') \
	X(stpcpy_chk, sink = (long)__stpcpy_chk(rest, text, sizeof(rest)), write_text()) \
	X(strncpy_chk, __strncpy_chk(text, rest, (size_t)sink + 8, sizeof(text)), read_text()) \
	X(strcat_chk, __strcat_chk(text, "abc", sizeof(text)), write_text()) \
	X(strncat_chk, __strncat_chk(rest, text, 3, sizeof(rest)), write_text()) \
	X(sscanf, sscanf(text, "%d", &(int){ 0 }), write_text()) \
	X(atoi, sink = atoi(text), write_text()) \
	X(strtol, sink = strtol(text, NULL, 10), write_text()) \
	X(strtod, sink = (long)strtod(text, NULL), write_text()) \
	X(strdup, sink = (long)strdup(text), write_text()) \
	X(strcspn, sink = (long)strcspn(text, " "), write_text()) \
	X(strspn, sink = (long)strspn(text, "12"), write_text()) \
	X(strpbrk, sink = (long)strpbrk(text, " "), write_text()) \
	X(strtok, strtok(text, " "), write_text()) \
	X(bzero, bzero(text, (size_t)sink + 16), read_text()) \
	X(getcwd, sink = (long)getcwd(text, sizeof(text)), read_text()) \
	X(inet_ntop, inet_ntop(AF_INET, &(struct in_addr){ 1 }, text, sizeof(text)), read_text()) \
	X(inet_pton, inet_pton(AF_INET, "1.2.3.4", text), read_text()) \
	X(clock_gettime, clock_gettime(CLOCK_REALTIME, &spec), sink = spec.tv_sec) \
	X(gettimeofday, gettimeofday(&val, NULL), sink = val.tv_sec) \
	X(time, time(&moment), sink = moment) \
	X(localtime_r, localtime_r(&(time_t){ 5 }, &parts), sink = parts.tm_year) \
	X(gmtime, gmtime(&(time_t){ 5 }), gmtime(&(time_t){ 6 })) \
	X(ctime, ctime(&(time_t){ 5 }), ctime(&(time_t){ 6 })) \
	X(mktime, mktime(&parts), sink = parts.tm_year) \
	X(stat, stat("/", &status), sink = (long)status.st_ino) \
	X(qsort, qsort(numbers, 8, sizeof(int), ascending), sink = numbers[5]) \
	X(wcscpy, wcscpy(wide, L"abcdef"), sink = wide[1]) \
	X(wcslen, sink = (long)wcslen(wide), wide[1] = L'x')

#define X(name, a, b) \
	static void *name##_first(void *p) { a; return p; } \
	static void *name##_second(void *p) { b; return p; } \
	static void try_##name(void) { in_turn(name##_first, name##_second); }

static void in_turn(void *(*a)(void *), void *(*b)(void *))
{
	pthread_t t, u;
	pthread_create(&t, NULL, a, NULL);
	if (!is_racy)
		pthread_join(t, NULL);
	pthread_create(&u, NULL, b, NULL);
	if (is_racy)
		pthread_join(t, NULL);
	pthread_join(u, NULL);
}

CASES(X)
#undef X

#define X(name, a, b) { #name, try_##name },
static const struct order all[] = { CASES(X) };

int main(int argc, char **argv)
{
	null = fopen("/dev/null", "w");
	return run_order(all, sizeof(all) / sizeof(*all), argc, argv);
}
