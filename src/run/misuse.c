/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See misuse.h.  glibc's own words in a lock say whether it is free, and which thread has it for
 * writing.  Nothing is reported unless our list of held locks agrees, so a lock that was acquired
 * unseen causes no report.
 *
 * A cycle of waits is real if every thread in it waits without a pause from the first look at it
 * to the second: then none of them can have released what it holds in between.  Each thread says
 * that it waits before it looks, so the last one sees the cycle.  Two threads that join each other
 * are no cycle: glibc refuses the second join.
 */
#include "run/misuse.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>

#include "run/found.h"
#include "run/guard.h"
#include "run/lock.h"
#include "run/memory.h"
#include "run/report.h"
#include "run/run.h"
#include "run/start.h"
#include "run/waits.h"

#define CYCLE_MAX 16
#define LOOK_PAUSE 10000000l /* nanoseconds */

enum { HELD_BY_NONE = 0, HELD_BY_SOME = -1 };

/* The thread that holds a lock for writing, or one of these. */
static int holder_of(const void *lock, enum object_kind kind)
{
	const pthread_mutex_t *m = lock;
	const pthread_rwlock_t *r = lock;
	if (kind == OBJECT_MUTEX) {
		int owner = __atomic_load_n(&m->__data.__owner, __ATOMIC_RELAXED);
		bool is_free = !__atomic_load_n(&m->__data.__lock, __ATOMIC_RELAXED);
		return owner ? owner : is_free ? HELD_BY_NONE : HELD_BY_SOME;
	}
	if (kind == OBJECT_RWLOCK) {
		int owner = __atomic_load_n(&r->__data.__cur_writer, __ATOMIC_RELAXED);
		bool is_free = !(__atomic_load_n(&r->__data.__readers, __ATOMIC_RELAXED) >> 3);
		return owner ? owner : is_free ? HELD_BY_NONE : HELD_BY_SOME;
	}
	if (kind == OBJECT_SPIN && *(const volatile int *)lock == 1)
		return HELD_BY_NONE;
	return HELD_BY_SOME;
}

static const struct held *held_by(const struct thr *t, uint32_t lock)
{
	for (uint32_t i = t->held_count; i-- > 0;)
		if (t->held[i].lock == lock)
			return &t->held[i];
	return NULL;
}

static struct thr *thread_of(int tid)
{
	for (uint32_t i = 0; tid > 0 && i < run_state.slot_count; i++) {
		struct thr *t = run_state.slots[i];
		if (t && t->is_alive && t->tid == (uint32_t)tid)
			return t;
	}
	return NULL;
}

static uint32_t index_of(struct thr *t, const void *lock, enum object_kind kind)
{
	struct object *s = object_take(t, (uintptr_t)lock, kind);
	if (!s)
		return 0;
	uint32_t index = object_index(s);
	object_put(s);
	return index;
}

static struct found found_of(struct thr *t, const void *lock, enum object_kind kind,
			     enum finding_act act, uint32_t stack)
{
	return (struct found){ .kind = FINDING_LOCK_MISUSE,
			       .status = RUN_HAPPENED,
			       .address = (uintptr_t)lock,
			       .object = kind,
			       .thr = t,
			       .act = act,
			       .epoch = t->epoch,
			       .stack = stack };
}

/* The holder's acquire is the older action; false: it is not known. */
static bool add_holder(struct found *f, const struct thr *holder, uint32_t lock)
{
	const struct held *h = holder ? held_by(holder, lock) : NULL;
	if (!h)
		return false;
	f->past = (struct past){ .slot = holder->slot,
				 .epoch = h->epoch,
				 .act = ACT_LOCK,
				 .stack = h->stack,
				 .address = f->address };
	return true;
}

void misuse_unlock(struct thr *t, const void *lock, enum object_kind kind, uint32_t stack)
{
	int holder = holder_of(lock, kind);
	if (likely(holder == (int)t->tid || holder == HELD_BY_SOME))
		return;
	uint32_t index = index_of(t, lock, kind);
	struct found f = found_of(t, lock, kind, ACT_UNLOCK, stack);
	if (!index || held_by(t, index))
		return;
	if (holder == HELD_BY_NONE || add_holder(&f, thread_of(holder), index))
		run_found(&f);
}

