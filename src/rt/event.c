/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events that are not on the hottest path, and the general form of memory accesses.  Nothing here
 * schedules; callers have settled pending writes (or are settling them).
 */
#include "rt/await.h"
#include "rt/buffer.h"
#include "rt/chunk.h"
#include "rt/event.h"
#include "rt/explore.h"
#include "rt/explore_snapshot.h"
#include "rt/hot.h"
#include "rt/mem.h"
#include "rt/openmp.h"
#include "rt/ring.h"
#include "rt/rounds.h"
#include "rt/rt.h"
#include "rt/rwlock.h"
#include "rt/sync.h"
#include "rt/thread.h"
#include "rt/unwind.h"
#include "wire/explore.h"
#include "wire/sync.h"
#include "wire/wire.h"

/* On the hook stack, by their names without _here (hook_stack.S): flags and places in the ring
 * differ in a replay. */
void ev_access_here(unsigned kind, const volatile void *addr, size_t size, unsigned mode,
		    unsigned flags, pc_t pc);
void ev_rmw_packed_here(const volatile void *addr, size_t size, const void *old_value,
			const void *new_value, unsigned mode_and_flags, pc_t pc);
void ev_sync_here(unsigned kind, uintptr_t obj, unsigned mode, uint64_t a, uint64_t b, pc_t pc);
void ev_note_here(const char *text);
void ev_block_here(unsigned kind, uintptr_t addr, uint64_t size, uint64_t a, unsigned flags,
		   pc_t pc);
void explore_hidden_here(uintptr_t object, unsigned mode, uint64_t value, pc_t pc);
void explore_look_here(uintptr_t object, unsigned mode, pc_t pc);
void explore_failed_join_here(const struct thread *t, pc_t pc);
void ev_text_here(unsigned kind, uintptr_t obj, uint64_t a, uint64_t b, const char *text, pc_t pc);
void ev_data_here(unsigned kind, uintptr_t obj, uint64_t a, const void *bytes, size_t len, pc_t pc);

static uint64_t load_value(const volatile void *addr, size_t size)
{
	uint64_t v = 0;
	switch (size) {
	case 1:
		return *(const volatile uint8_t *)addr;
	case 2:
		return *(const volatile uint16_t __attribute__((may_alias)) *)addr;
	case 4:
		return *(const volatile uint32_t __attribute__((may_alias)) *)addr;
	case 8:
		return *(const volatile uint64_t __attribute__((may_alias)) *)addr;
	}
	rt_memcpy(&v, (const void *)addr, size);
	return v;
}

/* Record with a byte run; words is what precedes the run. */
static void ring_bytes(uint64_t addr, unsigned kind, unsigned size, pc_t pc, unsigned flags,
		       const uint64_t *words, unsigned nwords, const void *bytes1,
		       const void *bytes2, size_t len)
{
	uint64_t run = (len + 7) / 8, extra = nwords + run * (bytes2 ? 2 : 1);
	uint64_t need = 3 + extra;
	ring_close_chunk();
	if (g.out + need > g.out_limit)
		ring_wait_space(need);
	uint64_t *w = g.out;
	w[0] = (addr & RING_ADDR_MASK) | (uint64_t)kind << 48 | (uint64_t)size << 56;
	unsigned i = 2;
	if (extra >= WIRE_EXTRA_LONG) {
		w[1] = (pc & RING_ADDR_MASK) | (uint64_t)flags << 48 |
		       (uint64_t)WIRE_EXTRA_LONG << 56;
		w[i++] = extra;
	} else {
		w[1] = (pc & RING_ADDR_MASK) | (uint64_t)flags << 48 | extra << 56;
	}
	for (unsigned k = 0; k < nwords; k++)
		w[i++] = words[k];
	for (int part = 0; part < (bytes2 ? 2 : 1); part++) {
		if (run)
			w[i + run - 1] = 0;
		rt_memcpy(w + i, part ? bytes2 : bytes1, len);
		i += (unsigned)run;
	}
	ring_commit(i);
}

static uint64_t hash_of(const unsigned char *p, size_t n)
{
	uint64_t h = n * 0x9e3779b97f4a7c15ull;
	for (size_t i = 0; i < n; i++)
		h = (h ^ p[i]) * 0x100000001b3ull;
	return h;
}

