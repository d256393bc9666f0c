/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Critical sections and locks.  Each is a mutex of pthreads, so that all commands know which
 * thread holds it and which ones wait.
 *
 * A named critical section is a word in the program.  Its mutex is found by the address of the
 * word, so that it is the same one in every execution.  A lock of the program is a word, too: the
 * number of a mutex that was allocated when the lock was initialised.
 */
#include <pthread.h>
#include <stdlib.h>

#include "omp/fail.h"
#include "omp/team.h"

/* ---- critical, atomic ---- */

static pthread_mutex_t openmp_critical = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t openmp_atomic = PTHREAD_MUTEX_INITIALIZER;

#define SECTIONS 1024 /* with a name; a power of two */

static struct {
	const void *name;
	pthread_mutex_t mutex;
} openmp_critical_sections[SECTIONS];

static pthread_mutex_t *section_mutex(const void *name)
{
	size_t start = (uintptr_t)name / sizeof(void *);
	for (size_t i = 0; i < SECTIONS; i++) {
		size_t at = (start + i) % SECTIONS;
		const void **slot = &openmp_critical_sections[at].name, *found = NULL;
		if (__atomic_compare_exchange_n(slot, &found, name, false, __ATOMIC_RELAXED,
						__ATOMIC_RELAXED) ||
		    found == name)
			return &openmp_critical_sections[at].mutex;
	}
	heddle_omp_fail("tell more than 1024 critical sections apart");
}

OMP_EXPORT void GOMP_critical_start(void)
{
	pthread_mutex_lock(&openmp_critical);
}

OMP_EXPORT void GOMP_critical_end(void)
{
	pthread_mutex_unlock(&openmp_critical);
}

OMP_EXPORT void GOMP_critical_name_start(void **name)
{
	pthread_mutex_lock(section_mutex(name));
}

OMP_EXPORT void GOMP_critical_name_end(void **name)
{
	pthread_mutex_unlock(section_mutex(name));
}

OMP_EXPORT void GOMP_atomic_start(void)
{
	pthread_mutex_lock(&openmp_atomic);
}

OMP_EXPORT void GOMP_atomic_end(void)
{
	pthread_mutex_unlock(&openmp_atomic);
}

/* ---- omp_lock_t, omp_nest_lock_t ---- */

struct lock {
	pthread_mutex_t mutex;
	/* Of a lock that nests: which task holds it, and how often.  Only the holder changes
	 * them. */
	const struct task *owner;
	int depth;
};

#define LOCKS 1024 /* in a piece */
#define PIECES 4096

static struct raw_lock table_lock;
static struct lock **table[PIECES];
static uint32_t used = 1; /* number 0 is no lock */

static struct lock **slot_of(uint32_t number)
{
	struct lock **piece = number / LOCKS < PIECES ? table[number / LOCKS] : NULL;
	return piece ? &piece[number % LOCKS] : NULL;
}

static struct lock *lock_of(const uint32_t *word)
{
	struct lock **slot = slot_of(*word);
	if (!slot || !*slot)
		heddle_omp_fail("use a lock that was not initialised");
	return *slot;
}

static uint32_t number_of_new(struct lock *lock)
{
	struct lock **fresh = NULL;
	for (;;) {
		raw_lock(&table_lock);
		uint32_t number = used;
		struct lock ***piece = &table[number / LOCKS % PIECES];
		if (!*piece && fresh) {
			*piece = fresh;
			fresh = NULL;
		}
		if (*piece) {
			used++;
			(*piece)[number % LOCKS] = lock;
		}
		bool is_stored = *piece;
		raw_unlock(&table_lock);
		free(fresh);
		if (number / LOCKS >= PIECES)
			heddle_omp_fail("keep more than four million locks");
		if (is_stored)
			return number;
		fresh = heddle_omp_allocate(LOCKS * sizeof(*fresh));
	}
}

static void init_lock(uint32_t *word)
{
	struct lock *lock = heddle_omp_allocate(sizeof(*lock));
	pthread_mutex_init(&lock->mutex, NULL);
	*word = number_of_new(lock);
}

static void destroy_lock(uint32_t *word)
{
	struct lock *lock = lock_of(word);
	*slot_of(*word) = NULL;
	*word = 0;
	pthread_mutex_destroy(&lock->mutex);
	free(lock);
}

OMP_EXPORT void omp_init_lock(uint32_t *word)
{
	init_lock(word);
}

OMP_EXPORT void omp_init_lock_with_hint(uint32_t *word, int hint)
{
	(void)hint;
	init_lock(word);
}

OMP_EXPORT void omp_destroy_lock(uint32_t *word)
{
	destroy_lock(word);
}

OMP_EXPORT void omp_set_lock(uint32_t *word)
{
	pthread_mutex_lock(&lock_of(word)->mutex);
}

OMP_EXPORT void omp_unset_lock(uint32_t *word)
{
	pthread_mutex_unlock(&lock_of(word)->mutex);
}

OMP_EXPORT int omp_test_lock(uint32_t *word)
{
	return !pthread_mutex_trylock(&lock_of(word)->mutex);
}

OMP_EXPORT void omp_init_nest_lock(uint32_t *word)
{
	init_lock(word);
}

OMP_EXPORT void omp_init_nest_lock_with_hint(uint32_t *word, int hint)
{
	(void)hint;
	init_lock(word);
}

OMP_EXPORT void omp_destroy_nest_lock(uint32_t *word)
{
	destroy_lock(word);
}

static bool is_ours(const struct lock *lock)
{
	return __atomic_load_n(&lock->owner, __ATOMIC_RELAXED) == thread_self()->now.task;
}

static int deepen(struct lock *lock)
{
	__atomic_store_n(&lock->owner, thread_self()->now.task, __ATOMIC_RELAXED);
	return ++lock->depth;
}

OMP_EXPORT void omp_set_nest_lock(uint32_t *word)
{
	struct lock *lock = lock_of(word);
	if (!is_ours(lock))
		pthread_mutex_lock(&lock->mutex);
	deepen(lock);
}

OMP_EXPORT void omp_unset_nest_lock(uint32_t *word)
{
	struct lock *lock = lock_of(word);
	if (--lock->depth)
		return;
	__atomic_store_n(&lock->owner, NULL, __ATOMIC_RELAXED);
	pthread_mutex_unlock(&lock->mutex);
}

OMP_EXPORT int omp_test_nest_lock(uint32_t *word)
{
	struct lock *lock = lock_of(word);
	if (!is_ours(lock) && pthread_mutex_trylock(&lock->mutex))
		return 0;
	return deepen(lock);
}