void misuse_destroy(struct thr *t, const void *lock, enum object_kind kind, uint32_t stack)
{
	int holder = holder_of(lock, kind);
	if (likely(holder == HELD_BY_NONE || holder == HELD_BY_SOME))
		return;
	struct found f = found_of(t, lock, kind, ACT_DESTROY, stack);
	if (add_holder(&f, thread_of(holder), index_of(t, lock, kind)))
		run_found(&f);
}

void misuse_invalid(struct thr *t, const void *lock, enum object_kind kind, uint32_t stack)
{
	/* glibc marks a destroyed mutex so. */
	if (kind != OBJECT_MUTEX || ((const pthread_mutex_t *)lock)->__data.__kind >= 0)
		return;
	struct found f = found_of(t, lock, kind, ACT_LOCK, stack);
	run_found(&f);
}

static void report_held(struct thr *t, const void *lock, enum object_kind kind,
			enum finding_act act, const struct thr *holder, uint32_t stack)
{
	struct found f = found_of(t, lock, kind, act, stack);
	if (add_holder(&f, holder, index_of(t, lock, kind)))
		run_found(&f);
}

void misuse_relock(struct thr *t, const void *lock, enum object_kind kind, uint32_t stack)
{
	/* An error-checking mutex is made for that. */
	if (kind == OBJECT_RWLOCK)
		report_held(t, lock, kind, ACT_RELOCK, t, stack);
}

/* ---- locks of the program's own ---- */

/* Another thread that holds the lock in a way that excludes this one. */
static const struct thr *excluded_holder(const struct thr *t, uint32_t lock, enum lock_mode mode)
{
	for (uint32_t i = 0; i < run_state.slot_count; i++) {
		const struct thr *other = run_state.slots[i];
		if (!other || other == t || !other->is_alive ||
		    !__atomic_load_n(&other->held_count, __ATOMIC_ACQUIRE))
			continue;
		const struct held *h = held_by(other, lock);
		if (h && (mode == HOLD_WRITE || h->mode == HOLD_WRITE))
			return other;
	}
	return NULL;
}

bool misuse_annotated_lock(struct thr *t, const void *lock, enum lock_mode mode, uint32_t stack)
{
	const struct thr *other = excluded_holder(t, index_of(t, lock, OBJECT_RWLOCK), mode);
	if (likely(!other))
		return false;
	report_held(t, lock, OBJECT_RWLOCK, ACT_LOCK, other, stack);
	t->overlapping++;
	return true;
}

bool misuse_annotated_unlock(struct thr *t, const void *lock, enum lock_mode mode, uint32_t stack)
{
	struct object *s = object_find(t, (uintptr_t)lock);
	bool was_locked = s && s->sections;
	if (s)
		object_put(s);
	/* With many locks not all are kept; one that was acquired unseen is not known. */
	if (!was_locked || t->held_count >= HELD_MAX - 1)
		return false;
	uint32_t index = index_of(t, lock, OBJECT_RWLOCK);
	const struct held *h = held_by(t, index);
	if (likely(h && h->mode == mode))
		return false;
	if (!h && t->overlapping) {
		t->overlapping--;
		return true;
	}
	const struct thr *holder = h ? t : excluded_holder(t, index, HOLD_WRITE);
	enum finding_act act = mode == HOLD_READ ? ACT_UNLOCK_READ : ACT_UNLOCK_WRITE;
	struct found f = found_of(t, lock, OBJECT_RWLOCK, h ? act : ACT_UNLOCK, stack);
	if (!holder || add_holder(&f, holder, index))
		run_found(&f);
	return false;
}

void misuse_annotated_destroy(struct thr *t, const void *lock, uint32_t stack)
{
	uint32_t index = index_of(t, lock, OBJECT_RWLOCK);
	const struct thr *holder = held_by(t, index) ? t : excluded_holder(t, index, HOLD_WRITE);
	if (holder)
		report_held(t, lock, OBJECT_RWLOCK, ACT_DESTROY, holder, stack);
}

void misuse_holds_none(struct thr *t, uint32_t stack)
{
	if (!t->held_count)
		return;
	const struct object *s = &g_objects[t->held[t->held_count - 1].lock];
	report_held(t, (const void *)s->address, s->kind, ACT_STAY, t, stack);
}