/* For the recognition of spinning: reads, and what lasts. */
static void watch_access(unsigned kind, const volatile void *addr, size_t size, pc_t pc)
{
	if (kind == EV_READ)
		await_read((uintptr_t)addr, size, pc);
	else if (kind == EV_WRITE)
		await_wrote((uintptr_t)addr, size, false, pc);
}

static void watch_rmw(const volatile void *addr, size_t size, bool changes, pc_t pc)
{
	if (changes)
		await_wrote((uintptr_t)addr, size, true, pc);
	else
		await_read((uintptr_t)addr, size, pc);
}

/*
 * A lock that a round of a loop may take and release.  Whether a wait with a deadline succeeds, and
 * whether the owner of a robust mutex has died, depends on other threads, and may differ each time.
 * A waiting writer keeps others from reading a lock that prefers writers.
 */
static bool is_plain_lock(unsigned kind, uintptr_t object, unsigned mode)
{
	bool is_rwlock = sync_is_rwlock(mode);
	bool is_of_kind = is_rwlock || mode == SYNC_MUTEX || mode == SYNC_SPIN;
	const struct sync *s = is_of_kind ? sync_find(object) : NULL;
	bool may_fail = kind == EV_ACQUIRE && g.cur->step.acquires_by & OPF_TIMED;
	return s && s->robust == ROBUST_NOT && !may_fail &&
	       !(is_rwlock && rwlock_lets_writers_first(s));
}

static void watch_sync(unsigned kind, uint64_t object, unsigned mode, uint64_t depth, pc_t pc)
{
	rounds_sync(kind, object, mode, depth, pc);
	switch (kind) {
	case EV_FENCE:
		if (buffer_model == MEMORY_PSO && order_releases_in_buffer(mode))
			await_stored_again();
		return;
	case EV_BRANCH:
	case EV_YIELD:
	case EV_AWAIT:
		return;
	case EV_TRY_FAIL:
		await_found_taken(object);
		await_tried(object, mode, pc);
		return;
	case EV_TIMEOUT:
		await_found_taken(object);
		break;
	case EV_REQUEST:
		if (is_plain_lock(kind, object, mode))
			return;
		break;
	case EV_ACQUIRE:
		if (depth != 1 || !is_plain_lock(kind, object, mode))
			break;
		await_locked(object, mode, g.cur->step.acquires_by & OPF_TRY, pc);
		return;
	case EV_RELEASE:
		if (depth || !is_plain_lock(kind, object, mode))
			break;
		await_unlocked(object);
		return;
	case EV_SLEEP:
		await_slept();
		return;
	case EV_CLOCK:
		await_looked();
		return;
	case EV_CHOICE:
		await_choice();
		return;
	}
	await_effect();
}

/* An access as an operation; the initial content of memory is not needed by an explorer. */
static void explore_access(unsigned kind, const volatile void *addr, size_t size, unsigned mode,
			   unsigned flags, pc_t pc)
{
	snapshot_saw((uintptr_t)addr);
	if (kind == EV_INITIAL)
		return;
	if (kind == EV_OUTSIDE_WRITE)
		explore_saw_outside_write();
	if ((uintptr_t)addr - g.stack_low < g.stack_size)
		flags |= EVF_STACK;
	if (buffer_is_on() && kind == EV_READ && buffer_forwards((uintptr_t)addr, size))
		flags |= OPF_FORWARDED;
	uint64_t v = size <= 8 ? load_value(addr, size)
			       : hash_of((const unsigned char *)(uintptr_t)addr, size);
	explore_op(kind, (uintptr_t)addr, v, size, mode, flags, pc);
}

