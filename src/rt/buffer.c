/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Store buffers: under TSO and PSO a store is visible to its own thread at once and to the others
 * later.
 *
 * Memory always is what the running thread sees: its buffered stores lie over what all threads
 * share.  A store is an ordinary instruction, of which a hook has only the address; when the thread
 * comes to its next hook the new value is in memory and the old one in the shadow (what events
 * explain), so both are known. While a thread runs, each of its buffered stores keeps what lies
 * below it; while it does not run, the stored value.  Exchanging the two, from the newest to the
 * oldest store when it leaves and in the other direction when it comes back, is all that a switch
 * does.  Memory and shadow are exchanged together, so reads are explained as without buffers: by
 * the thread's own newest store, else by what is shared.  What changes memory without a hook goes
 * through the exchange like the rest of the thread's view and gets lost nowhere.
 *
 *   TSO   one queue for each thread: only the oldest store may go to memory.
 *   PSO   a store may pass older ones of its thread unless they overlap, or a release lies
 *         between: a release store leaves as the oldest one only, a release fence begins a new
 *         epoch, which waits for those before it.
 *
 * Seq_cst stores, every read-modify-write, seq_cst fences, and all synchronisation find the
 * buffer empty: the stores go to memory in order first (buffer_drain), without another thread in
 * between.  That loses nothing, since the hook in front of the operation is a scheduling point at
 * which they could have gone one by one. The end of a thread is such an operation; so a join
 * finds the other buffer empty.
 *
 * A thread's own stack is memory like any other, although it is used again and again without
 * hooks: by spilled registers, frames of libraries, and wrappers of the runtime that lie where a
 * frame with a buffered store has ended.  To the thread itself an exchange shows none of that,
 * and a flush puts what was found there back.  So nothing may run on the program's stack while
 * views are exchanged: switches are made on the hook stack, and stores leave the buffer there,
 * too (hook_stack.S). What lies below a store to the stack is often known to no event, so it is
 * kept when the store is noted.
 *
 * Not buffered are stores in atomic sections, to the thread's own thread block, except its
 * variables in instrumented modules, and to its hook stack, where libc and the runtime live, what
 * libc writes to a stack, stores to the own stack while there is no room for more of those, and
 * stores longer than STORE_MAX, which drain.  When as many others wait as there is room for, the
 * oldest store goes.  While exploring there is room, of both kinds, for more than a plan will keep
 * back, or the plan would not be followed; otherwise for as many as processors have.
 *
 * Above 500 lines because stores, switches, flushes and fences read and
 * change the same list of entries, which no other file sees.
 */
#include "rt/await.h"
#include "rt/buffer.h"
#include "rt/enter.h"
#include "rt/event.h"
#include "wire/fault.h"
#include "rt/hook_stack.h"
#include "rt/hot.h"
#include "rt/libc_refused.h"
#include "rt/mem.h"
#include "rt/rt.h"
#include "rt/sched.h"
#include "rt/shadow.h"
#include "rt/signals.h"
#include "rt/thread.h"
#include "wire/explore.h"
#include "wire/sync.h"
#include "wire/wire.h"

#define OWN_STACK_MAX 64  /* stores in one buffer that are to the thread's own stack */
#define STORES_MAX 64	  /* others; the place of any of them fits into the mode byte of an event */
#define EXPLORED_MAX 8192 /* of each of the two, while exploring */
#define BATCH 64	  /* stores that are made at a time */
#define STORE_INSIDE 16	  /* bytes that need no room of their own */
#define STORE_MAX 4096

struct store {
	uintptr_t addr;
	pc_t pc;
	uint32_t size;
	uint32_t epoch; /* release fences before it */
	bool is_release, is_own_stack;
	/* While its thread runs what lies below it, otherwise what it stored; each `size` bytes. */
	uint8_t *memory, *shadow;
	struct room *large; /* of both, NULL: they are inside */
	struct store *next; /* while it is free */
	uint8_t inside[2 * STORE_INSIDE];
};

struct room {
	struct room *next; /* while no thread has it */
	uint8_t bytes[2 * STORE_MAX];
};

