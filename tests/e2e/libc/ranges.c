/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What libc's functions write, by comparison of memory: each call is made twice over an area filled with two
 * different bytes; a byte that differs from one of them afterwards was written.  Printed are the calls with
 * their ranges of bytes.  tests/e2e/libc/ranges compares them with what the trace says; the marker before the
 * area tells it where the area is and which call is being made.
 *
 * A call with '~' may write more than it did here: only what it did must be in the trace.
 */
#define _GNU_SOURCE
#include <argz.h>
#include <arpa/inet.h>
#include <assert.h>
#include <fcntl.h>
#include <grp.h>
#include <iconv.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <netdb.h>
#include <netinet/ether.h>
#include <pwd.h>
#include <regex.h>
#include <search.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

#define SIZE 1024
static struct {
	volatile int marker;
	char gap[60];
	char area[SIZE];
} shared __attribute__((aligned(64)));
static char before[SIZE], changed[SIZE];
static int call_number;
static FILE *stream;
static regex_t expression;
static volatile double three = 3.5;	/* no compiler knows it */

#define A (shared.area + 16)
#define W ((wchar_t *)A)

static void fill(int byte)
{
	for (int i = 0; i < SIZE; i++)
		shared.area[i] = (char)byte;
}

static void keep(void)
{
	for (int i = 0; i < SIZE; i++)
		before[i] = shared.area[i];
}

/* Every byte is looked at: one that was written out of sight shows in the trace. */
static void compare(void)
{
	for (int i = 0; i < SIZE; i++)
		changed[i] |= shared.area[i] != before[i];
}

static void print(const char *what)
{
	printf("%d %s", call_number, what);
	for (int i = 0, end; i < SIZE; i = end + 1) {
		for (end = i; end < SIZE && changed[end]; end++)
			;
		if (end > i)
			printf(" %d+%d", i, end - i);
	}
	puts("");
	memset(changed, 0, sizeof(changed));
}

#define CALL(name, setup, call)                              \
	do {                                                 \
		call_number++;                               \
		for (int pass = 0; pass < 2; pass++) {       \
			fill(pass ? 0x5a : 0xa5);            \
			setup;                               \
			keep();                              \
			shared.marker = call_number;         \
			call;                                \
			shared.marker = 0;                   \
			compare();                           \
		}                                            \
		print(name);                                 \
	} while (0)
#define NONE (void)0

static void strings(void)
{
	static char line[32];
	CALL("memcpy", NONE, memcpy(A, "abcdef", 6));
	CALL("memmove", NONE, memmove(A + 3, "abcdef", 5));
	CALL("memset", NONE, memset(A, 'x', 33));
	CALL("mempcpy", NONE, mempcpy(A, "abc", 3));
	CALL("memccpy", NONE, memccpy(A, "abcdef", 'c', 6));
	CALL("strcpy", NONE, strcpy(A, "hello"));
	CALL("stpcpy", NONE, stpcpy(A, "hello there"));
	CALL("strncpy", NONE, strncpy(A, "ab", 9));
	CALL("stpncpy", NONE, stpncpy(A, "abcdef", 3));
	CALL("strcat", strcpy(line, "x"); A[0] = 0, strcat(A, "more"));
	CALL("strncat", A[0] = 0, strncat(A, "more", 2));
	CALL("strxfrm", NONE, strxfrm(A, "abc", 64));
	CALL("swab", NONE, swab("abcdef", A, 6));
	CALL("bzero", NONE, bzero(A, 7));
	CALL("strerror_r", NONE, (void)!strerror_r(99999, A, 64));
	CALL("sprintf", NONE, sprintf(A, "%d-%s", 12, "text"));
	CALL("snprintf", NONE, snprintf(A, 5, "%s", "longer than that"));
	CALL("snprintf %n", NONE, snprintf(A, 32, "ab%n", (int *)(A + 64)));
	CALL("swprintf", NONE, swprintf(W, 16, L"%d", 123));
	CALL("wcscpy", NONE, wcscpy(W, L"wide"));
	CALL("wcpncpy", NONE, wcpncpy(W, L"ab", 4));
	CALL("wmemset", NONE, wmemset(W, L'x', 5));
	CALL("mbstowcs", NONE, mbstowcs(W, "abc", 16));
	CALL("wcstombs", NONE, wcstombs(A, L"abc", 16));
	CALL("mbrtowc", NONE, mbrtowc(W, "q", 1, NULL));
	CALL("strftime", NONE, ({ struct tm t = { .tm_mday = 1 }; strftime(A, 32, "%d.%m.", &t); }));
	CALL("strfromd", NONE, strfromd(A, 32, "%f", 2.5));
	CALL("gcvt", NONE, gcvt(1.5, 4, A));
}

