/* SPDX-License-Identifier: Apache-2.0 */
/* Locks of all kinds, taken in ascending order unless deadlocks are wanted, and what is done
 * while they are held. */
#ifndef GENERATOR_LOCKS_H
#define GENERATOR_LOCKS_H

#include "signals.h"
#include "statements.h"

#define MUTEXES 6
#define RWLOCKS 3
#define SPINS 2
#define LOCKS (MUTEXES + RWLOCKS + SPINS)

static bool may_deadlock;

enum lock_type {
	LOCK_STATIC,
	LOCK_ZERO,
	LOCK_NORMAL,
	LOCK_RECURSIVE,
	LOCK_STATIC_RECURSIVE,
	LOCK_ERRORCHECK,
	LOCK_ADAPTIVE
};
static enum lock_type lock_types[MUTEXES];

/* Of rwlocks: the last one admits no reader while a writer waits, so nobody may read it
 * recursively. */
static const char *const rwlock_kinds[] = { "PREFER_READER_NP", "PREFER_WRITER_NP",
					    "PREFER_WRITER_NONRECURSIVE_NP" };
static unsigned rwlock_kind[RWLOCKS];

static bool is_recursive(unsigned lock)
{
	return lock < MUTEXES &&
	       (lock_types[lock] == LOCK_RECURSIVE || lock_types[lock] == LOCK_STATIC_RECURSIVE);
}

static void emit_statements(unsigned n, unsigned first_lock, int nesting);

/* A lock that is taken in one of the ways that may fail, and what is done if it was. */
static void emit_attempt(unsigned lock, unsigned next, int nesting)
{
	bool timed = chance(50), reads = chance(50);
	if (lock < MUTEXES && timed)
		printf("\tif (!pthread_mutex_timedlock(&lock[%u], soon(CLOCK_REALTIME, %u))) {\n",
		       lock, below(9));
	else if (lock < MUTEXES)
		printf("\tif (!pthread_mutex_trylock(&lock[%u])) {\n", lock);
	else if (lock < MUTEXES + RWLOCKS && timed)
		printf("\tif (!pthread_rwlock_clock%slock(&rwlock[%u], CLOCK_MONOTONIC, "
		       "soon(CLOCK_MONOTONIC, %u))) {\n",
		       reads ? "rd" : "wr", lock - MUTEXES, below(9));
	else if (lock < MUTEXES + RWLOCKS)
		printf("\tif (!pthread_rwlock_try%slock(&rwlock[%u])) {\n", reads ? "rd" : "wr",
		       lock - MUTEXES);
	else
		printf("\tif (!pthread_spin_trylock(&spin[%u])) {\n", lock - MUTEXES - RWLOCKS);
	emit_statements(1 + below(3), next, nesting + 1);
	if (lock < MUTEXES)
		printf("\tpthread_mutex_unlock(&lock[%u]);\n\t}\n", lock);
	else if (lock < MUTEXES + RWLOCKS)
		printf("\tpthread_rwlock_unlock(&rwlock[%u]);\n\t}\n", lock - MUTEXES);
	else
		printf("\tpthread_spin_unlock(&spin[%u]);\n\t}\n", lock - MUTEXES - RWLOCKS);
}

static void emit_mutex(unsigned lock, unsigned next, int nesting)
{
	bool again = is_recursive(lock) && chance(50);
	printf("\tpthread_mutex_lock(&lock[%u]);\n", lock);
	if (lock_types[lock] == LOCK_ERRORCHECK && chance(50))
		printf("\tacc += pthread_mutex_lock(&lock[%u]) == EDEADLK;\n", lock);
	if (again)
		printf("\tpthread_mutex_lock(&lock[%u]);\n", lock);
	emit_statements(1 + below(3), next, nesting + 1);
	if (again)
		printf("\tacc += pthread_mutex_trylock(&lock[%u]) == "
		       "0;\n\tpthread_mutex_unlock(&lock[%u]);\n"
		       "\tpthread_mutex_unlock(&lock[%u]);\n",
		       lock, lock, lock);
	printf("\tpthread_mutex_unlock(&lock[%u]);\n", lock);
}

