/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Synchronisation objects by address; see object.h.
 *
 * Every 64 bytes of memory have a word that begins the list of the objects in them; its top bit is
 * the lock of the list.  When the memory of an object is freed its entry is reused for another
 * object.  The number of sections continues, so that a stamp with an old section never means a
 * section of the new object.
 *
 * The last use by each thread is kept: a destruction that is not after all uses in the weak order
 * can also come before one (the pair destroy and use of OVPredict 2.8).
 */
#include "run/object.h"

#include "run/address.h"
#include "run/clock.h"
#include "run/found.h"
#include "run/guard.h"
#include "run/late.h"
#include "run/lock.h"
#include "run/memory.h"
#include "run/nest.h"
#include "run/order.h"
#include "run/run.h"
#include "run/stamp.h"
#include "run/thr.h"
#include "run/ticks.h"

#define LIST_LOCKED 0x80000000u
#define ATOMIC_MAX 16 /* bytes */

struct object *g_objects;
static struct {
	uint32_t lock;
	uint32_t count; /* entries that were ever used */
	uint32_t free;	/* list of those that can be reused */
} pool;

void object_init(void)
{
	g_objects = run_map(OBJECTS_MAX * sizeof(struct object));
	pool.count = 1; /* number 0 is no object */
}

uint32_t object_index(const struct object *s)
{
	return (uint32_t)(s - g_objects);
}

static uint32_t *list_of(uintptr_t address)
{
	return (uint32_t *)(OBJECT_LISTS_BASE + (address & ADDRESS_MASK) / 64 * 4);
}

static void unlock_list(uint32_t *list, uint32_t first)
{
	__atomic_store_n(list, first, __ATOMIC_RELEASE);
	run_leave(run_self);
}