static void scanned(void)
{
	CALL("sscanf int", NONE, sscanf("12", "%d", (int *)A));
	CALL("sscanf text", NONE, sscanf("word next", "%s %c", A, A + 100));
	CALL("sscanf many", NONE, sscanf("1 2.5 ab", "%hd %lf %2[a-z]", (short *)A, (double *)(A + 16), A + 32));
	CALL("sscanf fails", NONE, sscanf("1 x", "%d %d", (int *)A, (int *)(A + 16)));
	CALL("swscanf", NONE, swscanf(L"7 w", L"%d %ls", (int *)A, (wchar_t *)(A + 16)));
	CALL("strtol", NONE, strtol("12x", (char **)A, 10));
	CALL("strtod", NONE, strtod("1.5x", (char **)A));
	CALL("frexp", NONE, frexp(three, (int *)A));
	CALL("modf", NONE, modf(three, (double *)A));
	CALL("sincos", NONE, sincos(three, (double *)A, (double *)(A + 8)));
	CALL("lgamma_r", NONE, lgamma_r(three, (int *)A));
	CALL("remquo", NONE, remquo(three, 2, (int *)A));
}

static void system_calls(void)
{
	static struct iovec parts[2];
	static int ends[2];
	CALL("stat", NONE, stat("/", (struct stat *)A));
	CALL("statvfs ~", NONE, statvfs("/", (struct statvfs *)A));
	CALL("uname ~", NONE, uname((struct utsname *)A));
	CALL("getrlimit", NONE, getrlimit(RLIMIT_CORE, (struct rlimit *)A));
	CALL("sysinfo ~", NONE, sysinfo((struct sysinfo *)A));
	CALL("getcwd", NONE, assert(getcwd(A, 512)));
	CALL("readlink", NONE, assert(readlink("/proc/self/exe", A, 8) == 8));
	CALL("realpath", NONE, assert(realpath("/usr/..", A)));
	CALL("pipe", NONE, assert(!pipe((int *)A)));
	assert(!pipe(ends));
	CALL("read", assert(write(ends[1], "12345", 5) == 5), assert(read(ends[0], A, 64) == 5));
	parts[0] = (struct iovec){ A, 3 };
	parts[1] = (struct iovec){ A + 32, 16 };
	CALL("readv", assert(write(ends[1], "12345", 5) == 5), assert(readv(ends[0], parts, 2) == 5));
	CALL("gettimeofday", NONE, gettimeofday((struct timeval *)A, NULL));
	CALL("clock_gettime", NONE, clock_gettime(CLOCK_REALTIME, (struct timespec *)A));
	CALL("gmtime_r ~", NONE, ({ time_t t = 100000; gmtime_r(&t, (struct tm *)A); }));
	CALL("sigemptyset ~", NONE, sigemptyset((sigset_t *)A));
	CALL("cfmakeraw ~", memset(A, 0, sizeof(struct termios)), cfmakeraw((struct termios *)A));
}

static void names(void)
{
	static regmatch_t *m = (regmatch_t *)A;
	static struct passwd *user;
	CALL("inet_pton", NONE, inet_pton(AF_INET6, "1:2:3:4:5:6:7:8", A));
	CALL("inet_ntop", NONE, ({ struct in_addr a = { 0x0100007f }; inet_ntop(AF_INET, &a, A, 64); }));
	CALL("ether_aton_r", NONE, ether_aton_r("1:2:3:4:5:6", (struct ether_addr *)A));
	CALL("regexec", NONE, regexec(&expression, "key=1", 2, m, 0));
	CALL("getpwnam_r ~", NONE, getpwnam_r("root", (struct passwd *)A, A + 128, 512, &user));
	CALL("getnameinfo", NONE, ({ struct sockaddr_in a = { .sin_family = AF_INET };
	     getnameinfo((void *)&a, sizeof(a), A, 64, A + 100, 32, NI_NUMERICHOST | NI_NUMERICSERV); }));
	CALL("strtok_r", strcpy(A, "a,b"), ({ char *place; strtok_r(A, ",", &place); }));
	CALL("rand_r ~", *(unsigned *)A = 1, rand_r((unsigned *)A));
	CALL("erand48 ~", memset(A, 1, 6), erand48((unsigned short *)A));
	CALL("initstate_r ~", memset(A + 128, 0, sizeof(struct random_data)),
	     initstate_r(1, A, 64, (struct random_data *)(A + 128)));
}

static void streams(void)
{
	CALL("fread", rewind(stream), fread(A, 2, 3, stream));
	CALL("fgets", rewind(stream), fgets(A, 64, stream));
	CALL("fgetpos ~", rewind(stream), fgetpos(stream, (fpos_t *)A));
	CALL("fscanf", rewind(stream), fscanf(stream, "%5s", A));
	CALL("fmemopen ~", NONE, ({ FILE *f = fmemopen(A, 32, "w"); fputs("text", f); fclose(f); }));
	CALL("qsort ~", memcpy(A, "dcba", 4), qsort(A, 4, 1, (int (*)(const void *, const void *))strcmp));
}

int main(void)
{
	stream = tmpfile();
	fputs("first line\nsecond line\n", stream);
	assert(!regcomp(&expression, "([a-z]+)=", REG_EXTENDED));
	shared.marker = 0x7e57ab1e;
	strings();
	scanned();
	system_calls();
	names();
	streams();
	return 0;
}