/* ---- cycles of waits ---- */

static bool is_recursive(const void *lock, enum object_kind kind)
{
	if (kind != OBJECT_MUTEX)
		return false;
	int type = ((const pthread_mutex_t *)lock)->__data.__kind & 3;
	return type == PTHREAD_MUTEX_RECURSIVE_NP || type == PTHREAD_MUTEX_ERRORCHECK_NP;
}

static struct thr *thread_of_handle(uintptr_t handle)
{
	for (uint32_t i = 0; i < run_state.slot_count; i++) {
		struct thr *t = run_state.slots[i];
		if (t && t->is_alive && t->handle == handle)
			return t;
	}
	return NULL;
}

struct thr *misuse_awaited(const struct thr *t)
{
	uintptr_t object = __atomic_load_n(&t->wait.object, __ATOMIC_SEQ_CST);
	if (!object)
		return NULL;
	return t->wait.kind == OBJECT_THREAD
		       ? thread_of_handle(object)
		       : thread_of(holder_of((const void *)object, t->wait.kind));
}

/* The thread that t waits for, if that one waits, too; its wait goes to *serial. */
static struct thr *next_of(const struct thr *t, uint32_t *serial)
{
	/* A thread that is cancelled while it joins another one does not wait any more. */
	struct thr *holder =
		t->wait.kind == OBJECT_THREAD && run_state.has_cancelled ? NULL : misuse_awaited(t);
	if (!holder || !__atomic_load_n(&holder->wait.object, __ATOMIC_SEQ_CST))
		return NULL;
	*serial = __atomic_load_n(&holder->wait.serial, __ATOMIC_SEQ_CST);
	return holder;
}

/* The threads from t back to t, and their waits; 0: there is no cycle. */
static unsigned find_cycle(struct thr *t, struct thr **cycle, uint32_t *serials)
{
	unsigned n = 0;
	cycle[n++] = t;
	for (struct thr *at = t; n < CYCLE_MAX;) {
		at = next_of(at, &serials[n]);
		if (!at || at == t)
			return at ? n : 0;
		cycle[n++] = at;
	}
	return 0;
}

static bool is_cycle(struct thr *t, struct thr **cycle, unsigned n, const uint32_t *serials)
{
	struct thr *again[CYCLE_MAX];
	uint32_t again_serials[CYCLE_MAX + 1];
	if (find_cycle(t, again, again_serials) != n)
		return false;
	for (unsigned i = 1; i < n; i++)
		if (again[i] != cycle[i] || again_serials[i] != serials[i])
			return false;
	return true;
}

static bool has_joins_only(struct thr *const *cycle, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (cycle[i]->wait.kind != OBJECT_THREAD)
			return false;
	return n <= 2;
}

/* t is in a cycle.  The process ends as soon as no other thread can go on either. */
static void wait_for_end(void)
{
	struct timespec moment = { 0, LOOK_PAUSE };
	while (!exit_others_wait())
		run_syscall(SYS_nanosleep, (long)&moment, 0, 0, 0, 0, 0);
	run_syscall(SYS_exit_group, run_state.options.exit_code, 0, 0, 0, 0, 0);
}

void misuse_wait(struct thr *t, const void *object, enum object_kind kind, uint32_t stack)
{
	struct thr *cycle[CYCLE_MAX];
	uint32_t serials[CYCLE_MAX + 1];
	bool is_own = kind != OBJECT_THREAD && holder_of(object, kind) == (int)t->tid;
	if (is_own && (is_recursive(object, kind) || kind == OBJECT_RWLOCK))
		return; /* libc refuses it */
	wait_begin(t, object, kind, stack);
	/* One that holds it for reading waits for itself. */
	if (kind == OBJECT_RWLOCK && unlikely(held_by(t, index_of(t, object, kind)))) {
		report_cycle(&t, 1);
		wait_for_end();
	}
	unsigned n = find_cycle(t, cycle, serials);
	if (unlikely(n) && has_joins_only(cycle, n))
		return;
	if (likely(!n) || !is_cycle(t, cycle, n, serials))
		return;
	report_cycle(cycle, n);
	wait_for_end();
}
