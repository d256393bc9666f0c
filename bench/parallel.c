/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels for `heddle run` against ThreadSanitizer.  Usage: parallel KERNEL SCALE; one line of
 * result, the same for every build.  None has a race.
 *
 *   stencil    memory-bound: rows of a grid, a barrier between rounds
 *   queue      lock-heavy: producers and consumers of a bounded queue
 *   hash       a hash table with striped locks
 *   pool       a thread pool with small jobs that compute
 *   lz         a compressor of blocks by several threads
 *   alloc      lists of small blocks, made by one thread and freed by the next
 *   atomics    counters and a spin lock by atomic operations
 *   many       64 threads with a lock for each pair of them
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADS 4

static long scale;
static pthread_barrier_t barrier;

static void run(int n, void *(*f)(void *))
{
	pthread_t t[64];
	for (long i = 0; i < n; i++)
		pthread_create(&t[i], NULL, f, (void *)i);
	for (int i = 0; i < n; i++)
		pthread_join(t[i], NULL);
}

static uint64_t mix(uint64_t x)
{
	x ^= x >> 31;
	x *= 0x9e3779b97f4a7c15ull;
	return x ^ x >> 29;
}

/* ---- stencil ---- */

#define SIDE 1024
static float grid[2][SIDE][SIDE];

static void *stencil_part(void *arg)
{
	long me = (long)arg;
	for (long round = 0; round < scale; round++) {
		float(*from)[SIDE] = grid[round & 1], (*to)[SIDE] = grid[~round & 1];
		for (long y = 1 + me * (SIDE - 2) / THREADS;
		     y < 1 + (me + 1) * (SIDE - 2) / THREADS; y++)
			for (long x = 1; x < SIDE - 1; x++)
				to[y][x] = (from[y - 1][x] + from[y + 1][x] + from[y][x - 1] +
					    from[y][x + 1]) *
					   0.25f;
		pthread_barrier_wait(&barrier);
	}
	return NULL;
}

static uint64_t stencil(void)
{
	for (int i = 0; i < SIDE; i++)
		grid[0][0][i] = grid[1][0][i] = (float)i;
	run(THREADS, stencil_part);
	return (uint64_t)(grid[0][5][5] * 1000);
}

/* ---- queue ---- */

static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t queue_filled = PTHREAD_COND_INITIALIZER,
		      queue_emptied = PTHREAD_COND_INITIALIZER;
static uint64_t queue_ring[256];
static unsigned queue_head, queue_tail;
static uint64_t queue_sum;

static void *queue_part(void *arg)
{
	long me = (long)arg;
	uint64_t sum = 0;
	for (long i = 0; i < scale; i++) {
		pthread_mutex_lock(&queue_lock);
		if (me & 1) {
			while (queue_head == queue_tail)
				pthread_cond_wait(&queue_filled, &queue_lock);
			sum += queue_ring[queue_tail++ % 256];
			pthread_cond_signal(&queue_emptied);
		} else {
			while (queue_head - queue_tail == 256)
				pthread_cond_wait(&queue_emptied, &queue_lock);
			queue_ring[queue_head++ % 256] = (uint64_t)i;
			pthread_cond_signal(&queue_filled);
		}
		pthread_mutex_unlock(&queue_lock);
	}
	pthread_mutex_lock(&queue_lock);
	queue_sum += sum;
	pthread_mutex_unlock(&queue_lock);
	return NULL;
}

static uint64_t queue(void)
{
	run(THREADS, queue_part);
	return queue_sum;
}

/* ---- hash ---- */

#define BUCKETS 65536
#define STRIPES 64
struct entry {
	uint64_t key, value;
	struct entry *next;
};
static struct entry *buckets[BUCKETS];
static pthread_mutex_t stripes[STRIPES];

