/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions of libc beyond strings that read or write shared memory given to them: formatted text,
 * conversion, sorting with a callback, time, input from a descriptor.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

#include "../case.h"

extern char lib_text[64], lib_from[32];
extern long lib_keys[4], lib_value;
extern int lib_number;
extern time_t lib_time;
extern struct timespec lib_clock;
extern wchar_t lib_wide[8];
char lib_text[64], lib_from[32] = "17 words";
long lib_keys[4] = { 4, 2, 3, 1 }, lib_value;
int lib_number;
time_t lib_time;
struct timespec lib_clock;
wchar_t lib_wide[8];

OPAQUE int by_key(const void *a, const void *b)
{
	const long *x = a, *y = b;
	return *x < *y ? -1 : *x > *y;
}

CASE(format, "snprintf and sprintf into a shared buffer")
{
	lib_number = snprintf(lib_text, sizeof(lib_text), "%s: %d", lib_from, lib_number);
	sprintf(lib_text, "%d", lib_number);
}

CASE(scan, "sscanf into a shared variable")
{
	sscanf(lib_from, "%d", &lib_number);
}

CASE(convert, "strtol and atoi of a shared string")
{
	lib_value = strtol(lib_from, NULL, 10);
	lib_number = atoi(lib_from);
}

CASE(sort, "qsort and bsearch of a shared array, with a comparison function")
{
	qsort(lib_keys, 4, sizeof(lib_keys[0]), by_key);
	lib_value = bsearch(&lib_keys[2], lib_keys, 4, sizeof(lib_keys[0]), by_key) != NULL;
}

CASE(clock, "time and clock_gettime into shared variables")
{
	time(&lib_time);
	clock_gettime(CLOCK_REALTIME, &lib_clock);
}

CASE(input, "read into a shared buffer")
{
	int fd = open("/dev/zero", O_RDONLY);
	lib_value = read(fd, lib_text, 8);
	close(fd);
}

CASE(stream, "fgets into a shared buffer")
{
	FILE *f = fopen("/proc/self/comm", "r");
	if (f && fgets(lib_text, sizeof(lib_text), f))
		lib_value++;
	if (f)
		fclose(f);
}

CASE(less_common, "memccpy, mempcpy, memmem, strtok_r, strsep")
{
	char *at = NULL, *rest = lib_text;
	memccpy(lib_text, lib_from, 'w', 8);
	lib_value = (char *)mempcpy(lib_text, lib_from, 8) - lib_text;
	lib_value = memmem(lib_from, 8, "wo", 2) != NULL;
	lib_value = strtok_r(lib_text, " ", &at) != NULL;
	lib_value = strsep(&rest, " ") != NULL;
}

CASE(wide, "wcscpy, wcslen, wmemset")
{
	wcscpy(lib_wide, L"abc");
	lib_value = (long)wcslen(lib_wide);
	wmemset(lib_wide, L'x', 3);
}
