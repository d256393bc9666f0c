/* SPDX-License-Identifier: Apache-2.0 */
/* Choices whose answers go into memory only: which of them matter?  TEST says what the program does. */
#include <heddle/explore.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEAD 1
#define READ_ONE 2
#define RACY 3
#define OVERWRITTEN 4
#define RACY_OVERWRITTEN 5
#define COPIED 6
#define WRITTEN 7
#define PRINTED 8
#define LOCKED 9
#define RECURSIVE 10
#define OLDER 11
#define ADDED 12
#define STRUCT 13
#define MOVED 14
#define STATUS 15
#define ATOMIC 16
#define CONTEXT 17
#define SOMETIMES 18
#define DROPPED 19
#define COMPUTED 20
#define ADDRESS 21
#define DIVIDED 22
#define BUFFERED 23
#define CALLED 24
#define LONG_HELD 25
#define TABLE 26
#define SORTED 27

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int a[8], b[8], flag;
static char text[4];

static void fill(void)
{
	pthread_mutex_lock(&lock);
	for (int i = 0; i < 6; i++)
		a[i] = (int)heddle_choose(3);
	pthread_mutex_unlock(&lock);
}

static void put(int *to)
{
	*to = (int)heddle_choose(3);
}

/* The outer answer is stored after the inner one was given. */
static void descend(int depth)
{
	int v = (int)heddle_choose(3);
	if (depth)
		descend(depth - 1);
	a[depth] = v;
}

static int take(int v)
{
	return v;
}

static int compare(const void *x, const void *y)
{
	return *(const int *)x - *(const int *)y;
}

static void *first(void *unused)
{
	switch (TEST) {
	case DEAD: case READ_ONE:
		fill();
		break;
	case RACY: case SOMETIMES:
		a[0] = (int)heddle_choose(3);
		flag = 1;
		break;
	case RACY_OVERWRITTEN:
		a[0] = (int)heddle_choose(3) + 1;
		break;
	case BUFFERED:
		a[0] = (int)heddle_choose(2) + 1;
		a[0] = 5;
		break;
	}
	return unused;
}

static void *second(void *unused)
{
	int seen;
	switch (TEST) {
	case DEAD:
		fill();
		break;
	case RACY:
		printf("%d\n", a[0]);
		break;
	case SOMETIMES:
		seen = flag;
		printf("%d\n", seen ? a[0] : 9);
		break;
	case RACY_OVERWRITTEN:
		a[0] = 9;
		break;
	case BUFFERED:
		printf("%d\n", a[0]);
		break;
	}
	return unused;
}

struct pair { int x, y; };
static struct pair from, to;
static atomic_int shared;

int main(void)
{
	pthread_t x, y;
	int older = 0, v, *p;
	pthread_create(&x, NULL, first, NULL);
	pthread_create(&y, NULL, second, NULL);
	pthread_join(x, NULL);
	pthread_join(y, NULL);
	switch (TEST) {
	case DEAD:
		printf("done\n");
		break;
	case READ_ONE:
		printf("%d\n", a[3]);
		break;
	case OVERWRITTEN:
		a[0] = (int)heddle_choose(3);
		a[0] = 5;
		printf("%d\n", a[0]);
		break;
	case RACY_OVERWRITTEN:
		printf("%d\n", a[0]);
		break;
	case COPIED:
		a[0] = (int)heddle_choose(3);
		memcpy(b, a, sizeof(a));
		printf("%d\n", b[0]);
		break;
	case WRITTEN:
		text[0] = (char)('0' + heddle_choose(3));
		text[1] = '\n';
		write(1, text, 2);
		break;
	case PRINTED:
		text[0] = (char)('0' + heddle_choose(3));
		puts(text);
		break;
	case LOCKED:
		v = (int)heddle_choose(3);
		pthread_mutex_lock(&lock);
		a[0] = v;
		pthread_mutex_unlock(&lock);
		v = (int)heddle_choose(3);
		pthread_mutex_lock(&lock);
		a[1] = v;
		pthread_mutex_unlock(&lock);
		printf("%d\n", a[1]);
		break;
	case RECURSIVE:
		descend(2);
		printf("%d\n", a[2]);
		break;
	case OLDER:
		for (int i = 0; i < 4; i++) {
			v = (int)heddle_choose(3);
			a[i] = older;
			older = v;
		}
		printf("%d\n", a[2]);
		break;
	case ADDED:
		a[0] += (int)heddle_choose(3);
		a[0] += (int)heddle_choose(3);
		printf("%d\n", a[0]);
		break;
	case STRUCT:
		from.x = (int)heddle_choose(3);
		from.y = (int)heddle_choose(3);
		to = from;
		printf("%d\n", to.y);
		break;
	case MOVED:
		p = malloc(4 * sizeof(*p));
		p[0] = (int)heddle_choose(3);
		p = realloc(p, 4000 * sizeof(*p));
		printf("%d\n", p[0]);
		free(p);
		break;
	case STATUS:
		a[0] = (int)heddle_choose(3);
		printf("end\n");
		fflush(stdout);
		return a[0];
	case ATOMIC:
		atomic_store(&shared, (int)heddle_choose(3));
		printf("%d\n", atomic_load(&shared));
		break;
	case CONTEXT:
		for (int i = 0; i < 6; i++)
			put(&a[i]);
		put(&b[0]);
		printf("%d\n", b[0]);
		break;
	case DROPPED:
		for (int i = 0; i < 8; i++)
			heddle_choose(3);
		printf("done\n");
		break;
	case COMPUTED:
		v = (int)heddle_choose(3);
		a[0] = 7 * v + 1;
		a[1] = v ^ 1;
		printf("%d\n", a[0]);
		break;
	case ADDRESS:
		a[heddle_choose(3)] = 1;
		printf("%d%d%d\n", a[0], a[1], a[2]);
		break;
	case DIVIDED:
		v = (int)heddle_choose(3);
		a[0] = 12 / (v + 1);
		printf("done\n");
		break;
	case CALLED:
		a[0] = take((int)heddle_choose(3));
		printf("%d\n", a[0]);
		break;
	case LONG_HELD:
		v = (int)heddle_choose(3);
		for (int i = 0; i < 8; i++)
			a[i] = i;
		a[5] = v;
		printf("%d\n", a[5]);
		break;
	case TABLE:
		for (int i = 0; i < 8; i++)
			(i & 1 ? a : b)[i] = (int)heddle_choose(3);
		printf("%d\n", a[1]);
		break;
	case SORTED:
		for (int i = 0; i < 3; i++)
			a[i] = (int)heddle_choose(2);
		qsort(a, 3, sizeof(a[0]), compare);
		printf("done\n");
		break;
	}
	return 0;
}
