/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Litmus tests of memory models, many times in one run.  -DTEST=SB and so on chooses the test, -DKIND=... how the
 * variables are accessed.  Prints how often the outcome was seen that sequential consistency forbids, in how many runs.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#define PLAIN 1		/* ordinary variables */
#define VOLATILE 2
#define RELAXED 3
#define ACQ_REL 4	/* release stores, acquire loads */
#define SEQ_CST 5
#define FENCE 6		/* relaxed, with a seq_cst fence between the two accesses of a thread */
#define REL_FENCE 7	/* relaxed, with a release fence there */
#define RMW 8		/* stores are exchanges */
#define MUTEX 9		/* relaxed, with a lock and unlock of a private mutex between */

#if KIND == PLAIN
static int x, y;
#define STORE(v, n) ((v) = (n))
#define LOAD(v) (v)
#elif KIND == VOLATILE
static volatile int x, y;
#define STORE(v, n) ((v) = (n))
#define LOAD(v) (v)
#else
static _Atomic int x, y;
#if KIND == SEQ_CST
#define STORE(v, n) atomic_store(&(v), n)
#define LOAD(v) atomic_load(&(v))
#elif KIND == ACQ_REL
#define STORE(v, n) atomic_store_explicit(&(v), n, memory_order_release)
#define LOAD(v) atomic_load_explicit(&(v), memory_order_acquire)
#elif KIND == RMW
/* The result is used, or a compiler may make an ordinary store of it. */
#define STORE(v, n) (old = atomic_exchange_explicit(&(v), n, memory_order_relaxed))
static volatile int old;
#define LOAD(v) atomic_load_explicit(&(v), memory_order_relaxed)
#else
#define STORE(v, n) atomic_store_explicit(&(v), n, memory_order_relaxed)
#define LOAD(v) atomic_load_explicit(&(v), memory_order_relaxed)
#endif
#endif

#if KIND == FENCE
#define BETWEEN atomic_thread_fence(memory_order_seq_cst)
#elif KIND == REL_FENCE
#define BETWEEN atomic_thread_fence(memory_order_release)
#elif KIND == MUTEX
#define BETWEEN                                            \
	do {                                               \
		pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; \
		pthread_mutex_lock(&m);                    \
		pthread_mutex_unlock(&m);                  \
	} while (0)
#else
#define BETWEEN (void)0
#endif

#define SB 1
#define MP 2
#define LB 3
#define IRIW 4
#define WRC 5
#define R 6
#define S 7
#define W2 8	/* 2+2W */
#define CORR 9
#define FWD 10	/* SB whose threads read their own store first */

static int r[6];

#define THREAD(name, body)            \
	static void *name(void *arg)  \
	{                             \
		body;                 \
		return arg;           \
	}
#if TEST == SB
THREAD(a, STORE(x, 1); BETWEEN; r[0] = LOAD(y))
THREAD(b, STORE(y, 1); BETWEEN; r[1] = LOAD(x))
#define WEAK (r[0] == 0 && r[1] == 0)
#elif TEST == MP
THREAD(a, STORE(x, 1); BETWEEN; STORE(y, 1))
THREAD(b, r[0] = LOAD(y); BETWEEN; r[1] = LOAD(x))
#define WEAK (r[0] == 1 && r[1] == 0)
#elif TEST == LB
THREAD(a, r[0] = LOAD(x); BETWEEN; STORE(y, 1))
THREAD(b, r[1] = LOAD(y); BETWEEN; STORE(x, 1))
#define WEAK (r[0] == 1 && r[1] == 1)
#elif TEST == IRIW
THREAD(a, STORE(x, 1))
THREAD(b, STORE(y, 1))
THREAD(c, r[0] = LOAD(x); BETWEEN; r[1] = LOAD(y))
THREAD(d, r[2] = LOAD(y); BETWEEN; r[3] = LOAD(x))
#define WEAK (r[0] == 1 && r[1] == 0 && r[2] == 1 && r[3] == 0)
#define THREADS 4
#elif TEST == WRC
THREAD(a, STORE(x, 1))
THREAD(b, r[0] = LOAD(x); BETWEEN; STORE(y, 1))
THREAD(c, r[1] = LOAD(y); BETWEEN; r[2] = LOAD(x))
#define WEAK (r[0] == 1 && r[1] == 1 && r[2] == 0)
#define THREADS 3
#elif TEST == R
THREAD(a, STORE(x, 1); BETWEEN; STORE(y, 1))
THREAD(b, STORE(y, 2); BETWEEN; r[0] = LOAD(x))
#define WEAK (LOAD(y) == 2 && r[0] == 0)
#elif TEST == S
THREAD(a, STORE(x, 2); BETWEEN; STORE(y, 1))
THREAD(b, r[0] = LOAD(y); BETWEEN; STORE(x, 1))
#define WEAK (LOAD(x) == 2 && r[0] == 1)
#elif TEST == W2
THREAD(a, STORE(x, 1); BETWEEN; STORE(y, 2))
THREAD(b, STORE(y, 1); BETWEEN; STORE(x, 2))
#define WEAK (LOAD(x) == 1 && LOAD(y) == 1)
#elif TEST == CORR
THREAD(a, STORE(x, 1))
THREAD(b, r[0] = LOAD(x); r[1] = LOAD(x))
#define WEAK (r[0] == 1 && r[1] == 0)
#elif TEST == FWD
THREAD(a, STORE(x, 1); r[2] = LOAD(x); BETWEEN; r[0] = LOAD(y))
THREAD(b, STORE(y, 1); r[3] = LOAD(y); BETWEEN; r[1] = LOAD(x))
#define WEAK (own_store_is_read() && r[0] == 0 && r[1] == 0)
static int own_store_is_read(void)
{
	if (r[2] != 1 || r[3] != 1)
		abort();
	return 1;
}
#endif
#ifndef THREADS
#define THREADS 2
#endif
#if THREADS < 3
#define c a
#endif
#if THREADS < 4
#define d a
#endif

int main(int argc, char **argv)
{
	void *(*const bodies[])(void *) = { a, b, c, d };
	int runs = argc > 1 ? atoi(argv[1]) : 1, weak = 0;
	for (int i = 0; i < runs; i++) {
		pthread_t t[THREADS];
		x = y = 0;
		for (int k = 0; k < THREADS; k++)
			pthread_create(&t[k], NULL, bodies[k], NULL);
		for (int k = 0; k < THREADS; k++)
			pthread_join(t[k], NULL);
		weak += WEAK;
	}
	printf("%d of %d\n", weak, runs);
	return 0;
}
