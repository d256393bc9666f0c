/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One thread replaces a record of WORDS words, another one takes a copy of it and prints it.  With EARLY main fails
 * unless that is done already, before it waits for them: the first execution shows a failure, and no race.
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#ifndef WORDS
#define WORDS 2
#endif
struct record { long word[WORDS]; };
static struct record shared;
#ifdef EARLY
static _Atomic int is_done;
#endif
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void enter(void)
{
#ifdef LOCKED
	pthread_mutex_lock(&lock);
#endif
}

static void leave(void)
{
#ifdef LOCKED
	pthread_mutex_unlock(&lock);
#endif
}

static void transfer(void *to, const void *from)
{
#if defined(MEMMOVE)
	memmove(to, from, sizeof(shared));
#elif defined(ASSIGNMENT)
	*(struct record *)to = *(const struct record *)from;
#elif defined(BY_WORDS)
	for (int i = 0; i < WORDS; i++)
		((long *)to)[i] = ((const long *)from)[i];
#else
	memcpy(to, from, sizeof(shared));
#endif
}

static void *writer(void *arg)
{
	struct record new;
	for (int i = 0; i < WORDS; i++)
		new.word[i] = -1;
	enter();
#if defined(MEMSET)
	memset(&shared, 0xff, sizeof(shared));
#else
	transfer(&shared, &new);
#endif
	leave();
	return arg;
}

static void *reader(void *arg)
{
	struct record seen;
	enter();
	transfer(&seen, &shared);
	leave();
	char text[WORDS + 2];
	for (int i = 0; i < WORDS; i++)
		text[i] = seen.word[i] ? 'n' : 'o';
	text[WORDS] = 0;
	puts(text);
#ifdef EARLY
	is_done = 1;
#endif
	return arg;
}

int main(void)
{
	pthread_t threads[2];
	pthread_create(&threads[0], NULL, writer, NULL);
	pthread_create(&threads[1], NULL, reader, NULL);
#ifdef EARLY
	assert(is_done);
#endif
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	return 0;
}
