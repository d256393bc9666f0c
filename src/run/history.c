/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Histories and stacks; see history.h.
 *
 * A history is a ring of parts.  Each part begins with a copy of the call stack at its first
 * event, so that it can be read without the parts before it.  An event is one word: the entry of
 * a function (its return address), the exit from one, or an access, packed as address, size, kind
 * and the distance from the program counter of the last event.  An access with a larger distance
 * takes two words.
 *
 * A stamp has the position in the history at which it was made; the access that a cell stands for
 * is the first matching one from there on.  Positions are numbers modulo 2^32.  The thread may
 * continue to write while another one reads: the reader compares the part's serial number before
 * and after, and uses nothing that was overwritten.
 *
 * Stacks by number: a number stands for (number of the caller's stack, return address), hashed.
 * Every frame keeps the number of the stack up to it, so that the current stack costs one lookup
 * for each new frame.
 */
#include "run/history.h"

#include "run/address.h"
#include "run/found.h"
#include "run/guard.h"
#include "run/memory.h"
#include "run/run.h"
#include "run/stamp.h"
#include "run/thr.h"

#define SNAPSHOT 128
#define FRAMES_MAX (1u << 16)
#define FRAMES_SOFT 1000 /* at this depth frames that longjmp left are removed */

/*
 * Low 16 bits of an event that is no short access.  The next bit: 0 entry or exit, 1 access in
 * two words.
 */
#define OTHER 0x8000u
#define OTHER_ENTER OTHER
#define OTHER_FAR (OTHER | 0x10000u)
#define OTHER_BITS 17
/* In the second word of an access of two words: the memory is freed. */
#define FAR_FREE 1u

struct history_part {
	/* position of the first event / PART_WORDS, plus 1; 0 while the part is initialised */
	uint32_t serial;
	uint32_t depth;
	uintptr_t frames[SNAPSHOT]; /* the innermost ones, outermost first */
	uint64_t events[PART_WORDS];
};

static struct history_part *part_of(const struct history *h, uint32_t serial)
{
	return &h->parts[serial % h->part_count];
}

static __attribute__((noinline)) void next_part(struct history *h)
{
	if (h->next)
		*h->next = OTHER_FAR; /* nothing follows; there is always room for it */
	h->serial++;
	struct history_part *p = part_of(h, h->serial);
	__atomic_store_n(&p->serial, 0, __ATOMIC_RELEASE);
	unsigned depth = (unsigned)(h->top - h->frames),
		 from = depth > SNAPSHOT ? depth - SNAPSHOT : 0;
	for (unsigned i = from; i < depth; i++)
		p->frames[i - from] = h->frames[i + 1].call;
	p->depth = depth - from;
	h->next = h->first = p->events;
	/* an access of two words and the end always fit */
	h->end = p->events + PART_WORDS - 3;
	h->last_pc = 0;
	__atomic_store_n(&p->serial, h->serial + 1, __ATOMIC_RELEASE);
}

void history_begin(struct thr *t)
{
	struct history *h = &t->history;
	if (!h->parts) {
		h->part_count = run_state.options.history ? run_state.options.history : 1;
		h->parts = run_map(h->part_count * sizeof(struct history_part));
		h->frames = run_map(FRAMES_MAX * sizeof(struct call_frame));
	}
	h->top = h->frames;
	h->top->stack = 0;
	h->limit = h->frames + FRAMES_SOFT;
	next_part(h);
}

/*
 * Too many frames.  Frames of functions that longjmp left are below the stack pointer and are
 * removed; if that is not enough the recursion is really deep.
 */
static __attribute__((noinline)) bool make_room(struct thr *t, uintptr_t sp)
{
	struct history *h = &t->history;
	while (h->top > h->frames && h->top->sp <= sp)
		history_leave(t);
	if (h->top < h->limit)
		return true;
	if (h->limit < h->frames + FRAMES_MAX - 1)
		h->limit = h->frames + FRAMES_MAX - 1;
	return h->top < h->limit;
}

void history_enter(struct thr *t, uintptr_t call)
{
	struct history *h = &t->history;
	uintptr_t sp = (uintptr_t)__builtin_frame_address(0);
	if (unlikely(h->top >= h->limit) && !make_room(t, sp)) {
		h->top++; /* counted only */
		return;
	}
	struct call_frame *f = ++h->top;
	f->call = call;
	f->sp = sp;
	f->stack = 0;
	if (unlikely(h->next >= h->end))
		next_part(h);
	else
		*h->next++ = (uint64_t)call << OTHER_BITS | OTHER_ENTER;
}

void history_leave(struct thr *t)
{
	struct history *h = &t->history;
	if (unlikely(h->top == h->frames))
		return;
	h->top--;
	if (unlikely(h->next >= h->end))
		next_part(h);
	else
		*h->next++ = OTHER_ENTER;
}

__attribute__((noinline)) void history_far_access(struct thr *t, uintptr_t address, unsigned size,
						  uint32_t flags, uintptr_t pc)
{
	struct history *h = &t->history;
	if (unlikely(h->next >= h->end))
		next_part(h);
	h->last_pc = pc;
	*h->next++ = (uint64_t)pc << OTHER_BITS | OTHER_FAR;
	*h->next++ = (address & ADDRESS_MASK) << 20 | (uint64_t)(size - 1) << 17 |
		     (uint64_t)(flags & 1) << 16 | (flags & HISTORY_FREE ? FAR_FREE : 0);
}

/* ---- reconstructing a stack ---- */

struct replay {
	uintptr_t frames[FRAMES_SOFT];
	unsigned depth;
	uintptr_t pc;
};

static void replay_call(struct replay *r, uintptr_t call)
{
	if (!call)
		r->depth -= r->depth > 0;
	else if (r->depth < FRAMES_SOFT)
		r->frames[r->depth++] = call;
}

static bool matches(uint64_t access, bool is_free, const struct past *p)
{
	uint64_t at = access >> 20, size = (access >> 17 & 7) + 1, want = p->address & ADDRESS_MASK;
	return (access >> 16 & 1) == (p->act != ACT_READ) && is_free == (p->act == ACT_FREE) &&
	       at < want + (p->size ? p->size : 1) && want < at + size;
}

/* One part, from the event at `from` on and up to `to`: true if the access was in it. */
static bool replay_part(struct replay *r, const struct history_part *p, unsigned from, unsigned to,
			const struct past *past)
{
	r->depth = p->depth;
	r->pc = 0;
	run_copy(r->frames, p->frames, p->depth * sizeof(*p->frames));
	for (unsigned i = 0; i < to; i++) {
		uint64_t e = p->events[i];
		bool is_free = false;
		if ((e & 0xffff) != OTHER) {
			r->pc += (uintptr_t)(intptr_t)(int16_t)e;
		} else if ((e & OTHER_FAR) == OTHER_FAR) {
			if (!(e >> OTHER_BITS))
				return false; /* the part ends here */
			r->pc = e >> OTHER_BITS;
			e = p->events[++i];
			is_free = e & FAR_FREE;
		} else {
			replay_call(r, e >> OTHER_BITS);
			continue;
		}
		if (i >= from && matches(e, is_free, past))
			return true;
	}
	return false;
}

unsigned history_restore(const struct past *p, uintptr_t pcs[STACK_MAX])
{
	if (p->stack)
		return stack_get(p->stack, pcs);
	static uint32_t lock;
	static struct replay r; /* too large for the stack of any thread */
	const struct thr *t = run_state.slots[p->slot];
	const struct history *h = t ? &t->history : NULL;
	if (!h || !h->parts || !p->stamp)
		return 0;
	uint32_t place = STAMP(p->stamp)->place, first = place / PART_WORDS;
	unsigned n = 0;
	run_lock(&lock);
	for (uint32_t serial = first; !n && serial - first < h->part_count; serial++) {
		const struct history_part *part = part_of(h, serial);
		if (__atomic_load_n(&part->serial, __ATOMIC_ACQUIRE) != serial + 1)
			break;
		unsigned to = serial == h->serial ? (unsigned)(h->next - part->events) : PART_WORDS;
		if (!replay_part(&r, part, serial == first ? place % PART_WORDS : 0,
				 to < PART_WORDS ? to : PART_WORDS, p))
			continue;
		if (__atomic_load_n(&part->serial, __ATOMIC_ACQUIRE) != serial + 1)
			break;
		pcs[n++] = r.pc;
		for (unsigned i = r.depth; i-- > 0 && n < STACK_MAX;)
			pcs[n++] = r.frames[i];
	}
	run_unlock(&lock);
	return n;
}

/* ---- stacks by number ---- */

#define STACKS (1u << 20)

struct stack_node {
	uintptr_t pc;
	uint32_t caller, next;
};

static struct {
	uint32_t lock, count;
	struct stack_node *nodes;
	uint32_t *buckets;
} stacks;

void stack_table_init(void)
{
	stacks.nodes = run_map(STACKS * sizeof(struct stack_node));
	stacks.buckets = run_map(STACKS * sizeof(uint32_t));
	stacks.count = 1;
}

static uint32_t stack_number(uint32_t caller, uintptr_t pc)
{
	if (!stacks.nodes)
		return 0;
	uint64_t hash = (pc ^ (uint64_t)caller << 40 ^ caller) * 0x9e3779b97f4a7c15ull;
	uint32_t *bucket = &stacks.buckets[hash >> 44];
	/* Nodes are never removed: a lookup needs no lock. */
	for (uint32_t i = __atomic_load_n(bucket, __ATOMIC_ACQUIRE); i; i = stacks.nodes[i].next)
		if (stacks.nodes[i].pc == pc && stacks.nodes[i].caller == caller)
			return i;
	run_lock(&stacks.lock);
	uint32_t i = *bucket;
	while (i && (stacks.nodes[i].pc != pc || stacks.nodes[i].caller != caller))
		i = stacks.nodes[i].next;
	if (!i && stacks.count < STACKS) {
		i = stacks.count++;
		stacks.nodes[i] = (struct stack_node){ pc, caller, *bucket };
		__atomic_store_n(bucket, i, __ATOMIC_RELEASE);
	}
	run_unlock(&stacks.lock);
	return i;
}

uint32_t stack_now(struct thr *t, uintptr_t pc)
{
	const struct history *h = &t->history;
	if (!h->frames)
		return 0;
	struct call_frame *known = h->top < h->limit ? h->top : h->limit - 1;
	struct call_frame *last = known;
	while (known > h->frames && !known->stack)
		known--;
	for (; known < last; known++)
		known[1].stack = stack_number(known->stack, known[1].call);
	return stack_number(last->stack, pc);
}

unsigned stack_get(uint32_t number, uintptr_t pcs[STACK_MAX])
{
	unsigned n = 0;
	for (; number && n < STACK_MAX; number = stacks.nodes[number].caller)
		pcs[n++] = stacks.nodes[number].pc;
	return n;
}
