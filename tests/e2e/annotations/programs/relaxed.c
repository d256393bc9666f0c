/*
 * Annotations at the address of an atomic whose operations are relaxed: only they order the threads.  KIND says by what;
 * WRONG: without the annotation.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "heddle/annotations.h"

#define LOCK 1
#define ORDER 2
#define AFTER 3
#define FREED 4

static atomic_int word;
static int data;
static char *block;

#if KIND == LOCK
static void *first(void *arg)
{
#ifndef WRONG
	heddle_lock_request(&word);
#endif
	while (atomic_exchange_explicit(&word, 1, memory_order_relaxed))
		;
#ifndef WRONG
	heddle_lock_acquired(&word);
#endif
	data++;
#ifndef WRONG
	heddle_lock_release(&word);
#endif
	atomic_store_explicit(&word, 0, memory_order_relaxed);
	return arg;
}
#define second first

#elif KIND == FREED	/* memory is freed, in some schedules while it has a lock that is held */
static void *first(void *arg)
{
	heddle_lock_acquired(block + 2);
	heddle_lock_release(block + 2);
	return arg;
}

static void *second(void *arg)
{
	free(block);
	return arg;
}

#else
static void *first(void *arg)
{
	data = 1;
#if KIND == ORDER && !defined(WRONG)
	heddle_happens_before(&word);
#endif
	atomic_store_explicit(&word, 1, KIND == AFTER ? memory_order_release : memory_order_relaxed);
	return arg;
}

static void *second(void *arg)
{
	while (!atomic_load_explicit(&word, memory_order_relaxed))
		;
#ifndef WRONG
	heddle_happens_after(&word);
#endif
	data++;
	return arg;
}
#endif

int main(void)
{
	pthread_t a, b;
	block = malloc(8);
	pthread_create(&a, NULL, first, NULL);
	pthread_create(&b, NULL, second, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
