/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objects inside libc: environment, random numbers, time, locale, options, exit handlers; and sorting.
 *
 * trace: T0 hidden
 */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <getopt.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

extern char **environ;

static void environment(void)
{
	char own[] = "OWN=entry";
	assert(!setenv("HEDDLE_TEST", "one", 1) && !strcmp(getenv("HEDDLE_TEST"), "one"));
	assert(!setenv("HEDDLE_TEST", "two", 0) && !strcmp(getenv("HEDDLE_TEST"), "one"));
	assert(!putenv(own) && getenv("OWN") == own + 4 && !unsetenv("HEDDLE_TEST") &&
	       !getenv("HEDDLE_TEST"));
	int n = 0;
	for (char **e = environ; *e; e++)
		n += !strncmp(*e, "OWN=", 4);
	assert(n == 1 && !clearenv() && !getenv("OWN"));
}

static void numbers(void)
{
	static unsigned seed = 5;
	static unsigned short state[3] = { 1, 2, 3 };
	srand(7);
	srandom(8);
	srand48(9);
	printf("%d %ld %ld %.6f %d %ld\n", rand(), random(), lrand48(), drand48(), rand_r(&seed),
	       nrand48(state));
}

static void times(void)
{
	static time_t t = 1000000000, back;
	static struct tm tm;
	static char text[64];
	struct tm *shared = gmtime(&t);
	setenv("TZ", "UTC0", 1);
	tzset();
	assert(gmtime_r(&t, &tm) == &tm && shared->tm_year == 101 && tm.tm_yday == shared->tm_yday);
	assert(strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S %a %j", &tm) > 0);
	puts(text);
	back = mktime(&tm);
	assert(back == t && timegm(&tm) == t && localtime(&t)->tm_hour == 1);
	printf("%s%s", asctime(&tm), ctime(&t));
	assert(strptime("2020-02-29", "%Y-%m-%d", &tm) && tm.tm_mon == 1 && tm.tm_mday == 29);
}

static void options(int argc, char **argv)
{
	static int verbose;
	static const struct option longs[] = {
		{ "verbose", no_argument, &verbose, 1 },
		{ "file", required_argument, NULL, 'f' },
		{ 0 },
	};
	static int which = -1;
	for (int c; (c = getopt_long(argc, argv, "ab:", longs, &which)) != -1;)
		printf("%c:%s ", c ? c : '0', optarg ? optarg : "-");
	printf("verbose %d, first operand %s\n", verbose, argv[optind]);
}

static int by_first(const void *a, const void *b)
{
	return *(const char *)a - *(const char *)b;
}

static int by_rank(const void *a, const void *b, void *ranks)
{
	return ((int *)ranks)[*(const int *)a] - ((int *)ranks)[*(const int *)b];
}

static void sorting(void)
{
	/* Equal elements keep their order. */
	static char pairs[][3] = { "d1", "a1", "c1", "a2", "b1", "a3", "d2" };
	static int items[] = { 0, 1, 2, 3 }, ranks[] = { 3, 1, 2, 0 };
	qsort(pairs, 7, 3, by_first);
	for (int i = 0; i < 7; i++)
		printf("%s ", pairs[i]);
	qsort_r(items, 4, sizeof(int), by_rank, ranks);
	for (int i = 0; i < 4; i++)
		printf("%d ", items[i]);
	char *found = bsearch("c", pairs, 7, 3, by_first);
	puts(found);
}

static void at_the_end(void)
{
	puts("exit handler");
}

int main(void)
{
	static char *arguments[] = {
		"prog", "operand", "-a", "-b", "value", "--verbose", "--file=name", NULL,
	};
	static char text[64];
	assert(!atexit(at_the_end));
	environment();
	numbers();
	times();
	options(7, arguments);
	sorting();
	assert(setlocale(LC_ALL, "C") && localeconv()->decimal_point[0] == '.');
	printf("%s|%s|%s\n", strerror(ENOENT), strerror_r(EINVAL, text, sizeof(text)), strsignal(11));
	return 0;
}