void ev_access_here(unsigned kind, const volatile void *addr, size_t size, unsigned mode,
		    unsigned flags, pc_t pc)
{
	if (unlikely(g.watches))
		watch_access(kind, addr, size, pc);
	if (unlikely(g.exploring)) {
		explore_access(kind, addr, size, mode, flags, pc);
		return;
	}
	if (unlikely(openmp_owns_code(pc)))
		pc = openmp_program_place(pc);
	flags |= ring_event();
	if ((uintptr_t)addr - g.stack_low < g.stack_size)
		flags |= EVF_STACK;
	if (size <= WIRE_MAX_DATA)
		known_shown((uintptr_t)addr, size);
	else if (kind != EV_READ)
		known_forget((uintptr_t)addr, size);
	if (size <= 8) {
		uint64_t v = load_value(addr, size);
		uint64_t *w =
			ring_begin((uintptr_t)addr, kind, (unsigned)size, pc, flags, mode ? 2 : 1);
		w[0] = v;
		/* otherwise there is no room: the tool may not have read what lies there yet */
		if (mode)
			w[1] = mode;
		ring_commit(mode ? 4 : 3);
		return;
	}
	uint64_t count = size | (uint64_t)mode << 56;
	if (size > WIRE_MAX_DATA) {
		uint64_t *w = ring_begin((uintptr_t)addr, kind, WIRE_SIZE_LONG, pc,
					 flags | EVF_HASHED, 2);
		w[0] = count;
		w[1] = hash_of((const unsigned char *)(uintptr_t)addr, size);
		ring_commit(4);
		return;
	}
	ring_bytes((uintptr_t)addr, kind, WIRE_SIZE_LONG, pc, flags, &count, 1,
		   (const void *)(uintptr_t)addr, NULL, size);
}

void ev_rmw_packed_here(const volatile void *addr, size_t size, const void *old_value,
			const void *new_value, unsigned mode_and_flags, pc_t pc)
{
	unsigned mode = mode_and_flags & 0xff, flags = mode_and_flags >> 8;
	if (unlikely(g.watches))
		watch_rmw(addr, size, rt_memcmp(old_value, new_value, size), pc);
	if (unlikely(g.exploring)) {
		explore_access(EV_RMW, addr, size, mode, flags, pc);
		return;
	}
	if (unlikely(openmp_owns_code(pc)))
		pc = openmp_program_place(pc);
	flags |= ring_event();
	if ((uintptr_t)addr - g.stack_low < g.stack_size)
		flags |= EVF_STACK;
	known_shown((uintptr_t)addr, size);
	if (size <= 8) {
		uint64_t *w = ring_begin((uintptr_t)addr, EV_RMW, (unsigned)size, pc, flags, 3);
		w[0] = load_value(old_value, size);
		w[1] = load_value(new_value, size);
		w[2] = mode;
		ring_commit(5);
		return;
	}
	uint64_t count = size | (uint64_t)mode << 56;
	ring_bytes((uintptr_t)addr, EV_RMW, WIRE_SIZE_LONG, pc, flags, &count, 1, old_value,
		   new_value, size);
}

/*
 * Like a switch, these two say nothing about what the running thread does: they leave its flags
 * and its call stack alone.
 */
void ev_flush(uintptr_t addr, const void *bytes, size_t size, uint32_t thread, pc_t pc)
{
	if (unlikely(g.exploring)) {
		explore_flush(thread, addr,
			      size <= 8 ? load_value(bytes, size) : hash_of(bytes, size), size, pc);
		return;
	}
	if (unlikely(g.events_left-- == 0))
		ring_until_reached();
	uint64_t words[2] = { thread, size };
	ring_bytes(addr, EV_FLUSH, 0, pc, 0, words, 2, bytes, NULL, size);
}

void ev_flush_turn(uint32_t thread, uint32_t place)
{
	if (unlikely(g.exploring))
		return;
	if (unlikely(g.events_left-- == 0))
		ring_until_reached();
	uint64_t *w = ring_begin(0, EV_FLUSH_TURN, 0, 0, 0, 3);
	w[0] = place;
	w[1] = rt_hooks();
	w[2] = thread;
	ring_commit(5);
}