/* Bytes of the thread's own stack to which a store is noted that is not made yet, and their shadow.
 */
struct below {
	uintptr_t addr;
	size_t size; /* 0: none */
	uint8_t memory[STORE_MAX], shadow[STORE_MAX];
};
#define NOTED_MAX 2 /* an ordinary one and a late one */

struct store_buffer {
	uint32_t count, epoch;
	uint32_t own_stack;			/* so many of them are to the thread's own stack */
	struct store *stores[2 * EXPLORED_MAX]; /* oldest first */
	struct below noted[NOTED_MAX];
};
_Static_assert(STORES_MAX + OWN_STACK_MAX <= WIRE_FLUSH_BLOCKED,
	       "the place and the flag are one byte");

RT_STATE uint32_t buffer_model;
static RT_STATE uintptr_t main_tls_low, main_tls_high;
static RT_KEPT struct room *spare_rooms;
static RT_KEPT struct store *spare_stores;

/* ---- one store ---- */

static struct store *store_new(uint32_t size)
{
	if (!spare_stores) {
		struct store *batch = rt_map_kept(BATCH * sizeof(*batch));
		for (unsigned i = 0; i < BATCH; i++) {
			batch[i].next = spare_stores;
			spare_stores = &batch[i];
		}
	}
	struct store *s = spare_stores;
	spare_stores = s->next;
	s->size = size;
	s->large = NULL;
	s->memory = s->inside;
	s->shadow = s->inside + STORE_INSIDE;
	if (size > STORE_INSIDE) {
		s->large = spare_rooms ? spare_rooms : rt_map_kept(sizeof(*s->large));
		spare_rooms = s->large->next;
		s->memory = s->large->bytes;
		s->shadow = s->large->bytes + STORE_MAX;
	}
	return s;
}

static void store_free(struct store_buffer *b, struct store *s)
{
	s->next = spare_stores;
	spare_stores = s;
	b->own_stack -= s->is_own_stack;
	if (s->large) {
		s->large->next = spare_rooms;
		spare_rooms = s->large;
	}
}

static void exchange(uint8_t *a, uint8_t *b, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		uint8_t kept = a[i];
		a[i] = b[i];
		b[i] = kept;
	}
}

static void store_exchange(struct store *s)
{
	exchange((uint8_t *)s->addr, s->memory, s->size);
	exchange((uint8_t *)SHADOW(s->addr), s->shadow, s->size);
}

static bool overlap(const struct store *s, uintptr_t p, size_t n)
{
	return s->addr < p + n && p < s->addr + s->size;
}

/* ---- views ---- */

void buffer_prepare(struct thread *t)
{
	if (!buffer_model)
		return;
	if (!t->stores.buffer)
		t->stores.buffer = rt_map_kept(sizeof(*t->stores.buffer));
	while (t->stores.buffer->count) /* an execution that did not come to its end */
		store_free(t->stores.buffer, t->stores.buffer->stores[--t->stores.buffer->count]);
	for (unsigned i = 0; i < NOTED_MAX; i++)
		t->stores.buffer->noted[i].size = 0;
	t->stores.buffer->epoch = 0;
}

static void view_leave(const struct store_buffer *b)
{
	for (uint32_t i = b->count; i-- > 0;) {
		uint32_t place = i;
		if (FAULT(BUFFER_UNDONE_OLDEST_FIRST))
			place = b->count - 1 - i;
		store_exchange(b->stores[place]);
	}
}

static void view_enter(const struct store_buffer *b)
{
	for (uint32_t i = 0; i < b->count; i++)
		store_exchange(b->stores[i]);
}

void buffer_switch(struct thread *from, struct thread *to)
{
	view_leave(from->stores.buffer);
	view_enter(to->stores.buffer);
}

/* ---- from the buffer to memory ---- */

static bool holds_any(const struct store_buffer *b, uintptr_t p, size_t n)
{
	for (uint32_t i = 0; i < b->count; i++)
		if (overlap(b->stores[i], p, n))
			return true;
	return false;
}

