/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stores of all kinds that a buffer meets, by two threads at the same objects without order: single bytes and words
 * that overlap, structures, memory functions, heap blocks that are freed, stores larger than a buffer takes, thread-local
 * variables, locks, output.  Every thread always sees its own newest store.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct wide {
	long a, b, c;
};

static union {
	unsigned long whole;
	unsigned char bytes[8];
} cell;
static struct wide shared;
static char text[64], large[2][8192];
static _Atomic int ready;
static _Thread_local int own;
static int lost;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void expect(int condition)
{
	if (!condition) {
		pthread_mutex_lock(&lock);
		lost++;
		pthread_mutex_unlock(&lock);
	}
}

static void *work(void *arg)
{
	long id = (long)arg, *block = malloc(64);
	struct wide mine = { id, id + 1, id + 2 };
	own = (int)id;
	cell.bytes[id] = (unsigned char)(id + 1);
	expect(cell.bytes[id] == id + 1);
	shared = mine;
	memset(text + 8 * id, 'a' + (int)id, 8);
	expect(text[8 * id + 7] == 'a' + (int)id);
	block[0] = id;
	block[7] = id;
	expect(block[0] == id && block[7] == id);
	block = realloc(block, 256);
	expect(block[0] == id && block[7] == id);
	memset(large[id], (int)id + 1, sizeof(large[id]));
	expect(large[id][8191] == id + 1);
	atomic_store_explicit(&ready, (int)id, memory_order_release);
	free(block);
	cell.bytes[id + 4] = 1;
	snprintf(text + 32 + 8 * id, 8, "t%ld", id);
	expect(text[32 + 8 * id] == 't');
	expect(own == (int)id);
	return NULL;
}

int main(int argc, char **argv)
{
	for (int i = argc > 1 ? atoi(argv[1]) : 1; i > 0; i--) {
		pthread_t t[2];
		cell.whole = 0;
		memset(text, 0, sizeof(text));
		for (long k = 0; k < 2; k++)
			pthread_create(&t[k], NULL, work, (void *)k);
		for (int k = 0; k < 2; k++)
			pthread_join(t[k], NULL);
		expect(cell.bytes[0] == 1 && cell.bytes[1] == 2 && cell.bytes[4] == 1 && cell.bytes[5] == 1);
		expect(!memcmp(text, "aaaaaaaabbbbbbbb", 16) && text[32] == 't' && text[41] == '1');
		expect(shared.a + 1 == shared.b && shared.b + 1 == shared.c);
	}
	printf("%d lost\n", lost);
	return lost != 0;
}
