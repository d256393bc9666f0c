/* SPDX-License-Identifier: Apache-2.0 */
// Ways to touch memory that hooks meet as expected, and ways that they do not: all sizes, strides, pointers, copies,
// alternating branches, two threads at the same places.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct node {
	struct node *next;
	uint8_t small;
	uint16_t middle;
	uint64_t large;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int numbers[64];
static uint64_t total;
static const int *places[4] = { &numbers[0], &numbers[7], &numbers[9], &numbers[63] };

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static uint64_t sort(uint64_t *state)
{
	int a[48];
	for (int i = 0; i < 48; i++)
		a[i] = (int)(next_random(state) & 0xffff) - 0x8000;
	for (int i = 1; i < 48; i++) {
		int v = a[i], k = i;
		for (; k > 0 && a[k - 1] > v; k--)
			a[k] = a[k - 1];
		a[k] = v;
	}
	return (uint64_t)(a[0] + a[47]);
}

static uint64_t list(uint64_t *state)
{
	struct node *first = NULL;
	uint64_t sum = 0;
	for (int i = 0; i < 20; i++) {
		struct node *n = malloc(sizeof(*n));
		*n = (struct node){ .next = first, .large = next_random(state) };
		n->small = (uint8_t)(i * 37);
		n->middle = (uint16_t)(n->large >> 5);
		first = n;
	}
	while (first) {
		struct node *n = first;
		sum += n->small + n->middle + (n->large & 0xff);
		first = n->next;
		free(n);
	}
	return sum;
}

static void *work(void *seed)
{
	uint64_t state = 88172645463325252ull + (uintptr_t)seed;
	for (int round = 0; round < 6; round++) {
		uint64_t found = sort(&state) + list(&state);
		pthread_mutex_lock(&lock);
		for (int i = 0; i < 64; i++)
			numbers[i] += i & 3 ? 1 : (int)found;
		total += found + (uint64_t)*places[next_random(&state) & 3];
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, work, (void *)1);
	work((void *)2);
	pthread_join(t, NULL);
	printf("%llu\n", (unsigned long long)total);
	return 0;
}
