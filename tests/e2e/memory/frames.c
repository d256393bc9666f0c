/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stores to frames that have ended are in the buffer still, while their memory is used for other things: by frames of
 * wrappers and hooks that empty the buffer, by callbacks, after a jump.  Nothing of that may be lost or come back.  And
 * what a caller put on the stack without hooks is what others see until a store to it is through.
 */
#include <alloca.h>
#include <assert.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#define ROOM 24

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int turns;
static int sum;

/* The compiler has to take it for known elsewhere, so that accesses have hooks. */
static void show(void *p)
{
	__asm__ volatile("" : : "r"(p) : "memory");
}

/* Stores all over the place where the next call has its frame. */
static __attribute__((noinline)) long litter(long seed)
{
	long room[ROOM];
	show(room);
	for (int i = 0; i < ROOM; i++)
		room[i] = seed + i;
	show(room);
	return room[ROOM - 1];
}

static __attribute__((noinline)) long litter_more(long seed, size_t n)
{
	long *room = alloca(n * sizeof(long));
	show(room);
	for (size_t i = 0; i < n; i++)
		room[i] = seed;
	show(room);
	return room[0];
}

static __attribute__((noinline)) void jump_out(jmp_buf *back)
{
	litter(3);
	longjmp(*back, 1);
}

static int compare(const void *a, const void *b)
{
	litter(4);
	return *(const int *)a - *(const int *)b;
}

static void *work(void *argument)
{
	int numbers[3] = { 3, 1, 2 };
	jmp_buf back;
	litter(1);
	pthread_mutex_lock(&lock);
	litter(2);
	sum++;
	pthread_mutex_unlock(&lock);
	litter_more(5, ROOM);
	atomic_fetch_add(&turns, 1);
	litter(6);
	atomic_thread_fence(memory_order_seq_cst);
	litter(7);
	free(malloc(8));
	if (!setjmp(back))
		jump_out(&back);
	qsort(numbers, 3, sizeof(int), compare);
	assert(numbers[0] == 1 && numbers[1] == 2 && numbers[2] == 3);
	assert(litter(8) == 8 + ROOM - 1);
	return argument;
}

struct passed {
	_Atomic long values[5];
};

static void *look(void *argument)
{
	long seen = atomic_load_explicit((_Atomic long *)argument, memory_order_relaxed);
	assert(seen == 7 || seen == 1);
	return NULL;
}

/* The caller's copy is made without hooks. */
static __attribute__((noinline)) void by_value(struct passed p)
{
	pthread_t t;
	pthread_create(&t, NULL, look, p.values);
	atomic_store_explicit(&p.values[0], 1, memory_order_relaxed);
	pthread_join(t, NULL);
	assert(p.values[0] == 1);
}

int main(void)
{
	pthread_t t;
	void *result;
	litter(9);
	pthread_create(&t, NULL, work, &sum);
	work(NULL);
	pthread_join(t, &result);
	assert(result == &sum && sum == 2);
	by_value((struct passed){ { 7, 7, 7, 7, 7 } });
	puts("done");
	return 0;
}