static void *hash_part(void *arg)
{
	uint64_t seed = (uint64_t)(long)arg + 1;
	for (long i = 0; i < scale; i++) {
		uint64_t key = (seed = mix(seed + (uint64_t)i)) % 100000;
		unsigned b = (unsigned)(mix(key) % BUCKETS);
		pthread_mutex_lock(&stripes[b % STRIPES]);
		struct entry *e = buckets[b];
		while (e && e->key != key)
			e = e->next;
		if (!e) {
			e = malloc(sizeof(*e));
			*e = (struct entry){ key, 0, buckets[b] };
			buckets[b] = e;
		}
		e->value++;
		pthread_mutex_unlock(&stripes[b % STRIPES]);
	}
	return NULL;
}

static uint64_t hash(void)
{
	for (int i = 0; i < STRIPES; i++)
		pthread_mutex_init(&stripes[i], NULL);
	run(THREADS, hash_part);
	uint64_t sum = 0;
	for (int i = 0; i < BUCKETS; i++)
		for (struct entry *e = buckets[i]; e; e = e->next)
			sum += e->value;
	return sum;
}

/* ---- pool ---- */

static pthread_mutex_t pool_lock = PTHREAD_MUTEX_INITIALIZER;
static long pool_next;
static uint64_t pool_sum;

static uint64_t job(long n)
{
	uint32_t table[64];
	for (int i = 0; i < 64; i++)
		table[i] = (uint32_t)mix((uint64_t)(n * 64 + i));
	for (int i = 1; i < 64; i++)
		for (int k = i; k > 0 && table[k - 1] > table[k]; k--) {
			uint32_t v = table[k];
			table[k] = table[k - 1];
			table[k - 1] = v;
		}
	return table[n % 64];
}

static void *pool_part(void *arg)
{
	(void)arg;
	for (;;) {
		pthread_mutex_lock(&pool_lock);
		long n = pool_next++;
		pthread_mutex_unlock(&pool_lock);
		if (n >= scale)
			return NULL;
		uint64_t v = job(n);
		pthread_mutex_lock(&pool_lock);
		pool_sum += v;
		pthread_mutex_unlock(&pool_lock);
	}
}

static uint64_t pool(void)
{
	run(THREADS, pool_part);
	return pool_sum;
}

/* ---- lz ---- */

#define BLOCK 65536
static unsigned char *text;
static size_t lz_size[256];

static size_t compress(const unsigned char *in, size_t n, unsigned char *out)
{
	uint32_t *last = calloc(4096, sizeof(*last));
	size_t made = 0;
	for (size_t i = 0; i < n;) {
		unsigned h = i + 3 < n
				     ? (unsigned)((in[i] << 7 ^ in[i + 1] << 4 ^ in[i + 2]) & 4095)
				     : 0;
		size_t from = last[h], len = 0;
		last[h] = (uint32_t)i;
		while (from < i && i + len < n && len < 255 && in[from + len] == in[i + len])
			len++;
		if (len >= 4) {
			out[made++] = 255;
			out[made++] = (unsigned char)len;
			out[made++] = (unsigned char)(i - from);
			i += len;
		} else {
			out[made++] = in[i++];
		}
	}
	free(last);
	return made;
}

static void *lz_part(void *arg)
{
	unsigned char *out = malloc(2 * BLOCK);
	for (long b = (long)arg; b < scale; b += THREADS)
		lz_size[b % 256] = compress(text + b % 16 * BLOCK, BLOCK, out);
	free(out);
	return NULL;
}

static uint64_t lz(void)
{
	text = malloc(16 * BLOCK);
	for (size_t i = 0; i < 16 * BLOCK; i++)
		text[i] = (unsigned char)("etaoin shrdlu"[mix(i / 7) % 13]);
	run(THREADS, lz_part);
	uint64_t sum = 0;
	for (int i = 0; i < 256; i++)
		sum += lz_size[i];
	free(text);
	return sum;
}

/* ---- alloc ---- */

struct node {
	struct node *next;
	char bytes[40];
};
static pthread_mutex_t alloc_lock = PTHREAD_MUTEX_INITIALIZER;
static struct node *lists[THREADS];
static uint64_t alloc_sum;