static uint32_t lock_list(uint32_t *list)
{
	run_enter(run_self);
	for (unsigned spins = 0;;) {
		uint32_t first = __atomic_load_n(list, __ATOMIC_RELAXED) & ~LIST_LOCKED;
		if (!__atomic_compare_exchange_n(list, &first, first | LIST_LOCKED, false,
						 __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {
			run_pause(&spins);
			continue;
		}
		if (likely(!gate_stops(run_self)))
			return first;
		unlock_list(list, first);
		gate_wait();
		run_enter(run_self);
	}
}

static uint32_t new_entry(void)
{
	run_lock(&pool.lock);
	uint32_t i = pool.free;
	if (i)
		pool.free = g_objects[i].next;
	else if (pool.count < OBJECTS_MAX)
		i = pool.count++;
	else
		run_state.options.limit =
			0; /* edges of an unknown object are lost: reports could be false */
	run_unlock(&pool.lock);
	return i;
}

static bool overlaps(const struct object *s, uintptr_t address, unsigned size)
{
	return s->kind == OBJECT_ATOMIC && s->address < address + size &&
	       address < s->address + __atomic_load_n(&s->size, __ATOMIC_RELAXED);
}

static void note_mixed(void)
{
	if (!run_state.has_mixed_atomics)
		__atomic_store_n(&run_state.has_mixed_atomics, true, __ATOMIC_RELAXED);
}

/*
 * `size`, here and below: of an atomic, otherwise 0.  An annotated lock or ordering may have the
 * address of an atomic.  These are two objects: a relaxed store discards the clock of the atomic
 * and must not discard that of the annotation.
 */
static inline bool is_wanted(const struct object *s, uintptr_t address, unsigned size)
{
	return s->address == address && (s->kind == OBJECT_ATOMIC) == (size != 0);
}

static struct object *find_in_list(uintptr_t address, unsigned size, enum object_kind kind,
				   bool is_made)
{
	uint32_t *list = list_of(address);
	if (!is_made) {
		/*
		 * A thread that makes an object after this check sees what this one has stored in
		 * the shadow.
		 */
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
		if (!(__atomic_load_n(list, __ATOMIC_RELAXED) & ~LIST_LOCKED))
			return NULL;
	}
	uint32_t first = lock_list(list), i = first;
	for (; i && !is_wanted(&g_objects[i], address, size); i = g_objects[i].next)
		if (unlikely(overlaps(&g_objects[i], address, size)))
			note_mixed();
	if (!i && is_made && (i = new_entry())) {
		struct object *s = &g_objects[i];
		s->address = address;
		s->kind = kind;
		s->size = (uint8_t)size;
		s->next = first;
		first = i;
	}
	struct object *s = i ? &g_objects[i] : NULL;
	unlock_list(list, first);
	if (s)
		run_lock(&s->guard);
	/* If it was removed in between the program uses freed memory: any object will do. */
	return s;
}

/*
 * An entry that was reused has another address.  The address changes under the guard.
 */
static struct object *find_cached(struct thr *t, uintptr_t address, unsigned size,
				  enum object_kind kind, bool is_made)
{
	struct object_cached *m = cached_at(t, address);
	if (m->address == address) {
		struct object *s = &g_objects[m->index];
		run_lock(&s->guard);
		if (likely(is_wanted(s, address, size))) {
			m->clock = s->clock;
			m->reads = s->reads;
			m->use = s->uses ? &s->uses[t->slot] : NULL;
			return s;
		}
		run_unlock(&s->guard);
	}
	struct object *s = find_in_list(address, size, kind, is_made);
	if (s)
		*m = (struct object_cached){ address, object_index(s), s->clock, s->reads, NULL };
	return s;
}

struct object *object_take(struct thr *t, uintptr_t address, enum object_kind kind)
{
	return find_cached(t, address, 0, kind, true);
}

struct object *object_find(struct thr *t, uintptr_t address)
{
	return find_cached(t, address, 0, OBJECT_OTHER, false);
}

static inline struct object *with_size(struct object *s, unsigned size)
{
	if (unlikely(s && s->size != size && s->kind == OBJECT_ATOMIC)) {
		note_mixed();
		if (s->size < size)
			__atomic_store_n(&s->size, (uint8_t)size, __ATOMIC_RELAXED);
	}
	return s;
}

struct object *object_take_atomic(struct thr *t, uintptr_t address, unsigned size)
{
	return with_size(find_cached(t, address, size, OBJECT_ATOMIC, true), size);
}

struct object *object_find_atomic(struct thr *t, uintptr_t address, unsigned size)
{
	return with_size(find_cached(t, address, size, OBJECT_ATOMIC, false), size);
}

struct object *object_find_any_atomic(struct thr *t, uintptr_t address)
{
	return find_cached(t, address, 1, OBJECT_ATOMIC, false);
}

/* The next list between *from and end that is not empty, NULL: none; *from moves behind it. */
static uint32_t *next_list(uintptr_t *from, uintptr_t end)
{
	for (*from &= ~63ull; *from < end;) {
		uint32_t *list = list_of(*from);
		*from += 64;
		if (__atomic_load_n(list, __ATOMIC_RELAXED))
			return list;
	}
	return NULL;
}

void object_visit_overlapping(struct thr *t, uintptr_t address, unsigned size, object_visit *visit,
			      int argument)
{
	uintptr_t from = address - (ATOMIC_MAX - 1);
	for (uint32_t *list; (list = next_list(&from, address + size));) {
		uint32_t first = lock_list(list);
		for (uint32_t i = first; i; i = g_objects[i].next) {
			struct object *s = &g_objects[i];
			if (s->address == address || !overlaps(s, address, size))
				continue;
			run_lock(&s->guard);
			visit(t, s, argument);
			run_unlock(&s->guard);
		}
		unlock_list(list, first);
	}
}

bool object_has_any(uintptr_t address, size_t size)
{
	return next_list(&address, address + size);
}

void object_put(struct object *s)
{
	run_unlock(&s->guard);
}

static void discard(struct object *s)
{
	lock_order_forget(object_index(s));
	run_lock(&s->guard);
	clock_free(s->clock);
	clock_free(s->reads);
	clock_free(s->spilled);
	clock_free(s->old);
	for (uint32_t i = 0; s->kept && i < run_state.options.sections_kept; i++) {
		clock_free(s->kept[i].clock);
		s->kept[i] = (struct section){ .number = s->kept[i].number };
	}
	nest_destroy(s);
	struct object kept = { .sections = s->sections,
			       .spills = s->spills,
			       .kept = s->kept,
			       .uses = s->uses,
			       .uses_room = s->uses_room,
			       .readers = s->readers,
			       .readers_room = s->readers_room,
			       .exposed_old = s->exposed_old,
			       .exposed_room = s->exposed_room,
			       .guard = 1 };
	run_clear(s->uses, s->uses_room * sizeof(*s->uses));
	*s = kept;
	run_unlock(&s->guard);
	run_lock(&pool.lock);
	s->next = pool.free;
	pool.free = object_index(s);
	run_unlock(&pool.lock);
}

void object_remove(uintptr_t address, size_t size)
{
	uintptr_t from = address;
	for (uint32_t *list; (list = next_list(&from, address + size));) {
		uint32_t first = lock_list(list), *link = &first;
		while (*link) {
			struct object *s = &g_objects[*link];
			if (s->address - address < size) {
				*link = s->next;
				discard(s);
			} else {
				link = &s->next;
			}
		}
		unlock_list(list, first);
	}
}

/* ---- uses and destruction ---- */

void object_use(struct thr *t, struct object *s, enum finding_act act, uint32_t stack)
{
	if (t->slot >= s->uses_room) {
		uint32_t room = 4;
		while (room <= t->slot)
			room *= 2;
		struct use *uses = run_alloc(room * sizeof(*uses));
		run_copy(uses, s->uses, s->uses_room * sizeof(*uses));
		s->uses = uses;
		s->uses_room = room;
	}
	/*
	 * A stamp is needed only for its locks.  Otherwise epochs without accesses would need one
	 * for each use.
	 */
	s->uses[t->slot] = (struct use){ t->epoch, stack, t->held_count ? stamp_now(t) : 0, act };
}

#define PAIRS_MAX 16

static unsigned unordered_uses(struct thr *t, struct object *s, struct past *out, unsigned n)
{
	late_receive(t);
	for (uint32_t i = 0; i < s->uses_room && n < PAIRS_MAX; i++) {
		const struct use *u = &s->uses[i];
		if (!u->epoch || (seen_hb(t, i, u->epoch) &&
				  (seen_weak(t, i, u->epoch) || !run_state.options.is_predicting)))
			continue;
		out[n++] = (struct past){ .stamp = u->stamp,
					  .slot = (uint16_t)i,
					  .epoch = u->epoch,
					  .act = u->act,
					  .stack = u->stack,
					  .address = s->address };
	}
	run_clear(s->uses, s->uses_room * sizeof(*s->uses));
	return n;
}

static void pair_with_uses(struct thr *t, const struct past *uses, unsigned n, struct found f)
{
	for (unsigned i = 0; i < n; i++) {
		f.status = seen_hb(t, uses[i].slot, uses[i].epoch) ? RUN_PREDICTED : RUN_UNORDERED;
		f.past = uses[i];
		if (f.kind == FINDING_DESTROY_IN_USE)
			f.address = uses[i].address;
		else
			f.past.address = f.address;
		report_or_defer(t, &f);
	}
}

void object_destroy_as(struct thr *t, uintptr_t address, uintptr_t name, enum finding_kind kind,
		       enum finding_act act, uint32_t stack)
{
	struct past uses[PAIRS_MAX];
	struct object *s = object_find(t, address);
	if (!s)
		return;
	unsigned n = unordered_uses(t, s, uses, 0);
	object_put(s);
	pair_with_uses(t, uses, n,
		       (struct found){ .kind = kind,
				       .address = name,
				       .thr = t,
				       .act = act,
				       .epoch = t->epoch,
				       .stack = stack });
}

/* Pairs are reported without guards: a report needs locks of the dynamic linker. */
void object_destroy(struct thr *t, uintptr_t address, size_t size, enum finding_act act,
		    uint32_t stack)
{
	struct past uses[PAIRS_MAX];
	unsigned n = 0;
	uintptr_t from = address;
	for (uint32_t *list; (list = next_list(&from, address + size));) {
		uint32_t first = lock_list(list);
		for (uint32_t i = first; i; i = g_objects[i].next) {
			struct object *s = &g_objects[i];
			/* The uses of an atomic are accesses, which are in the shadow. */
			if (s->address - address >= size || s->kind == OBJECT_ATOMIC)
				continue;
			run_lock(&s->guard);
			n = unordered_uses(t, s, uses, n);
			run_unlock(&s->guard);
		}
		unlock_list(list, first);
	}
	pair_with_uses(t, uses, n,
		       (struct found){ .kind = FINDING_DESTROY_IN_USE,
				       .thr = t,
				       .act = act,
				       .epoch = t->epoch,
				       .stack = stack });
}

/* ---- hard edges ---- */

void object_send(struct thr *t, struct object *s)
{
	lock_catch_up(t);
	clock_send(t, &s->clock);
	s->known_by = 0;
	thr_tick(t);
}

void object_receive(struct thr *t, struct object *s)
{
	clock_join(t, s->clock);
}
