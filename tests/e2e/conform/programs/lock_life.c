// A lock's state belongs to the object's life: what its memory was before does not matter.
#include "check.h"

#include <semaphore.h>

/* Locals of one function, called again and again, lie at the same place. */
static int use_mutex(void)
{
	pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
	int rc = pthread_mutex_trylock(&m);
	pthread_mutex_unlock(&m);
	return rc + pthread_mutex_destroy(&m);
}

static int use_rwlock(void)
{
	pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
	int rc = pthread_rwlock_trywrlock(&l);
	pthread_rwlock_unlock(&l);
	return rc + pthread_rwlock_destroy(&l);
}

static int use_others(unsigned value)
{
	pthread_spinlock_t spin;
	pthread_barrier_t barrier;
	sem_t sem;
	int left = -1, rc = pthread_spin_init(&spin, 0) + pthread_barrier_init(&barrier, NULL, 1) +
			    sem_init(&sem, 0, value);
	rc += pthread_spin_trylock(&spin) + pthread_spin_unlock(&spin);
	rc += pthread_barrier_wait(&barrier) != PTHREAD_BARRIER_SERIAL_THREAD;
	rc += sem_post(&sem) + sem_getvalue(&sem, &left);
	rc += left != (int)value + 1;
	return rc + pthread_spin_destroy(&spin) + pthread_barrier_destroy(&barrier) + sem_destroy(&sem);
}

CHECK(frames_that_are_left)
{
	for (int i = 0; i < 3; i++) {
		EQUAL(use_mutex(), 0);
		EQUAL(use_rwlock(), 0);
		EQUAL(use_others(i), 0);
	}
}

/* Memory that is an object of one kind after the other. */
CHECK(one_block_for_all_kinds)
{
	void *p = malloc(sizeof(pthread_rwlock_t) + sizeof(pthread_mutex_t));
	for (int i = 0; i < 2; i++) {
		EQUAL(pthread_mutex_init(p, NULL), 0);
		EQUAL(pthread_mutex_lock(p), 0);
		EQUAL(pthread_mutex_unlock(p), 0);
		EQUAL(pthread_mutex_destroy(p), 0);
		EQUAL(pthread_rwlock_init(p, NULL), 0);
		EQUAL(pthread_rwlock_rdlock(p), 0);
		EQUAL(pthread_rwlock_unlock(p), 0);
		EQUAL(pthread_rwlock_destroy(p), 0);
		EQUAL(sem_init(p, 0, 1), 0);
		EQUAL(sem_trywait(p), 0);
		EQUAL(sem_destroy(p), 0);
		EQUAL(pthread_barrier_init(p, NULL, 1), 0);
		EQUAL(pthread_barrier_wait(p), PTHREAD_BARRIER_SERIAL_THREAD);
		EQUAL(pthread_barrier_destroy(p), 0);
		EQUAL(pthread_cond_init(p, NULL), 0);
		EQUAL(pthread_cond_broadcast(p), 0);
		EQUAL(pthread_cond_destroy(p), 0);
	}
	free(p);
}

CHECK(static_initialiser_by_assignment)
{
	static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
	EQUAL(pthread_mutex_lock(&m), 0);
	EQUAL(pthread_mutex_unlock(&m), 0);
	EQUAL(pthread_mutex_destroy(&m), 0);
	m = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	EQUAL(pthread_mutex_lock(&m), 0);
	EQUAL(pthread_mutex_trylock(&m), EBUSY);
	EQUAL(pthread_mutex_unlock(&m), 0);
}

struct with_locks {
	int before;
	pthread_mutex_t m;
	pthread_rwlock_t l;
	int after;
};

/* The library writes to the object when it is made; a copy sees what it wrote. */
CHECK(objects_in_a_struct_that_is_copied)
{
	struct with_locks *a = malloc(sizeof(*a)), b;
	a->before = 1;
	a->after = 2;
	EQUAL(pthread_mutex_init(&a->m, NULL), 0);
	EQUAL(pthread_rwlock_init(&a->l, NULL), 0);
	b = *a;
	EQUAL(b.before + b.after, 3);
	EQUAL(b.m.__data.__kind, 0);
	EQUAL(pthread_mutex_destroy(&a->m), 0);
	EQUAL(pthread_rwlock_destroy(&a->l), 0);
	free(a);
}

/* Made before main, when nothing is controlled yet. */
static pthread_mutex_t early_mutex;
static pthread_barrier_t early_barrier;
static sem_t early_semaphore;

__attribute__((constructor)) static void make_early(void)
{
	pthread_mutexattr_t attr;
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&early_mutex, &attr);
	pthread_barrier_init(&early_barrier, NULL, 1);
	sem_init(&early_semaphore, 0, 3);
	sem_wait(&early_semaphore);
}

CHECK(made_before_main)
{
	int value = -1;
	EQUAL(pthread_mutex_lock(&early_mutex), 0);
	EQUAL(pthread_mutex_lock(&early_mutex), 0);
	EQUAL(pthread_mutex_unlock(&early_mutex), 0);
	EQUAL(pthread_mutex_unlock(&early_mutex), 0);
	EQUAL(pthread_barrier_wait(&early_barrier), PTHREAD_BARRIER_SERIAL_THREAD);
	EQUAL(sem_getvalue(&early_semaphore, &value), 0);
	EQUAL(value, 2);
}
