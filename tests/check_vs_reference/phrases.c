/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Phrases of random programs that every family has.  Locks are given back in every phrase;
 * everything else may go wrong: deadlocks, waits that nobody ends, spinning for ever, use after
 * free, failing assertions.
 */
#include "phrases.h"

#include "search.h"

unsigned below(struct gen *g, unsigned n)
{
	return (unsigned)(random_next(&g->random) % n);
}

bool chance(struct gen *g, unsigned percent)
{
	return below(g, 100) < percent;
}

struct insn *put(struct gen *g, enum op op)
{
	struct insn *in = &g->p->code[g->t][g->p->len[g->t]++];
	*in = (struct insn){ .op = (uint8_t)op };
	return in;
}

/* Results go around in the registers that a thread hands to who joins it. */
uint8_t result(struct gen *g)
{
	return (uint8_t)(g->next_reg++ % FOLDED);
}

struct insn *put_call(struct gen *g, enum op op, unsigned obj)
{
	struct insn *in = put(g, op);
	in->obj = (uint8_t)obj;
	in->reg = 7;
	return in;
}

struct insn *put_asking(struct gen *g, enum op op, unsigned obj)
{
	struct insn *in = put_call(g, op, obj);
	in->reg = result(g);
	return in;
}

/* The instructions from `from` on are done only if the register of the one before them is 0. */
void put_guard(struct gen *g, unsigned reg, unsigned *at)
{
	*at = g->p->len[g->t];
	struct insn *in = put(g, OP_IF);
	in->cond = (struct cond){ (uint8_t)reg, CMP_EQ, 0 };
}

void end_guard(struct gen *g, unsigned at)
{
	g->p->code[g->t][at].skip = (uint8_t)(g->p->len[g->t] - at - 1);
}

/* ---- accesses ---- */

struct loc some_loc(struct gen *g)
{
	return g->loc[below(g, g->locs)];
}

uint8_t load_order(struct gen *g)
{
	static const uint8_t orders[] = { ORDER_PLAIN, ORDER_RLX, ORDER_ACQ, ORDER_PLAIN,
					  ORDER_SC };
	return orders[below(g, g->is_weak ? 3 : 5)];
}

uint8_t store_order(struct gen *g)
{
	static const uint8_t orders[] = { ORDER_PLAIN, ORDER_RLX, ORDER_PLAIN, ORDER_REL,
					  ORDER_SC };
	return orders[below(g, g->is_weak ? 4 : 5)];
}

uint8_t modify_order(struct gen *g)
{
	return (uint8_t)(ORDER_RLX + below(g, 5));
}

static uint64_t pattern(struct gen *g, unsigned size)
{
	uint64_t digit = 1 + below(g, 3);
	return size == 1 ? digit : digit * 0x0101010101010101ull >> (8 - size) * 8;
}

static void access_loc(struct gen *g, struct loc l)
{
	unsigned what = below(g, g->is_weak ? 82 : 100);
	struct insn *in;
	if (what < 40) {
		in = put(g, OP_LOAD);
		in->reg = result(g);
		in->order = load_order(g);
	} else if (what < 78) {
		in = put(g, OP_STORE);
		in->order = store_order(g);
	} else {
		in = put(g, what < 85 ? OP_ADD : what < 90 ? OP_XCHG : OP_CAS);
		in->reg = result(g);
		in->order = modify_order(g);
		in->imm = chance(g, 60) ? 0 : pattern(g, l.size);
	}
	in->val = (struct value){ false, pattern(g, l.size) };
	if (in->op == OP_STORE && chance(g, 15))
		in->val = (struct value){ true, below(g, FOLDED) };
	in->loc = l;
}

void say_access(struct gen *g)
{
	access_loc(g, some_loc(g));
}

static void say_fence(struct gen *g)
{
	put(g, OP_FENCE)->order = (uint8_t)(ORDER_ACQ + below(g, 4));
	say_access(g);
}

/* An element whose number was read. */
static void say_index(struct gen *g)
{
	struct insn *in = put(g, OP_LOAD);
	in->reg = result(g);
	in->loc = some_loc(g);
	in->order = load_order(g);
	unsigned size = 1u << below(g, 3);
	access_loc(g, (struct loc){ SPACE_INDEXED, 0, (uint8_t)size, in->reg,
				    (uint8_t)(2 + below(g, 2)) });
}

