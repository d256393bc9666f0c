/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Work for the benchmarks, chosen by name: four loops with different ways of touching memory, and
 * one whose threads change at every access.  Usage: kernels NAME SCALE.  Prints a checksum, so
 * that no compiler can drop the work.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state = 88172645463325252ull;

static uint64_t next_random(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

/* A five-point stencil over a grid: streaming reads, one write. */
static uint64_t stencil(int scale)
{
	enum { N = 256 };
	static int grid[2][N][N];
	for (int i = 0; i < N; i++)
		for (int k = 0; k < N; k++)
			grid[0][i][k] = i * k & 0xff;
	for (int round = 0; round < scale; round++) {
		int(*from)[N] = grid[round & 1], (*to)[N] = grid[~round & 1];
		for (int i = 1; i < N - 1; i++)
			for (int k = 1; k < N - 1; k++)
				to[i][k] = (from[i][k] + from[i - 1][k] + from[i + 1][k] +
					    from[i][k - 1] + from[i][k + 1]) /
					   5;
	}
	return (uint64_t)grid[scale & 1][N / 2][N / 2];
}

/* Shell sort: data-dependent branches, reads and writes at growing distances. */
static uint64_t shell_sort(int scale)
{
	enum { N = 20000 };
	static int a[N];
	uint64_t sum = 0;
	for (int round = 0; round < scale; round++) {
		for (int i = 0; i < N; i++)
			a[i] = (int)(next_random() & 0xffffff);
		for (int gap = N / 2; gap; gap /= 2) {
			for (int i = gap; i < N; i++) {
				int v = a[i], k = i;
				for (; k >= gap && a[k - gap] > v; k -= gap)
					a[k] = a[k - gap];
				a[k] = v;
			}
		}
		sum += (uint64_t)a[N / 2];
	}
	return sum;
}

/* Open-addressing hash table: random reads over 1 MiB, few writes. */
static uint64_t hash_table(int scale)
{
	enum { SLOTS = 1 << 16 };
	static struct {
		uint64_t key, value;
	} table[SLOTS];
	uint64_t found = 0;
	memset(table, 0, sizeof(table));
	for (int i = 0; i < scale * 20000; i++) {
		uint64_t key = next_random() % (SLOTS / 2) + 1;
		uint64_t at = key * 0x9e3779b97f4a7c15ull >> 48;
		while (table[at].key && table[at].key != key)
			at = (at + 1) & (SLOTS - 1);
		found += table[at].key == key;
		table[at].key = key;
		table[at].value++;
	}
	return found;
}

/* Unbalanced binary search tree on the heap: pointer chasing and allocation. */
struct node {
	struct node *child[2];
	uint64_t key;
};

static uint64_t tree(int scale)
{
	uint64_t depth = 0;
	for (int round = 0; round < scale; round++) {
		struct node *root = NULL;
		for (int i = 0; i < 5000; i++) {
			uint64_t key = next_random();
			struct node **at = &root;
			while (*at) {
				at = &(*at)->child[key > (*at)->key];
				depth++;
			}
			*at = malloc(sizeof(**at));
			**at = (struct node){ .key = key };
		}
		while (root) { /* flatten and free */
			if (root->child[0]) {
				struct node *left = root->child[0];
				root->child[0] = left->child[1];
				left->child[1] = root;
				root = left;
			} else {
				struct node *right = root->child[1];
				free(root);
				root = right;
			}
		}
	}
	return depth;
}

/* Two threads on one counter: with --preempt=1 nearly every hook is a switch. */
static volatile int counter;

static void *count(void *rounds)
{
	for (long i = 0; i < (long)rounds; i++)
		counter++;
	return NULL;
}

static uint64_t pingpong(int scale)
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, count, (void *)(scale * 10000L));
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return counter > 0;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		uint64_t (*run)(int scale);
	} kernels[] = { { "stencil", stencil },
			{ "sort", shell_sort },
			{ "hash", hash_table },
			{ "tree", tree },
			{ "pingpong", pingpong } };
	int scale = argc > 2 ? atoi(argv[2]) : 1;
	for (unsigned i = 0; argc > 1 && i < sizeof(kernels) / sizeof(*kernels); i++) {
		if (!strcmp(kernels[i].name, argv[1])) {
			printf("%llu\n", (unsigned long long)kernels[i].run(scale));
			return 0;
		}
	}
	fprintf(stderr, "usage: kernels stencil|sort|hash|tree|pingpong SCALE\n");
	return 2;
}