void ev_sync_here(unsigned kind, uintptr_t obj, unsigned mode, uint64_t a, uint64_t b, pc_t pc)
{
	if (unlikely(g.watches))
		watch_sync(kind, obj, mode, a, pc);
	if (unlikely(g.exploring)) {
		explore_sync(kind, obj, mode, a, b, pc);
		return;
	}
	if (kind == EV_ACQUIRE || kind == EV_SEM_WAIT || kind == EV_JOIN) {
		b = (g.cur->step.acquires_by & (OPF_TRY | OPF_TIMED)) != 0;
		g.cur->step.acquires_by = 0;
	}
	pc = rt_program_place(pc);
	unsigned flags = ring_event();
	uint64_t *w = ring_begin(obj, kind, 0, pc, flags, 3);
	w[0] = mode;
	w[1] = a;
	w[2] = b;
	ring_commit(5);
}

/* Nothing in a run that no explorer asked for. */
void explore_hidden_here(uintptr_t object, unsigned mode, uint64_t value, pc_t pc)
{
	if (g.exploring)
		ev_sync_here(EV_HIDDEN, object, mode, value, 0, pc);
}

/* Nothing that makes a round of a loop differ from the one before. */
void explore_look_here(uintptr_t object, unsigned mode, pc_t pc)
{
	if (g.exploring)
		explore_op(EV_HIDDEN, object, 0, 0, mode, 0, pc);
}

void explore_failed_join_here(const struct thread *t, pc_t pc)
{
	if (g.exploring)
		explore_op(EV_JOIN, t->id, 0, 0, 0, EVF_FAILED | OPF_TRY, pc);
}

void ev_block_here(unsigned kind, uintptr_t addr, uint64_t size, uint64_t a, unsigned flags,
		   pc_t pc)
{
	if (unlikely(g.watches)) {
		await_effect();
		rounds_effect(g.cur);
	}
	if (unlikely(g.exploring)) {
		explore_op(kind, addr, a, size, 0, flags, pc);
		return;
	}
	pc = rt_program_place(pc);
	flags |= ring_event();
	if (kind == EV_FREE)
		known_forget(addr, size);
	uint64_t *w = ring_begin(addr, kind, 0, pc, flags, 2);
	w[0] = size;
	w[1] = a;
	ring_commit(4);
}

static void with_bytes(unsigned kind, uintptr_t obj, uint64_t a, uint64_t b, const void *bytes,
		       size_t len, pc_t pc)
{
	if (unlikely(g.exploring)) {
		if (kind == EV_FAILURE)
			explore_failure(obj, a, b, bytes, len, pc);
		return;
	}
	pc = rt_program_place(pc);
	unsigned flags = ring_event();
	if (len > WIRE_MAX_DATA)
		len = WIRE_MAX_DATA;
	uint64_t words[4] = { 0, a, b, len };
	ring_bytes(obj, kind, 0, pc, flags, words, 4, bytes, NULL, len);
}

void ev_text_here(unsigned kind, uintptr_t obj, uint64_t a, uint64_t b, const char *text, pc_t pc)
{
	with_bytes(kind, obj, a, b, text, rt_strlen(text), pc);
}

void ev_data_here(unsigned kind, uintptr_t obj, uint64_t a, const void *bytes, size_t len, pc_t pc)
{
	with_bytes(kind, obj, a, 0, bytes, len, pc);
}

void ev_module(uintptr_t base, uint64_t size, uint64_t flags, const char *path)
{
	uint64_t words[2] = { size, flags };
	canonical_add_module(base, size);
	if (g.exploring)
		return;
	ring_bytes(base, WIRE_MODULE, 0, 0, 0, words, 2, path, NULL, rt_strlen(path));
}

void ev_module_gone(uintptr_t base)
{
	canonical_drop_module(base);
	if (g.exploring)
		return;
	ring_begin(base, WIRE_MODULE_GONE, 0, 0, 0, 0);
	ring_commit(2);
}

void ev_region(uintptr_t start, uint64_t size, uint64_t kind, uint64_t thread)
{
	canonical_add_region(start, size);
	if (g.exploring)
		return;
	uint64_t *w = ring_begin(start, WIRE_REGION, 0, 0, 0, 3);
	w[0] = size;
	w[1] = kind;
	w[2] = thread;
	ring_commit(5);
}

void ev_note_here(const char *text)
{
	if (g.exploring)
		return;
	ring_bytes(0, WIRE_NOTE, 0, 0, 0, NULL, 0, text, NULL, rt_strlen(text));
}
