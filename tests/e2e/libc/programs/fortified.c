/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The forms that headers produce with _FORTIFY_SOURCE.  The driver switches that off, but objects and
 * archives that were compiled elsewhere have them; here they are called by name.
 *
 * trace: write 6 [^=]*= 0x6f6c6c6568 .*\+libc
 * trace: hidden:stream
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void *__memcpy_chk(void *, const void *, size_t, size_t);
void *__memmove_chk(void *, const void *, size_t, size_t);
void *__mempcpy_chk(void *, const void *, size_t, size_t);
void *__memset_chk(void *, int, size_t, size_t);
char *__strcpy_chk(char *, const char *, size_t);
char *__stpcpy_chk(char *, const char *, size_t);
char *__strcat_chk(char *, const char *, size_t);
char *__strncpy_chk(char *, const char *, size_t, size_t);
char *__strncat_chk(char *, const char *, size_t, size_t);
int __printf_chk(int, const char *, ...);
int __fprintf_chk(FILE *, int, const char *, ...);
int __dprintf_chk(int, int, const char *, ...);
int __sprintf_chk(char *, int, size_t, const char *, ...);
int __snprintf_chk(char *, size_t, int, size_t, const char *, ...);
int __asprintf_chk(char **, int, const char *, ...);
char *__fgets_chk(char *, size_t, int, FILE *);
size_t __fread_chk(void *, size_t, size_t, size_t, FILE *);
ssize_t __read_chk(int, void *, size_t, size_t);

int main(void)
{
	volatile size_t room = 32;	/* a size that the compiler knows would let it leave the call out */
	static char s[32], t[32], *made;	/* not on the stack: every change must be explained */
	assert(__strcpy_chk(s, "hello", room) == s && !memcmp(__memcpy_chk(t, s, 6, room), "hello", 6));
	assert(!strcmp(__strcat_chk(s, " you", room), "hello you") && __memmove_chk(t + 1, t, 6, room - 1) &&
	       t[5] == 'o');
	assert(__memset_chk(t, 'x', 6, room) == t && __mempcpy_chk(t, "yz", 2, room) == t + 2 &&
	       !memcmp(t, "yzxxxx", 6));
	assert(__stpcpy_chk(t, s, room) == t + 9 && __strncpy_chk(t, "abc", 6, room) && !t[5] &&
	       !strcmp(__strncat_chk(t, "defgh", 2, room), "abcde"));
	assert(__sprintf_chk(s, 1, room, "%d-%s", 7, t) == 7 &&
	       __snprintf_chk(s, 6, 1, room, "%s", "0123456789") == 10 && strlen(s) == 5);
	assert(__asprintf_chk(&made, 1, "%d", 5) == 1 && !strcmp(made, "5"));
	free(made);
	__printf_chk(1, "%s %s\n", s, t);
	__fprintf_chk(stdout, 1, "%s\n", "stream");
	fflush(stdout);
	__dprintf_chk(1, 1, "%d\n", 3);
	assert(__fread_chk(s, room, 1, 3, stdin) == 3);
	while (__fgets_chk(s, room, 8, stdin))
		fputs(s, stdout);
	assert(__read_chk(0, s, 8, room) == 0);
	return 0;
}
