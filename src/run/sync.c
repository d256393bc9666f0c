/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Synchronisation objects by address.
 *
 * Every 64 bytes of memory have a word that begins the list of the objects in them; its top bit
 * is the list's lock.  An object stays until its memory is given back, and then its entry is used
 * for another one: the number of sections goes on counting, so that stamps which name an old
 * section never mean one of the new object.
 *
 * Uses are kept for each thread, the last one: a destruction that the weak order does not place
 * after all of them can also come before one (the pair destroy and use of OVPredict 2.8).
 */
#include "run/ticks.h"

#define LIST_LOCKED 0x80000000u
#define ATOMIC_MAX 16 /* bytes */

struct sync *g_syncs;
static struct {
	uint32_t lock;
	uint32_t count; /* entries that were ever used */
	uint32_t free;	/* list of those given back */
} pool;

void sync_init(void)
{
	g_syncs = run_map(SYNCS_MAX * sizeof(struct sync));
	pool.count = 1; /* number 0 is no object */
}

uint32_t sync_index(const struct sync *s)
{
	return (uint32_t)(s - g_syncs);
}

static uint32_t *list_of(uintptr_t address)
{
	return (uint32_t *)(SYNC_BASE + (address & ADDRESS_MASK) / 64 * 4);
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
		pool.free = g_syncs[i].next;
	else if (pool.count < SYNCS_MAX)
		i = pool.count++;
	else
		g.options.limit =
			0; /* an object whose edges are not known would make false reports */
	run_unlock(&pool.lock);
	return i;
}

static bool overlaps(const struct sync *s, uintptr_t address, unsigned size)
{
	return s->kind == SYNC_ATOMIC && s->address < address + size &&
	       address < s->address + __atomic_load_n(&s->size, __ATOMIC_RELAXED);
}

static void note_odd(void)
{
	if (!g.has_odd_atomics)
		__atomic_store_n(&g.has_odd_atomics, true, __ATOMIC_RELAXED);
}

/*
 * `size`: of an atomic, otherwise 0; so it is in what follows.  An annotated lock or ordering may
 * have the address of an atomic.  These are two objects: a relaxed store ends what the atomic
 * handed over, not what the annotation did.
 */
static inline bool is_wanted(const struct sync *s, uintptr_t address, unsigned size)
{
	return s->address == address && (s->kind == SYNC_ATOMIC) == (size != 0);
}

static struct sync *look(uintptr_t address, unsigned size, enum sync_kind kind, bool is_made)
{
	uint32_t *list = list_of(address);
	if (!is_made) {
		/*
		 * What the thread has stored in the shadow is seen by whoever makes an object
		 * after this look.
		 */
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
		if (!(__atomic_load_n(list, __ATOMIC_RELAXED) & ~LIST_LOCKED))
			return NULL;
	}
	uint32_t first = lock_list(list), i = first;
	for (; i && !is_wanted(&g_syncs[i], address, size); i = g_syncs[i].next)
		if (unlikely(overlaps(&g_syncs[i], address, size)))
			note_odd();
	if (!i && is_made && (i = new_entry())) {
		struct sync *s = &g_syncs[i];
		s->address = address;
		s->kind = kind;
		s->size = (uint8_t)size;
		s->next = first;
		first = i;
	}
	struct sync *s = i ? &g_syncs[i] : NULL;
	unlock_list(list, first);
	if (s)
		run_lock(&s->guard);
	/* Freed in between, by a program that still uses it: as good as none. */
	return s;
}

/* An entry that is another object by now has another address, which is changed under its guard. */
static struct sync *look_first(struct thr *t, uintptr_t address, unsigned size, enum sync_kind kind,
			       bool is_made)
{
	struct met *m = met_at(t, address);
	if (m->address == address) {
		struct sync *s = &g_syncs[m->index];
		run_lock(&s->guard);
		if (likely(is_wanted(s, address, size))) {
			m->clock = s->clock;
			m->reads = s->reads;
			return s;
		}
		run_unlock(&s->guard);
	}
	struct sync *s = look(address, size, kind, is_made);
	if (s)
		*m = (struct met){ address, sync_index(s), s->clock, s->reads };
	return s;
}

struct sync *sync_get(struct thr *t, uintptr_t address, enum sync_kind kind)
{
	return look_first(t, address, 0, kind, true);
}

struct sync *sync_find(struct thr *t, uintptr_t address)
{
	return look_first(t, address, 0, SYNC_OTHER, false);
}

static inline struct sync *with_size(struct sync *s, unsigned size)
{
	if (unlikely(s && s->size != size && s->kind == SYNC_ATOMIC)) {
		note_odd();
		if (s->size < size)
			__atomic_store_n(&s->size, (uint8_t)size, __ATOMIC_RELAXED);
	}
	return s;
}

struct sync *sync_get_atomic(struct thr *t, uintptr_t address, unsigned size)
{
	return with_size(look_first(t, address, size, SYNC_ATOMIC, true), size);
}

struct sync *sync_find_atomic(struct thr *t, uintptr_t address, unsigned size)
{
	return with_size(look_first(t, address, size, SYNC_ATOMIC, false), size);
}

struct sync *sync_find_any_atomic(struct thr *t, uintptr_t address)
{
	return look_first(t, address, 1, SYNC_ATOMIC, false);
}