/* The store at that place reaches memory; no thread's view lies over it now. */
static void flush(struct thread *t, uint32_t place)
{
	struct store_buffer *b = t->stores.buffer;
	struct store *s = b->stores[place];
	rt_memcpy((void *)s->addr, s->memory, s->size);
	if (!FAULT(FLUSH_SKIPS_SHADOW))
		rt_memcpy((void *)SHADOW(s->addr), s->shadow, s->size);
	if (g.watches)
		await_flushed(t, s->addr, s->size);
	ev_flush(s->addr, s->shadow, s->size, t->id, s->pc);
	b->count--;
	for (uint32_t i = place; i < b->count; i++)
		b->stores[i] = b->stores[i + 1];
	store_free(b, s);
	/* It may wait for this. */
	if (t->state == THREAD_BLOCKED && t->stores.awaits_flush &&
	    !holds_any(b, t->stores.drain_from, t->stores.drain_size))
		sched_wake(t, WAIT_WOKEN);
}

bool buffer_may_flush(const struct thread *t, uint32_t place)
{
	const struct store_buffer *b = t->stores.buffer;
	if (!b || place >= b->count)
		return false;
	const struct store *s = b->stores[place];
	bool is_in_order = buffer_model == MEMORY_TSO, is_release = s->is_release;
	if (FAULT(TSO_STORES_UNORDERED))
		is_in_order = false;
	if (FAULT(PSO_RELEASE_PASSES_OLDER))
		is_release = false;
	if (place && (is_in_order || is_release))
		return false;
	for (uint32_t i = 0; i < place; i++) {
		bool is_before_fence = b->stores[i]->epoch != s->epoch;
		bool is_same = overlap(b->stores[i], s->addr, s->size);
		if (FAULT(PSO_RELEASE_FENCE_IGNORED))
			is_before_fence = false;
		if (FAULT(PSO_PASSES_SAME_BYTES))
			is_same = false;
		if (is_before_fence || is_same)
			return false;
	}
	return true;
}

uint32_t buffer_count(const struct thread *t)
{
	return t->stores.buffer ? t->stores.buffer->count : 0;
}

void buffer_flush_turn(struct thread *t, uint32_t place, bool is_blocked)
{
	if (place >= WIRE_FLUSH_BLOCKED && !g.exploring)
		libc_refuse("a recording in which a store passes more than 128 others", g.hook_pc);
	ev_flush_turn(t->id, place | (is_blocked ? WIRE_FLUSH_BLOCKED : 0));
	view_leave(g.cur->stores.buffer);
	flush(t, place);
	view_enter(g.cur->stores.buffer);
}

/* The oldest `count` stores of the running thread reach memory; runs on the hook stack (see above).
 */
void buffer_flush_oldest(uint32_t count);
void buffer_flush_oldest_here(uint32_t count);
/* So do these (hook_stack.S): what they do depends on what waits in the buffer. */
void buffer_need_empty_here(void);
void buffer_drain_range_here(uintptr_t p, size_t n);
void buffer_before_here(uintptr_t p, size_t n, bool is_late, pc_t pc);
bool buffer_store_here(uintptr_t p, size_t n, unsigned mode, pc_t pc);

void buffer_flush_oldest_here(uint32_t count)
{
	struct store_buffer *b = g.cur->stores.buffer;
	view_leave(b);
	while (count--)
		flush(g.cur, 0);
	view_enter(b);
}

/*
 * The running thread goes on when its buffer has no store to that range: an explorer decides when
 * that is, and a replay of what it decided does the same, since others may have run meanwhile.
 * Where it cannot wait, inside a call into libc, the stores go at once.
 */
static void await_stores(uintptr_t p, size_t n)
{
	struct thread *self = g.cur;
	/* Where a step has drained another range before (a call that frees what it closes), both
	 * are listed as one range. */
	if (self->step.flags & OPF_DRAINED) {
		uintptr_t from = p < self->stores.drain_from ? p : self->stores.drain_from;
		uintptr_t end = p + n > self->stores.drain_from + self->stores.drain_size
					? p + n
					: self->stores.drain_from + self->stores.drain_size;
		p = from;
		n = end - from;
	}
	self->step.flags |= OPF_DRAINED;
	self->stores.drain_from = p;
	self->stores.drain_size = n;
	while (!g.no_preempt && holds_any(self->stores.buffer, p, n)) {
		self->stores.awaits_flush = true;
		sched_wait(NULL, NULL, NO_DEADLINE, false);
		self->stores.awaits_flush = false;
	}
}