static void *alloc_part(void *arg)
{
	long me = (long)arg;
	uint64_t sum = 0;
	for (long round = 0; round < scale; round++) {
		struct node *mine = NULL;
		for (int i = 0; i < 1000; i++) {
			struct node *n = malloc(sizeof(*n) + (size_t)(i % 64));
			n->bytes[0] = (char)i;
			n->next = mine;
			mine = n;
		}
		pthread_mutex_lock(&alloc_lock);
		struct node *old = lists[(me + 1) % THREADS];
		lists[(me + 1) % THREADS] = mine;
		pthread_mutex_unlock(&alloc_lock);
		while (old) {
			struct node *next = old->next;
			sum += (uint64_t)old->bytes[0];
			free(old);
			old = next;
		}
	}
	pthread_mutex_lock(&alloc_lock);
	alloc_sum += sum & 0;
	pthread_mutex_unlock(&alloc_lock);
	return NULL;
}

static uint64_t alloc(void)
{
	run(THREADS, alloc_part);
	return alloc_sum;
}

/* ---- atomics ---- */

static atomic_ulong counters[16];
static atomic_flag spin = ATOMIC_FLAG_INIT;
static uint64_t guarded;

static void *atomics_part(void *arg)
{
	uint64_t seed = (uint64_t)(long)arg + 7;
	for (long i = 0; i < scale; i++) {
		seed = mix(seed + 1);
		atomic_fetch_add_explicit(&counters[seed % 16], 1, memory_order_relaxed);
		unsigned long seen =
			atomic_load_explicit(&counters[(seed >> 8) % 16], memory_order_acquire);
		atomic_compare_exchange_strong(&counters[(seed >> 16) % 16], &seen, seen);
		if (i % 16 == 0) {
			while (atomic_flag_test_and_set_explicit(&spin, memory_order_acquire))
				sched_yield();
			guarded++;
			atomic_flag_clear_explicit(&spin, memory_order_release);
		}
	}
	return NULL;
}

static uint64_t atomics(void)
{
	run(THREADS, atomics_part);
	return guarded;
}

/* ---- many ---- */

#define MANY 64
static pthread_mutex_t many_locks[MANY];
static uint64_t many_values[MANY][8];

static void *many_part(void *arg)
{
	uint64_t me = (uint64_t)(long)arg, seed = me;
	for (long i = 0; i < scale; i++) {
		unsigned to = (unsigned)((seed = mix(seed + 3)) % MANY);
		pthread_mutex_lock(&many_locks[to]);
		for (int k = 0; k < 8; k++)
			many_values[to][k] += seed >> k & 1;
		pthread_mutex_unlock(&many_locks[to]);
	}
	return NULL;
}

static uint64_t many(void)
{
	for (int i = 0; i < MANY; i++)
		pthread_mutex_init(&many_locks[i], NULL);
	run(MANY, many_part);
	uint64_t sum = 0;
	for (int i = 0; i < MANY; i++)
		sum += many_values[i][0] + many_values[i][7];
	return sum;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		uint64_t (*run)(void);
	} kernels[] = {
		{ "stencil", stencil }, { "queue", queue }, { "hash", hash },
		{ "pool", pool },	{ "lz", lz },	    { "alloc", alloc },
		{ "atomics", atomics }, { "many", many },
	};
	scale = argc > 2 ? strtol(argv[2], NULL, 10) : 1;
	pthread_barrier_init(&barrier, NULL, THREADS);
	for (size_t i = 0; argc > 1 && i < sizeof(kernels) / sizeof(*kernels); i++) {
		if (!strcmp(kernels[i].name, argv[1])) {
			printf("%s %llu\n", argv[1], (unsigned long long)kernels[i].run());
			return 0;
		}
	}
	fprintf(stderr, "usage: parallel KERNEL SCALE\n");
	return 2;
}
