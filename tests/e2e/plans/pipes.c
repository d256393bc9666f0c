/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that talk over descriptors: a write and the read that receives it synchronise.  PIPE, PAIR (of
 * sockets), EVENTS (a counter): one sends, one receives.  TWO: two threads write to a pipe.  CLOSES: the end of
 * the pipe is what is waited for.  BEFORE: the other way round, the reader writes a variable that the writer
 * uses without waiting for it, which is a race.
 */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

static int end[2];
static int shared;

static void put(char c)
{
#ifdef EVENTS
	uint64_t one = 1;
	(void)c;
	assert(write(end[1], &one, sizeof(one)) == sizeof(one));
#elif defined CLOSES
	(void)c;
	close(end[1]);
#else
	assert(write(end[1], &c, 1) == 1);
#endif
}

static void *first(void *unused)
{
#ifndef TWO
	shared = 1;
#endif
	put('a');
#ifdef BEFORE
	shared = 2;
#endif
	return unused;
}

static void *second(void *unused)
{
#ifdef TWO
	put('b');
#else
	uint64_t to = 0;
	ssize_t got = read(end[0], &to, sizeof(to));
	assert(got >= 0);
	assert(shared >= 1);
#endif
	return unused;
}

int main(void)
{
	pthread_t t, u;
#ifdef EVENTS
	end[0] = end[1] = eventfd(0, 0);
#elif defined PAIR
	assert(!socketpair(AF_UNIX, SOCK_STREAM, 0, end));
#else
	assert(!pipe(end));
#endif
	pthread_create(&t, NULL, first, NULL);
	pthread_create(&u, NULL, second, NULL);
#ifdef TWO
	char c[2];
	assert(read(end[0], c, 1) == 1 && read(end[0], c + 1, 1) == 1);
	printf("%c%c\n", c[0], c[1]);
#endif
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
