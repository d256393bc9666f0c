/* SPDX-License-Identifier: Apache-2.0 */
/*
 * String functions.  A string is read with its terminator.
 *
 * trace: T0 read 6 [^=]*= 0x6f6c6c6568 .*\+libc
 * trace: T0 write 6 [^=]*= 0x6f6c6c6568 .*\+libc
 * trace: T0 hidden
 */
#define _GNU_SOURCE
#include <assert.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static int sign(int x)
{
	return (x > 0) - (x < 0);
}

static void comparisons(void)
{
	static const char *const words[] = {
		"", "a", "A", "ab", "aB", "abc", "b", "\xff", "hello", "HELLO", "help",
	};
	enum { N = sizeof(words) / sizeof(*words) };
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++)
			printf("%d%d%d%d%d ", sign(strcmp(words[i], words[j])), sign(strncmp(words[i],
			       words[j], 2)),
			       sign(strcasecmp(words[i], words[j])), sign(strncasecmp(words[i], words[j], 3)),
			       sign(strcoll(words[i], words[j])));
	puts("");
}

static void splits(void)
{
	static char line[] = ",one,,two three,", again[] = "k=v;w", fields[] = "a::b", *place, *rest = fields;
	for (char *t = strtok(line, ", "); t; t = strtok(NULL, ", "))
		printf("[%s]", t);
	for (char *t = strtok_r(again, "=;", &place); t; t = strtok_r(NULL, "=;", &place))
		printf("<%s>", t);
	for (char *t; (t = strsep(&rest, ":"));)
		printf("(%s)", t);
	puts("");
}

int main(void)
{
	static char s[32], t[] = "hello", path[] = "/usr/lib/x.so", path2[] = "/usr/lib/x.so";
	char *d;
	assert(strlen(t) == 5 && strnlen(t, 3) == 3 && strnlen(t, 9) == 5);
	assert(strcpy(s, t) == s && !strcmp(s, "hello"));
	assert(stpcpy(s, "hi") == s + 2 && strcat(s, " you") == s && !strcmp(s, "hi you"));
	assert(strncat(s, "12345", 2) == s && !strcmp(s, "hi you12"));
	memset(s, 'x', sizeof(s));
	assert(strncpy(s, "ab", 5) == s && !memcmp(s, "ab\0\0\0x", 6) && stpncpy(s, "abcdef", 3) == s + 3);
	assert(strchr(t, 'l') == t + 2 && strrchr(t, 'l') == t + 3 && !strchr(t, 'x') &&
	       strchr(t, 0) == t + 5);
	assert(!strrchr(t, 'x') && strchrnul(t, 'x') == t + 5 && index(t, 'e') == t + 1 &&
	       rindex(t, 'o') == t + 4);
	assert(strstr(t, "llo") == t + 2 && !strstr(t, "lol") && strstr(t, "") == t &&
	       strcasestr(t, "ELL") == t + 1);
	assert(strspn(t, "leh") == 4 && strcspn(t, "ol") == 2 && strpbrk(t, "ol") == t + 2 &&
	       !strpbrk(t, "xyz"));
	d = strdup(t);
	assert(d && !strcmp(d, t));
	free(d);
	d = strndup(t, 2);
	assert(d && !strcmp(d, "he"));
	free(d);
	printf("%s %s\n", basename(path), dirname(path2));
	assert(strxfrm(s, "abc", sizeof(s)) < sizeof(s) && strverscmp("a9", "a10") < 0);
	comparisons();
	splits();
	return 0;
}