/*
 * A thread that looks for signals has done so at the beginning of its step, and does so again
 * when its stores have gone.  Whether that is later than the first look depends on others, so
 * what follows is a step of its own in any case, which begins with the second look.
 */
static void await_flushes(uintptr_t p, size_t n)
{
	struct thread *self = g.cur;
	bool looks = !g.no_preempt && !(self->step.flags & OPF_DRAINED) && signal_looks(self);
	uint64_t handlers;
	do {
		handlers = self->signals.handlers_run;
		if (looks) {
			self->signals.looks_later = true;
			rt_point();
		}
		await_stores(p, n);
		if (looks) {
			self->signals.looks_later = false;
			sched_attend();
		}
	} while (self->signals.handlers_run != handlers && looks);
}

void buffer_need_empty_here(void)
{
	if (g.session->waits_for_stores)
		await_flushes(0, SIZE_MAX);
	if (buffer_count(g.cur))
		buffer_flush_oldest(buffer_count(g.cur));
}

void buffer_drain_range_here(uintptr_t p, size_t n)
{
	if (!n)
		return;
	if (g.session->waits_for_stores)
		await_flushes(p, n);
	uint32_t count = buffer_count(g.cur);
	while (count && !overlap(g.cur->stores.buffer->stores[count - 1], p, n))
		count--;
	if (count)
		buffer_flush_oldest(count);
}

void buffer_fence(unsigned mode)
{
	bool empties = mode == MODE_SEQ_CST;
	if (FAULT(SC_FENCE_KEEPS_BUFFER))
		empties = false;
	if (FAULT(ACQUIRE_FENCE_EMPTIES_BUFFER))
		empties |= mode == MODE_ACQUIRE;
	if (empties)
		buffer_need_empty();
	else if (order_releases_in_buffer(mode))
		g.cur->stores.buffer->epoch++;
}

bool buffer_forwards(uintptr_t p, size_t n)
{
	const struct store_buffer *b = g.cur->stores.buffer;
	for (size_t i = 0; i < n; i++)
		if (!holds_any(b, p + i, 1))
			return false;
	return true;
}

void buffer_look(const struct thread *t, uintptr_t p, size_t n, void *out)
{
	for (size_t i = 0; i < n; i++) {
		const struct store_buffer *own = t->stores.buffer, *over = g.cur->stores.buffer;
		const struct store *found = NULL;
		for (uint32_t k = 0; k < own->count; k++)
			if (overlap(own->stores[k], p + i, 1))
				found = own->stores[k];
		/* What the running thread's oldest store of it covers is what all share. */
		for (uint32_t k = 0; k < over->count && !found; k++)
			if (overlap(over->stores[k], p + i, 1))
				found = over->stores[k];
		((uint8_t *)out)[i] =
			found ? found->memory[p + i - found->addr] : *(const uint8_t *)(p + i);
	}
}

uintptr_t buffer_location(const struct thread *t, uint32_t place)
{
	return t->stores.buffer->stores[place]->addr;
}

/* ---- into the buffer ---- */

void buffer_init(void)
{
	buffer_model = g.session->memory;
}

void buffer_main_tls(uintptr_t low, uintptr_t high)
{
	main_tls_low = low;
	main_tls_high = high;
}

static bool is_own_stack(uintptr_t p)
{
	return p - g.stack_low < g.stack_size;
}

/* Memory of the running thread that the runtime and libc use, too; its variables in instrumented
 * modules are the program's alone. */
static bool is_runtimes(uintptr_t p)
{
	uintptr_t slot = ARENA_STACKS + g.cur->slot * ARENA_STACK_STRIDE;
	bool is_there = p - slot < ARENA_STACK_STRIDE || is_on_hook_stack(&g.cur->hook, p) ||
			(!g.cur->id && p - main_tls_low < main_tls_high - main_tls_low);
	bool is_tls = shadow_is_tls(p, g.cur->context.fs);
	if (FAULT(TLS_STORES_NOT_BUFFERED))
		is_tls = false;
	return is_there && !is_own_stack(p) && !is_tls;
}

