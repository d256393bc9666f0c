/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies of structs of many sizes, global, heap and stack in all directions, raced by other
 * threads that change single words of them and copy the other way.  Compilers copy a struct by
 * one scalar move, several, a loop or a call, and place the hooks differently each time.  With
 * -DWORD=char the structs consist of bytes: then clang makes scalars of odd sizes of them (three
 * bytes, seven), for which it has no hooks.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#ifndef WORD
#define WORD int
#endif

#define SIZES(DO) DO(4) DO(8) DO(12) DO(16) DO(24) DO(40) DO(4096)

#define DECLARE(n)                                                                 \
	struct s##n {                                                              \
		unsigned WORD words[n / sizeof(WORD)] __attribute__((aligned(4))); \
	};                                                                         \
	static struct s##n from##n, to##n, *heap##n, *shared##n = &from##n;
SIZES(DECLARE)

#define COPY(n)                                               \
	static struct s##n local##n(unsigned char fill)       \
	{                                                     \
		struct s##n l;                                \
		memset(&l, fill, sizeof(l));                  \
		return l;                                     \
	}                                                     \
	static void copy##n(unsigned char fill)               \
	{                                                     \
		struct s##n l = local##n(fill), m;            \
		from##n = l;                                  \
		to##n = from##n;                              \
		*heap##n = to##n;                             \
		m = *heap##n;                                 \
		*shared##n = m;                               \
		l = *shared##n;                               \
		to##n = l;                                    \
		shared##n = fill & 1 ? heap##n : &from##n;    \
		struct s##n *p = shared##n;                   \
		p->words[n / sizeof(WORD) - 1] ^= l.words[0]; \
		to##n.words[fill % (n / sizeof(WORD))]++;     \
	}
SIZES(COPY)

static void *copier(void *argument)
{
	unsigned char fill = *(unsigned char *)argument;
#define CALL(n) copy##n(fill);
	SIZES(CALL)
	return NULL;
}

int main(void)
{
	unsigned char fills[3] = { 1, 2, 3 };
	pthread_t threads[3];
#define ALLOCATE(n) heap##n = calloc(1, n);
	SIZES(ALLOCATE)
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, copier, &fills[i]);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
