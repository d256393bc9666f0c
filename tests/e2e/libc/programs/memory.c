/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory functions against the obvious loops, for all small sizes and offsets.  A comparison examines up to
 * the first difference, a search up to the hit.
 *
 * trace: T0 read 4 [^=]*= 0x58636261 .*\+libc
 * trace: T0 read 4 [^=]*= 0x59636261 .*\+libc
 * trace: T0 read 3 [^=]*= 0x7a7978 .*\+libc
 * trace: T0 write 5 [^=]*= 0x4545454545 .*\+libc
 */
#define _GNU_SOURCE
#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static unsigned char from[80], to[80], want[80];

static void fresh(void)
{
	for (int i = 0; i < 80; i++) {
		from[i] = (unsigned char)(i * 7 + 1);
		to[i] = want[i] = (unsigned char)(200 - i);
	}
}

static void is_as_wanted(void)
{
	for (int i = 0; i < 80; i++)
		assert(to[i] == want[i]);
}

static void copies(size_t n, size_t at)
{
	fresh();
	for (size_t i = 0; i < n; i++)
		want[at + i] = from[i];
	assert(memcpy(to + at, from, n) == to + at);
	is_as_wanted();
	fresh();
	for (size_t i = 0; i < n; i++)
		want[at + i] = from[i];
	assert(mempcpy(to + at, from, n) == to + at + n);
	is_as_wanted();
	fresh();
	for (size_t i = 0; i < n; i++)
		want[i] = 0;
	bzero(to, n);
	is_as_wanted();
	fresh();
	for (size_t i = n; i-- > 0;)
		want[at + i] = want[i];		/* overlapping, forward */
	assert(memmove(to + at, to, n) == to + at);
	is_as_wanted();
	fresh();
	for (size_t i = 0; i < n; i++)
		want[i] = want[at + i];
	bcopy(to + at, to, n);
	is_as_wanted();
}

int main(void)
{
	for (size_t n = 0; n < 40; n += 3)
		for (size_t at = 0; at < 20; at += 5)
			copies(n, at);
	fresh();
	memset(to, 0x145, 5);
	for (int i = 0; i < 5; i++)
		want[i] = 0x45;
	is_as_wanted();

	char a[] = "abcXone", b[] = "abcYtwo";
	assert(memcmp(a, b, 7) < 0 && memcmp(b, a, 7) > 0 && memcmp(a, b, 3) == 0 && bcmp(a, b, 7) != 0);
	assert(memcmp("\x80", "\x7f", 1) > 0);
	char s[] = "xyzzy";
	assert(memchr(s, 'z', 5) == s + 2 && !memchr(s, 'q', 5) && memrchr(s, 'z', 5) == s + 3 &&
	       !memrchr(s, 'q', 5));
	assert(rawmemchr(s, 'y') == s + 1);
	assert(memmem(s, 5, "zzy", 3) == s + 2 && !memmem(s, 5, "zx", 2) && memmem(s, 5, "", 0) == s);
	char t[8] = "-------";
	assert(memccpy(t, s, 'z', 5) == t + 3 && !memccpy(t, s, 'q', 2) && !memcmp(t, "xyz----", 7));
	swab("abcd", t, 4);
	assert(!memcmp(t, "badc---", 7));
	puts("memory functions agree");
	return 0;
}
