/* SPDX-License-Identifier: Apache-2.0 */
/* A thread prints, or registers a handler, while the process ends in one of several ways. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void print(const char *text)
{
	fputs(text, stdout);
}

static void late(void)
{
	print("late");
}

static void first(void)
{
	print("first");
}

static void now(void)
{
	if (write(1, "now", 3) != 3)
		abort();
}

static void *child(void *unused)
{
#if defined REGISTERS || defined REGISTERS_LATE
	(void)print;
#ifdef REGISTERS
	atexit((void (*)(void))now);
#else
	atexit(late);
#endif
#elif defined FLUSHES_ALL
	print("child");
	fflush(NULL);
#else
	puts("child");
#ifdef FLUSHES
	fflush(stdout);
#endif
#endif
	return unused;
}

int main(void)
{
	pthread_t t;
	(void)late, (void)first, (void)now;
#ifdef REGISTERS_LATE
	atexit(first);
#elif defined QUICK
	at_quick_exit(now);
#endif
	pthread_create(&t, NULL, child, NULL);
#ifdef EXITS
	puts("main");
	exit(1);
#elif defined DISCARDS || defined FLUSHES_ALL
	_exit(1);
#elif defined QUICK
	quick_exit(1);
#endif
	return 0;
}