/* A writer that asks again gets an error, which happens only where locks are taken in any order. */
static void emit_rwlock(unsigned lock, unsigned next, int nesting)
{
	bool reads = chance(60),
	     again = reads && rwlock_kind[lock] != COUNT(rwlock_kinds) - 1 && chance(40);
	printf("\tif (!pthread_rwlock_%slock(&rwlock[%u])) {\n", reads ? "rd" : "wr", lock);
	if (again)
		printf("\tpthread_rwlock_rdlock(&rwlock[%u]);\n", lock);
	if (!reads && chance(50))
		printf("\tacc += pthread_rwlock_%slock(&rwlock[%u]) == EDEADLK;\n",
		       chance(50) ? "rd" : "wr", lock);
	emit_statements(1 + below(3), next, nesting + 1);
	if (again)
		printf("\tpthread_rwlock_unlock(&rwlock[%u]);\n", lock);
	printf("\tpthread_rwlock_unlock(&rwlock[%u]);\n\t}\n", lock);
}

static void emit_locked(unsigned first_lock, int nesting)
{
	bool attempts = chance(25);
	unsigned lock =
		may_deadlock || attempts ? below(LOCKS) : first_lock + below(LOCKS - first_lock);
	unsigned next = lock + 1 > first_lock ? lock + 1 : first_lock;
	if (attempts) {
		emit_attempt(lock, next, nesting);
	} else if (lock < MUTEXES) {
		emit_mutex(lock, next, nesting);
	} else if (lock < MUTEXES + RWLOCKS) {
		emit_rwlock(lock - MUTEXES, next, nesting);
	} else {
		unsigned spin = lock - MUTEXES - RWLOCKS;
		printf("\tpthread_spin_lock(&spin[%u]);\n", spin);
		emit_statements(1 + below(3), next, nesting + 1);
		printf("\tpthread_spin_unlock(&spin[%u]);\n", spin);
	}
}

static void emit_statements(unsigned n, unsigned first_lock, int nesting)
{
	while (n--) {
		if (nesting < 3 && first_lock < LOCKS && chance(25)) {
			emit_locked(first_lock, nesting);
			continue;
		}
		putchar('\t');
		expand(chance(5) ? PICK(signal_statements) : PICK(statements), 0);
		putchar('\n');
	}
}

static void emit_lock_table(void)
{
	static const char *const initialisers[] = {
		[LOCK_STATIC] = "PTHREAD_MUTEX_INITIALIZER",
		[LOCK_ZERO] = NULL,
		[LOCK_NORMAL] = NULL,
		[LOCK_RECURSIVE] = NULL,
		[LOCK_STATIC_RECURSIVE] = "PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP",
		[LOCK_ERRORCHECK] = NULL,
		[LOCK_ADAPTIVE] = "PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP",
	};
	printf("static pthread_mutex_t lock[%d] = {\n", MUTEXES);
	for (unsigned i = 0; i < MUTEXES; i++) {
		lock_types[i] = below(LOCK_ADAPTIVE + 1);
		if (initialisers[lock_types[i]])
			printf("\t[%u] = %s,\n", i, initialisers[lock_types[i]]);
	}
	printf("};\nstatic pthread_rwlock_t rwlock[%d];\nstatic pthread_spinlock_t spin[%d];\n\n",
	       RWLOCKS, SPINS);
	for (unsigned i = 0; i < RWLOCKS; i++)
		rwlock_kind[i] = below(COUNT(rwlock_kinds));
}

static void emit_lock_setup(void)
{
	static const char *const kinds[] = {
		[LOCK_NORMAL] = "NORMAL",
		[LOCK_RECURSIVE] = "RECURSIVE",
		[LOCK_ERRORCHECK] = "ERRORCHECK",
		[LOCK_ADAPTIVE] = NULL,
	};
	for (unsigned i = 0; i < MUTEXES; i++)
		if (kinds[lock_types[i]])
			printf("\tpthread_mutexattr_settype(&type, PTHREAD_MUTEX_%s);\n"
			       "\tpthread_mutex_init(&lock[%u], &type);\n",
			       kinds[lock_types[i]], i);
	for (unsigned i = 0; i < RWLOCKS; i++)
		printf("\tpthread_rwlockattr_setkind_np(&kind, PTHREAD_RWLOCK_%s);\n"
		       "\tpthread_rwlock_init(&rwlock[%u], &kind);\n",
		       rwlock_kinds[rwlock_kind[i]], i);
	for (unsigned i = 0; i < SPINS; i++)
		printf("\tpthread_spin_init(&spin[%u], PTHREAD_PROCESS_PRIVATE);\n", i);
}

#endif