static bool is_below(const struct below *b, uintptr_t p, size_t n)
{
	return b->addr == p && b->size == n;
}

static void note_below(uintptr_t p, size_t n, bool is_late)
{
	struct below *to = &g.cur->stores.buffer->noted[is_late],
		     *other = &g.cur->stores.buffer->noted[!is_late];
	if (is_below(other, p, n)) /* a store that was never made: it faulted */
		other->size = 0;
	to->addr = p;
	to->size = n;
	rt_memcpy(to->memory, (const void *)p, n);
	rt_memcpy(to->shadow, (const void *)SHADOW(p), n);
}

/*
 * What lies below a store that has been made.  The shadow says it, except where the bytes were not
 * what it said when the store was noted, and no thread has written to them since then, which is
 * possible before a late store.
 */
static void take_below(struct store_buffer *b, struct store *s)
{
	const uint8_t *shadow = (const uint8_t *)SHADOW(s->addr);
	struct below *noted = NULL;
	rt_memcpy(s->memory, shadow, s->size);
	rt_memcpy(s->shadow, shadow, s->size);
	for (unsigned i = 0; i < NOTED_MAX && !noted; i++)
		if (is_below(&b->noted[i], s->addr, s->size))
			noted = &b->noted[i];
	if (!noted)
		return;
	noted->size = 0;
	if (FAULT(STACK_STORE_HIDES_OLD_BYTES))
		return;
	for (uint32_t i = 0; i < s->size; i++)
		if (shadow[i] == noted->shadow[i])
			s->memory[i] = noted->memory[i];
}

void buffer_before_here(uintptr_t p, size_t n, bool is_late, pc_t pc)
{
	if (is_runtimes(p))
		return;
	if (is_own_stack(p) && n <= STORE_MAX)
		note_below(p, n, is_late);
	else if (!is_own_stack(p) && rt_memcmp((const void *)p, (const void *)SHADOW(p), n))
		shadow_mismatch(p, n, pc);
}

/* How many stores a buffer holds, if it is so many without an explorer. */
static uint32_t room(uint32_t most)
{
	bool is_explored = g.session->policy == POLICY_EXPLORE;
	if (FAULT(EXPLORED_BUFFER_SHORT))
		is_explored = false;
	return is_explored ? EXPLORED_MAX : most;
}

/*
 * Memory holds the new bytes, the shadow still the old ones, which are what lies below the store:
 * buffer_before() has made sure of it where the bytes were not known, or has noted them.
 */
bool buffer_store_here(uintptr_t p, size_t n, unsigned mode, pc_t pc)
{
	bool has_room = !is_own_stack(p) || g.cur->stores.buffer->own_stack < room(OWN_STACK_MAX);
	bool is_atomic = g.cur->atomic.depth; /* others see it at once (verifier.c) */
	bool passes_by = is_atomic || is_runtimes(p) || n > STORE_MAX || !has_room;
	if (FAULT(RELAXED_STORE_NOT_BUFFERED))
		passes_by |= mode == MODE_RELAXED;
	if (passes_by) {
		if (n > STORE_MAX && buffer_count(g.cur))
			buffer_flush_oldest(buffer_count(g.cur));
		rt_memcpy((void *)SHADOW(p), (const void *)p, n);
		return false;
	}
	struct store_buffer *b = g.cur->stores.buffer;
	struct store *s = store_new((uint32_t)n);
	s->addr = p;
	s->pc = pc;
	s->epoch = b->epoch;
	s->is_release = order_releases_in_buffer(mode);
	s->is_own_stack = is_own_stack(p);
	b->own_stack += s->is_own_stack;
	take_below(b, s);
	rt_memcpy((void *)SHADOW(p), (const void *)p, n);
	b->stores[b->count++] = s;
	return true;
}

/* After the event of the store. */
void buffer_make_room(void)
{
	if (buffer_count(g.cur) - g.cur->stores.buffer->own_stack == room(STORES_MAX))
		buffer_flush_oldest(1);
}
