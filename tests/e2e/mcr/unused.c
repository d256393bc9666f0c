/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One thread writes x, another one reads it: by what is read there are two executions (three if it reads twice), unless
 * nothing depends on the value, and that can be seen.  The argument says which reader it is; `list` tells them all, with
 * the number of executions if it is known what nothing depends on.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int x, y, cells[2];
volatile int v;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void use(int value)
{
	y = value;
}

static void use_pointer(const int *value)
{
	y = *value;
}

/* Nothing depends on these. */
static void *unused_local(void *a) { int r = x; (void)r; return a; }
static void *unused_sum(void *a) { int r = x; r += 3; r = -r * 5; return a; }
static void *unused_pointed(void *a) { int *p = a ? NULL : &x; int r = *p; (void)r; return a; }
static void *unused_overwritten(void *a) { int r = x; r = 7; y = r; return a; }
static void *unused_volatile(void *a) { (void)v; return a; }

static void *unused_in_loop(void *a)
{
	int r = 0;
	for (int i = 0; i < 2; i++)
		r = x;
	(void)r;
	return a;
}

static void *unused_locked(void *a)
{
	pthread_mutex_lock(&mutex);
	int r = x;
	pthread_mutex_unlock(&mutex);
	(void)r;
	return a;
}

/* Something depends on these, or could. */
static void *used_branch(void *a) { if (x) y = 1; return a; }
static void *used_store(void *a) { int r = x; y = r; return a; }
static void *used_result(void *a) { (void)a; return x ? &y : NULL; }
static void *used_raw_result(void *a) { (void)a; int r = x; return (void *)(long)r; }
static void *used_address(void *a) { int r = x; cells[r] = 1; return a; }
static void *used_argument(void *a) { int r = x; use(r); return a; }
static void *used_by_pointer(void *a) { int r = x; use_pointer(&r); return a; }
static void *used_choice(void *a) { int r = x; y = r > 0 ? 3 : 4; return a; }
static void *used_shift(void *a) { int r = x; cells[(r << 1 | 1) & 1] = r + 1; return a; }
static void *used_trap(void *a) { int r = x; r = 5 / (r + 1); (void)r; return a; }
static void *used_index(void *a) { int r = x; int local[2] = { 1, 2 }; y = local[r]; return a; }
static void *used_byte(void *a) { char r = (char)x; r = (char)(r | 2); y = r; return a; }
static void *used_float(void *a) { float r = (float)x; y = r > 0; return a; }

static void *used_later(void *a)
{
	int r = x;
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	if (r)
		y = 1;
	return a;
}

static void *used_next_round(void *a)
{
	int r = 0;
	for (int i = 0; i < 2; i++) {
		if (r)
			y = 1;
		r = i ? r : x;
	}
	return a;
}

static const struct reader {
	const char *name;
	void *(*run)(void *);
	int executions;
} readers[] = {
#define READER(name, executions) { #name, name, executions }
	READER(unused_local, 1), READER(unused_sum, 1), READER(unused_pointed, 1), READER(unused_overwritten, 1),
	READER(unused_volatile, 1), READER(unused_in_loop, 1), READER(unused_locked, 1),
	READER(used_branch, 2), READER(used_store, 2), READER(used_result, 2), READER(used_raw_result, 2),
	READER(used_address, 2), READER(used_argument, 2), READER(used_by_pointer, 2), READER(used_choice, 2),
	READER(used_shift, 2), READER(used_trap, 2), READER(used_index, 2), READER(used_byte, 2),
	READER(used_float, 2), READER(used_later, 2), READER(used_next_round, 2),
};

static void *writer(void *a)
{
	if (a)
		v = 1;
	else
		x = 1;
	return NULL;
}

int main(int argc, char **argv)
{
	size_t count = sizeof(readers) / sizeof(readers[0]);
#ifdef JUMPS
	jmp_buf here;
	if (argc > 1000 && !setjmp(here))
		longjmp(here, 1);
#endif
	if (argc < 2)
		return 2;
	for (size_t i = 0; i < count && !strcmp(argv[1], "list"); i++)
		printf("%zu %s %d\n", i, readers[i].name, readers[i].executions);
	size_t number = strtoul(argv[1], NULL, 10);
	if (!strcmp(argv[1], "list") || number >= count)
		return 0;
	pthread_t threads[2];
	pthread_create(&threads[0], NULL, writer, readers[number].run == unused_volatile ? &v : NULL);
	pthread_create(&threads[1], NULL, readers[number].run, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	return 0;
}
