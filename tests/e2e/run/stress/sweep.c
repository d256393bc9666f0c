/* SPDX-License-Identifier: Apache-2.0 */
// Random programs without races: sweep SEED PROGRAMS.  Each has a few threads and a few things that they share, every
// thing by a discipline of its own: under a mutex, under a read-write lock, by an owner that is written down under a
// lock or in an atomic, through a queue with condition variables.  Things lie side by side, so that many share eight
// bytes, and locks are also held around each other.  Nothing may be reported.
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#define THREADS 4
#define THINGS 12
#define ROOM 4
enum { MUTEX, RWLOCK, OWNER, ATOMIC_OWNER, QUEUE, CONSTANT, DISCIPLINES };
struct block {
	struct block *next;
	char bytes[24];
};
static struct {
	unsigned discipline[THINGS];
	pthread_mutex_t mutex[THINGS];
	pthread_rwlock_t rwlock[THINGS];
	pthread_cond_t changed[THINGS];
	_Atomic unsigned char atomic_owner[THINGS];
	unsigned char owner[THINGS], byte[THINGS], queued[THINGS];
	uint16_t value[THINGS];
	struct block *queue[THINGS];
	unsigned threads, things, steps;
	atomic_ulong sum;
} w;
static _Thread_local uint64_t state;
static unsigned below(unsigned n)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (unsigned)(state >> 33) % n;
}
static void under_mutex(unsigned i)
{
	unsigned outer = i ? below(i) : 0;
	int has_outer = i && !below(3);
	if (has_outer)
		pthread_mutex_lock(&w.mutex[outer]);
	pthread_mutex_lock(&w.mutex[i]);
	w.byte[i]++;
	if (below(2))
		w.value[i] = (uint16_t)(w.value[i] + w.byte[i]);
	pthread_mutex_unlock(&w.mutex[i]);
	if (has_outer)
		pthread_mutex_unlock(&w.mutex[outer]);
}
static void under_rwlock(unsigned i)
{
	if (below(4)) {
		pthread_rwlock_rdlock(&w.rwlock[i]);
		unsigned long sum = w.byte[i] + w.value[i];
		pthread_rwlock_unlock(&w.rwlock[i]);
		atomic_fetch_add_explicit(&w.sum, sum & 1, memory_order_relaxed);
	} else {
		pthread_rwlock_wrlock(&w.rwlock[i]);
		w.byte[i] = (unsigned char)below(256);
		w.value[i]++;
		pthread_rwlock_unlock(&w.rwlock[i]);
	}
}
static void if_owner(unsigned me, unsigned i)
{
	pthread_mutex_lock(&w.mutex[i]);
	int is_mine = w.owner[i] == me;
	pthread_mutex_unlock(&w.mutex[i]);
	if (!is_mine)
		return;
	w.value[i]++;
	w.byte[i] ^= 1;
	pthread_mutex_lock(&w.mutex[i]);
	w.owner[i] = (unsigned char)below(w.threads);
	pthread_mutex_unlock(&w.mutex[i]);
}
static void if_atomic_owner(unsigned me, unsigned i)
{
	if (atomic_load_explicit(&w.atomic_owner[i], memory_order_acquire) != me)
		return;
	w.value[i]++;
	w.byte[i] ^= 1;
	atomic_store_explicit(&w.atomic_owner[i], (unsigned char)below(w.threads), memory_order_release);
}
static void by_queue(unsigned me, unsigned i)
{
	if (me & 1) {
		struct block *b = malloc(sizeof(*b));
		b->bytes[below(24)] = 1;
		pthread_mutex_lock(&w.mutex[i]);
		if (w.queued[i] == ROOM) {
			pthread_mutex_unlock(&w.mutex[i]);
			free(b);
			return;
		}
		b->next = w.queue[i];
		w.queue[i] = b;
		w.queued[i]++;
		pthread_cond_signal(&w.changed[i]);
		pthread_mutex_unlock(&w.mutex[i]);
	} else {
		pthread_mutex_lock(&w.mutex[i]);
		struct block *b = w.queue[i];
		if (b) {
			w.queue[i] = b->next;
			w.queued[i]--;
		}
		pthread_mutex_unlock(&w.mutex[i]);
		if (b) {
			b->bytes[0]++;
			free(b);
		}
	}
}
static uint64_t seed;
static void *work(void *arg)
{
	unsigned me = (unsigned)(uintptr_t)arg;
	state = (seed * THREADS + me + 1) * 0x9e3779b97f4a7c15ull;
	for (unsigned n = 0; n < w.steps; n++) {
		unsigned i = below(w.things);
		switch (w.discipline[i]) {
		case MUTEX: under_mutex(i); break;
		case RWLOCK: under_rwlock(i); break;
		case OWNER: if_owner(me, i); break;
		case ATOMIC_OWNER: if_atomic_owner(me, i); break;
		case QUEUE: by_queue(me, i); break;
		default: atomic_fetch_add(&w.sum, w.value[i] & 1u); break;
		}
		if (!below(16))
			sched_yield();
	}
	return NULL;
}
static void program(void)
{
	pthread_t t[THREADS];
	state = (seed + 1) * 0xd1342543de82ef95ull;
	w.threads = 2 + below(THREADS - 1);
	w.things = 1 + below(THINGS);
	w.steps = 20 + below(400);
	for (unsigned i = 0; i < w.things; i++) {
		w.discipline[i] = below(DISCIPLINES);
		w.owner[i] = (unsigned char)below(w.threads);
		w.atomic_owner[i] = (unsigned char)below(w.threads);
	}
	for (unsigned i = 0; i < w.threads; i++)
		pthread_create(&t[i], NULL, work, (void *)(uintptr_t)i);
	for (unsigned i = 0; i < w.threads; i++)
		pthread_join(t[i], NULL);
	for (unsigned i = 0; i < w.things; i++) {
		for (struct block *b = w.queue[i], *next; b; b = next) {
			next = b->next;
			free(b);
		}
		w.queue[i] = NULL;
		w.queued[i] = 0;
	}
}
int main(int argc, char **argv)
{
	unsigned long first = argc > 1 ? strtoul(argv[1], NULL, 10) : 1, count = argc > 2 ? strtoul(argv[2], NULL, 10) : 10;
	for (unsigned i = 0; i < THINGS; i++) {
		pthread_mutex_init(&w.mutex[i], NULL);
		pthread_rwlock_init(&w.rwlock[i], NULL);
		pthread_cond_init(&w.changed[i], NULL);
	}
	for (seed = first; seed < first + count; seed++)
		program();
	printf("%lu programs\n", count);
	return 0;
}
