/* SPDX-License-Identifier: Apache-2.0 */
/* Two threads copy in opposite directions, BYTES bytes: each word is exchanged, or one of them is in both places. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#ifndef BYTES
#define BYTES 8
#endif
#define WORDS ((BYTES + 7) / 8)
static long left[WORDS], right[WORDS];
static volatile size_t bytes = BYTES;

static void transfer(void *to, const void *from)
{
#ifdef BY_WORDS
	for (int i = 0; i < WORDS; i++) {
		long word = __atomic_load_n((const long *)from + i, __ATOMIC_RELAXED);
		__atomic_store_n((long *)to + i, word, __ATOMIC_RELAXED);
	}
#else
	memcpy(to, from, bytes);
#endif
}

static void *to_left(void *arg)
{
	transfer(left, right);
	return arg;
}

int main(void)
{
	pthread_t thread;
	for (int i = 0; i < WORDS; i++) {
		left[i] = 1;
		right[i] = 2;
	}
	pthread_create(&thread, NULL, to_left, NULL);
	transfer(right, left);
	pthread_join(thread, NULL);
	for (int i = 0; i < WORDS; i++)
		printf("%ld%ld", left[i], right[i]);
	putchar('\n');
	return 0;
}
