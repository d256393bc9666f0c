/* SPDX-License-Identifier: Apache-2.0 */
/* String functions of libc on shared strings. */
#include <stdlib.h>
#include <string.h>

#include "../case.h"

extern char str_a[128], str_b[128];
extern size_t str_len;
extern char *str_at;
char str_a[128], str_b[128] = "first second";
size_t str_len;
char *str_at;

CASE(length, "strlen, strnlen")
{
	str_len = strlen(str_b);
	str_len = strnlen(str_b, 5);
}

CASE(copy, "strcpy, strncpy, stpcpy")
{
	strcpy(str_a, str_b);
	strncpy(str_a, str_b, 6);
	str_at = stpcpy(str_a, str_b);
}

CASE(copy_literal, "strcpy of a literal")
{
	strcpy(str_a, "a literal of some length");
}

CASE(append, "strcat, strncat")
{
	strcat(str_a, str_b);
	strncat(str_a, str_b, 3);
	strcat(str_a, "!");
}

CASE(compare, "strcmp, strncmp, strcasecmp")
{
	str_len = (size_t)strcmp(str_a, str_b);
	str_len = (size_t)strncmp(str_a, str_b, 4);
	str_len = (size_t)strcasecmp(str_a, str_b);
}

CASE(compare_literal, "strcmp with a literal")
{
	str_len = !strcmp(str_b, "fir");
}

CASE(search, "strchr, strrchr, strstr, strspn")
{
	str_at = strchr(str_b, 's');
	str_at = strrchr(str_b, 's');
	str_at = strstr(str_b, "sec");
	str_len = strspn(str_b, "first");
	str_len = strcspn(str_b, "x");
	str_at = strpbrk(str_b, "xyz ");
}

CASE(search_char, "strchr of a constant char in a literal's copy")
{
	str_at = strchr(str_b, 'f');
	str_len = strlen(str_at);
}

CASE(duplicate, "strdup, strndup")
{
	char *s = strdup(str_b), *t = strndup(str_b, 4);
	str_len = (size_t)s[0] + (size_t)t[0];
	free(s);
	free(t);
}

CASE(old, "bcopy, bzero, bcmp")
{
	bcopy(str_b, str_a, 12);
	bzero(str_a, 8);
	str_len = (size_t)bcmp(str_a, str_b, 4);
}