void say_add(struct gen *g)
{
	/* Not atomic: a lost update. */
	struct insn *in = put(g, OP_LOAD);
	struct loc l = some_loc(g);
	uint8_t r = result(g);
	in->reg = r;
	in->loc = l;
	in = put(g, OP_SUM);
	in->reg = r;
	in->val.number = 1;
	in = put(g, OP_STORE);
	in->loc = l;
	in->val = (struct value){ true, r };
}

/* ---- locks ---- */

static void some_inside(struct gen *g)
{
	if (chance(g, 30))
		say_add(g);
	else
		say_access(g);
}

static void say_mutex(struct gen *g)
{
	unsigned m = below(g, 100) < 60 ? 0 : below(g, MUTEXES);
	bool checks = mutex_kind(m) != MUTEX_NORMAL;
	put_call(g, OP_LOCK, m);
	if (checks && chance(g, 50)) {
		/* Once more: the recursive one counts, the other one refuses. */
		struct insn *in = put_asking(g, chance(g, 50) ? OP_LOCK : OP_TRYLOCK, m);
		unsigned at;
		put_guard(g, in->reg, &at);
		put_call(g, OP_UNLOCK, m);
		end_guard(g, at);
	}
	some_inside(g);
	put_call(g, OP_UNLOCK, m);
	if (checks && chance(g, 30))
		put_asking(g, OP_UNLOCK, m);
}

static void say_two_mutexes(struct gen *g)
{
	unsigned first = below(g, 2);
	put_call(g, OP_LOCK, first);
	if (chance(g, 50))
		say_access(g);
	put_call(g, OP_LOCK, 1 - first);
	if (chance(g, 50))
		say_access(g);
	put_call(g, OP_UNLOCK, 1 - first);
	put_call(g, OP_UNLOCK, first);
}

/* A try or a timed form: what is inside only if it was got. */
static void guarded(struct gen *g, enum op take, enum op give, unsigned obj)
{
	unsigned at;
	struct insn *in = put_asking(g, take, obj);
	bool is_try = take == OP_TRYLOCK || take == OP_TRYRDLOCK || take == OP_TRYWRLOCK ||
		      take == OP_SPINTRYLOCK;
	if (is_try && chance(g, 40)) {
		in->prefix = chance(g, 60) ? PREFIX_RETRY : PREFIX_AWAIT;
		in->times = in->prefix == PREFIX_RETRY ? 2 : 0;
		in->cond = (struct cond){ in->reg, CMP_EQ, 0 };
	}
	put_guard(g, in->reg, &at);
	say_access(g);
	put_call(g, give, obj);
	end_guard(g, at);
}

static void say_trylock(struct gen *g)
{
	guarded(g, chance(g, 60) ? OP_TRYLOCK : OP_TIMEDLOCK, OP_UNLOCK,
		chance(g, 70) ? 0 : below(g, MUTEXES));
}

static void say_rwlock(struct gen *g)
{
	unsigned w = chance(g, 80) ? g->rwlock : 1 - g->rwlock;
	static const uint8_t asking[] = { OP_TRYRDLOCK, OP_TRYWRLOCK, OP_TIMEDRDLOCK,
					  OP_TIMEDWRLOCK };
	if (chance(g, 40)) {
		guarded(g, asking[below(g, 4)], OP_RWUNLOCK, w);
		return;
	}
	bool reads = chance(g, 50);
	put_call(g, reads ? OP_RDLOCK : OP_WRLOCK, w);
	some_inside(g);
	if (reads && chance(g, 10)) {
		/* For reading and then for writing: only in its way itself. */
		guarded(g, OP_TRYWRLOCK, OP_RWUNLOCK, w);
	}
	put_call(g, OP_RWUNLOCK, w);
}

static void say_spin(struct gen *g)
{
	if (chance(g, 40)) {
		guarded(g, OP_SPINTRYLOCK, OP_SPINUNLOCK, 0);
		return;
	}
	put_call(g, OP_SPINLOCK, 0);
	some_inside(g);
	put_call(g, OP_SPINUNLOCK, 0);
}