/* The next list between *from and end that is not empty, NULL: none; *from goes on behind it. */
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

void sync_around(struct thr *t, uintptr_t address, unsigned size, sync_visit *visit, int argument)
{
	uintptr_t from = address - (ATOMIC_MAX - 1);
	for (uint32_t *list; (list = next_list(&from, address + size));) {
		uint32_t first = lock_list(list);
		for (uint32_t i = first; i; i = g_syncs[i].next) {
			struct sync *s = &g_syncs[i];
			if (s->address == address || !overlaps(s, address, size))
				continue;
			run_lock(&s->guard);
			visit(t, s, argument);
			run_unlock(&s->guard);
		}
		unlock_list(list, first);
	}
}

bool sync_has_any(uintptr_t address, size_t size)
{
	return next_list(&address, address + size);
}

void sync_put(struct sync *s)
{
	run_unlock(&s->guard);
}

static void give_back(struct sync *s)
{
	lock_order_forget(sync_index(s));
	run_lock(&s->guard);
	clock_free(s->clock);
	clock_free(s->reads);
	clock_free(s->spilled);
	clock_free(s->old);
	for (uint32_t i = 0; s->kept && i < g.options.sections_kept; i++) {
		clock_free(s->kept[i].clock);
		s->kept[i] = (struct section){ .number = s->kept[i].number };
	}
	nest_end(s);
	struct sync kept = { .sections = s->sections,
			     .spills = s->spills,
			     .kept = s->kept,
			     .uses = s->uses,
			     .uses_room = s->uses_room,
			     .readers = s->readers,
			     .readers_room = s->readers_room,
			     .gone = s->gone,
			     .gone_room = s->gone_room,
			     .guard = 1 };
	run_clear(s->uses, s->uses_room * sizeof(*s->uses));
	*s = kept;
	run_unlock(&s->guard);
	run_lock(&pool.lock);
	s->next = pool.free;
	pool.free = sync_index(s);
	run_unlock(&pool.lock);
}

void sync_forget(uintptr_t address, size_t size)
{
	uintptr_t from = address;
	for (uint32_t *list; (list = next_list(&from, address + size));) {
		uint32_t first = lock_list(list), *link = &first;
		while (*link) {
			struct sync *s = &g_syncs[*link];
			if (s->address - address < size) {
				*link = s->next;
				give_back(s);
			} else {
				link = &s->next;
			}
		}
		unlock_list(list, first);
	}
}

/* ---- uses and the end of an object ---- */

void sync_use(struct thr *t, struct sync *s, enum finding_act act, uint32_t stack)
{
	if (t->slot >= s->uses_room) {
		uint32_t room = 4;
		while (room <= t->slot)
			room *= 2;
		struct use *uses = run_pool(room * sizeof(*uses));
		run_copy(uses, s->uses, s->uses_room * sizeof(*uses));
		s->uses = uses;
		s->uses_room = room;
	}
	/*
	 * A stamp is needed only if it has locks; the stamp of an epoch without accesses would be
	 * one for each use.
	 */
	s->uses[t->slot] = (struct use){ t->epoch, stack, t->held_count ? stamp_now(t) : 0, act };
}

#define PAIRS_MAX 16

static unsigned unordered_uses(struct thr *t, struct sync *s, struct past *out, unsigned n)
{
	late_see(t);
	for (uint32_t i = 0; i < s->uses_room && n < PAIRS_MAX; i++) {
		const struct use *u = &s->uses[i];
		if (!u->epoch || (seen_hb(t, i, u->epoch) &&
				  (seen_weak(t, i, u->epoch) || !g.options.is_predicting)))
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
		target_pair(t, &f);
	}
}

void sync_end_as(struct thr *t, uintptr_t address, uintptr_t name, enum finding_kind kind,
		 enum finding_act act, uint32_t stack)
{
	struct past uses[PAIRS_MAX];
	struct sync *s = sync_find(t, address);
	if (!s)
		return;
	unsigned n = unordered_uses(t, s, uses, 0);
	sync_put(s);
	pair_with_uses(t, uses, n,
		       (struct found){ .kind = kind,
				       .address = name,
				       .thr = t,
				       .act = act,
				       .epoch = t->epoch,
				       .stack = stack });
}

/* Pairs are told when no guard is held any more: telling needs the dynamic linker's locks. */
void sync_end(struct thr *t, uintptr_t address, size_t size, enum finding_act act, uint32_t stack)
{
	struct past uses[PAIRS_MAX];
	unsigned n = 0;
	uintptr_t from = address;
	for (uint32_t *list; (list = next_list(&from, address + size));) {
		uint32_t first = lock_list(list);
		for (uint32_t i = first; i; i = g_syncs[i].next) {
			struct sync *s = &g_syncs[i];
			/* The uses of an atomic are accesses, which the shadow has. */
			if (s->address - address >= size || s->kind == SYNC_ATOMIC)
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

void sync_send(struct thr *t, struct sync *s)
{
	lock_catch_up(t);
	clock_publish(t, &s->clock);
	thr_tick(t);
}

void sync_receive(struct thr *t, struct sync *s)
{
	clock_receive(t, s->clock);
}