/* ---- waiting ---- */

static void say_condition(struct gen *g)
{
	unsigned c = chance(g, 80) ? 0 : 1;
	struct insn *in;
	if (chance(g, 50)) {
		unsigned at;
		put_call(g, OP_LOCK, c);
		in = put(g, OP_LOAD);
		in->reg = 6;
		in->loc = g->loc[0];
		put_guard(g, 6, &at);
		in = put_asking(g, chance(g, 65) ? OP_WAIT : OP_TIMEDWAIT, c);
		in->mutex = (uint8_t)c;
		if (chance(g, 30))
			g->p->code[g->t][at].cond.cmp = CMP_GE; /* always */
		end_guard(g, at);
		if (chance(g, 50))
			say_access(g);
		put_call(g, OP_UNLOCK, c);
		return;
	}
	bool locked = chance(g, 60);
	if (locked)
		put_call(g, OP_LOCK, c);
	if (chance(g, 70)) {
		in = put(g, OP_STORE);
		in->loc = g->loc[0];
		in->val.number = 1 + below(g, 2);
	}
	put_call(g, chance(g, 60) ? OP_SIGNAL : OP_BROADCAST, c);
	if (locked)
		put_call(g, OP_UNLOCK, c);
}

static void say_semaphore(struct gen *g)
{
	static const uint8_t ops[] = {
		OP_SEMPOST, OP_SEMPOST,	   OP_SEMPOST,	    OP_SEMWAIT,
		OP_SEMWAIT, OP_SEMTRYWAIT, OP_SEMTIMEDWAIT,
	};
	put_asking(g, ops[below(g, 7)], chance(g, 80) ? 0 : 1);
	if (chance(g, 60))
		say_access(g);
}

static void say_barrier(struct gen *g)
{
	if (chance(g, 50))
		say_access(g);
	put_asking(g, OP_BARRIER, 0);
	if (chance(g, 50))
		say_access(g);
}

static void say_await(struct gen *g)
{
	struct insn *in;
	if (chance(g, 50)) {
		say_access(g);
		in = put(g, OP_STORE);
		in->order = store_order(g);
		in->val.number = 1;
		in->loc = g->loc[0];
		return;
	}
	in = put(g, OP_LOAD);
	in->prefix = chance(g, 70) ? PREFIX_AWAIT : PREFIX_RETRY;
	in->times = in->prefix == PREFIX_RETRY ? 2 : 0;
	in->reg = result(g);
	in->order = load_order(g);
	in->loc = g->loc[0];
	in->cond = (struct cond){ in->reg, chance(g, 80) ? CMP_NE : CMP_EQ, 0 };
	say_access(g);
}

/* A lock of one atomic variable, which nothing else uses: the last one of the globals. */
static void say_own_lock(struct gen *g)
{
	struct loc l = { SPACE_GLOBAL, 12, 4, 0, 0 };
	struct insn *in = put(g, chance(g, 50) ? OP_XCHG : OP_CAS);
	in->prefix = PREFIX_AWAIT;
	in->reg = 7;
	in->loc = l;
	in->val.number = 1;
	in->order = modify_order(g);
	in->cond = (struct cond){ 7, CMP_EQ, 0 };
	some_inside(g);
	in = put(g, OP_STORE);
	in->loc = l;
	in->order = store_order(g);
}

static void say_once(struct gen *g)
{
	static const uint8_t ops[] = { OP_STORE, OP_ADD, OP_SAY };
	struct insn *in = put(g, ops[below(g, 3)]);
	in->prefix = PREFIX_ONCE;
	in->reg = 7;
	in->loc = g->loc[0].space == SPACE_GLOBAL ? g->loc[0]
						  : (struct loc){ SPACE_GLOBAL, 0, 4, 0, 0 };
	in->order = in->op == OP_ADD ? modify_order(g) : store_order(g);
	in->val.number = pattern(g, in->loc.size);
	if (in->op == OP_SAY)
		in->imm = 'a' + g->letters++ % 26;
	say_access(g);
}

/* ---- pointers, output, ends ---- */

static void publish(struct gen *g, unsigned preg, unsigned var)
{
	struct insn *in = put(g, OP_STOREP);
	in->preg = (uint8_t)preg;
	in->obj = (uint8_t)var;
	in->order = store_order(g);
}

/* A guard around one to two uses of what a pointer variable holds. */
static void use_pointer(struct gen *g, unsigned var, bool may_free)
{
	struct insn *in = put(g, OP_LOADP);
	unsigned at = g->p->len[g->t];
	in->preg = 1;
	in->obj = (uint8_t)var;
	in->order = load_order(g);
	put(g, OP_IFPTR)->preg = 1;
	unsigned size = 1u << below(g, 4);
	access_loc(g, (struct loc){ SPACE_POINTER, (uint8_t)(size * below(g, 8 / size)),
				    (uint8_t)size, 1, 0 });
	if (may_free)
		put(g, OP_FREE)->preg = 1;
	end_guard(g, at);
}

static void say_heap(struct gen *g)
{
	struct insn *in;
	if (chance(g, 50)) {
		use_pointer(g, 0, chance(g, 35));
		return;
	}
	put(g, OP_ALLOC)->preg = 0;
	in = put(g, OP_STORE);
	in->loc = (struct loc){ SPACE_POINTER, 0, 4, 0, 0 };
	in->val.number = pattern(g, 4);
	publish(g, 0, 0);
	if (chance(g, 30))
		put(g, OP_FREE)->preg = 0;
}

static void say_pointer(struct gen *g)
{
	if (chance(g, 55)) {
		use_pointer(g, 1, false);
		return;
	}
	struct insn *in = put(g, OP_POINT);
	bool stack = g->main_stays && chance(g, 30);
	in->loc = (struct loc){ stack ? SPACE_STACK : SPACE_GLOBAL, stack || chance(g, 70) ? 0 : 8,
				8, 0, 0 };
	g->stack_is_used |= stack;
	publish(g, 0, 1);
}

static void say_output(struct gen *g)
{
	if (chance(g, 50))
		say_access(g);
	put(g, OP_SAY)->imm = 'a' + g->letters++ % 26;
}

static void say_choice(struct gen *g)
{
	struct insn *in = put(g, OP_CHOOSE);
	unsigned at;
	in->reg = result(g);
	in->imm = 2 + below(g, 2);
	/* Half of them are the end of a loop; nothing is drawn for it, so that other programs
	 * stay as they were. */
	if (!g->is_small && g->random >> 40 & 1) {
		in->prefix = PREFIX_AWAIT;
		in->cond = (struct cond){ in->reg, g->random >> 41 & 1 ? CMP_NE : CMP_EQ, 1 };
	}
	put_guard(g, in->reg, &at);
	say_access(g);
	end_guard(g, at);
}

static void say_assertion(struct gen *g)
{
	struct insn *in = put(g, OP_LOAD);
	uint8_t r = result(g);
	in->reg = r;
	in->loc = some_loc(g);
	in->order = load_order(g);
	in = put(g, OP_ASSERT);
	in->cond = (struct cond){ r, (uint8_t)below(g, CMPS), pattern(g, g->loc[0].size) };
}

static void say_branch(struct gen *g)
{
	struct insn *in = put(g, OP_LOAD);
	unsigned at;
	in->reg = result(g);
	in->loc = some_loc(g);
	in->order = load_order(g);
	put_guard(g, in->reg, &at);
	g->p->code[g->t][at].cond.cmp = (uint8_t)below(g, 2);
	say_access(g);
	end_guard(g, at);
}

static void say_exit(struct gen *g)
{
	say_branch(g);
	if (chance(g, 25)) {
		struct insn *last = &g->p->code[g->t][g->p->len[g->t] - 1];
		*last = (struct insn){ .op = OP_EXIT, .imm = 1 + below(g, 3) };
	}
}

phrase_fn *const basic_phrases[BASIC_PHRASES] = {
	say_access,   say_access,    say_access,      say_await,     say_heap,
	say_pointer,  say_index,     say_branch,      say_fence,     say_assertion,
	say_add,      say_mutex,     say_two_mutexes, say_trylock,   say_rwlock,
	say_spin,     say_condition, say_condition,   say_semaphore, say_barrier,
	say_own_lock, say_once,	     say_output,      say_choice,    say_exit,
};
