/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Phrases of wide programs: loops that wait with fences, sleeps, and locks around their looks;
 * choices by several threads; output by a stream; a pipe between threads.  They are apart from
 * those of gen.c so that the programs of older seeds stay as they are.
 */
#include "phrases.h"

/* ---- loops that wait ---- */

void put_flag(struct gen *g)
{
	struct insn *in = put(g, OP_STORE);
	in->order = store_order(g);
	in->val.number = 1;
	in->loc = g->loc[0];
}

static void maybe_fence(struct gen *g)
{
	if (chance(g, 60))
		put(g, OP_FENCE)->order = (uint8_t)(ORDER_ACQ + below(g, 4));
}

unsigned begin_loop(struct gen *g)
{
	return g->p->len[g->t];
}

void end_loop(struct gen *g, unsigned begin, struct cond until)
{
	unsigned skip = g->p->len[g->t] - begin;
	struct insn *in = put(g, OP_AGAIN);
	in->skip = (uint8_t)skip;
	in->cond = until;
}

uint8_t put_look(struct gen *g)
{
	uint8_t reg = result(g);
	struct insn *in = put(g, OP_LOAD);
	in->reg = reg;
	in->order = load_order(g);
	in->loc = g->loc[0];
	return reg;
}

static struct cond is_set(struct gen *g, uint8_t reg)
{
	return (struct cond){ reg, chance(g, 85) ? CMP_NE : CMP_EQ, 0 };
}

/* The other side of all loops that look at the first location. */
static void say_flag(struct gen *g)
{
	say_access(g);
	maybe_fence(g);
	put_flag(g);
}

static void say_fence_loop(struct gen *g)
{
	unsigned begin = begin_loop(g);
	maybe_fence(g);
	uint8_t reg = put_look(g);
	maybe_fence(g);
	end_loop(g, begin, is_set(g, reg));
	say_access(g);
}

static void put_pause(struct gen *g)
{
	put(g, chance(g, 50) ? OP_SLEEP : OP_YIELD);
}

static void say_sleep_loop(struct gen *g)
{
	unsigned begin = begin_loop(g);
	uint8_t reg = 0;
	bool before = chance(g, 30);
	if (before)
		put_pause(g);
	reg = put_look(g);
	if (!before)
		put_pause(g);
	end_loop(g, begin, is_set(g, reg));
	if (chance(g, 70))
		say_access(g);
}

static void say_flag_or_loop(struct gen *g)
{
	(chance(g, 60) ? say_flag : chance(g, 50) ? say_fence_loop : say_sleep_loop)(g);
}

/* Lock, look, unlock, until it is there. */
static void say_locked_loop(struct gen *g)
{
	bool spin = chance(g, 25);
	unsigned m = chance(g, 85) ? 0 : below(g, MUTEXES), begin = begin_loop(g);
	put_call(g, spin ? OP_SPINLOCK : OP_LOCK, spin ? 0 : m);
	uint8_t reg = put_look(g);
	put_call(g, spin ? OP_SPINUNLOCK : OP_UNLOCK, spin ? 0 : m);
	if (chance(g, 40))
		put_pause(g);
	end_loop(g, begin, is_set(g, reg));
}

static void say_locked_flag(struct gen *g)
{
	bool spin = chance(g, 25);
	put_call(g, spin ? OP_SPINLOCK : OP_LOCK, 0);
	if (chance(g, 40))
		say_access(g);
	put_flag(g);
	put_call(g, spin ? OP_SPINUNLOCK : OP_UNLOCK, 0);
}

/* A try again and again until it succeeds, with a pause or a fence between. */
static void say_try_loop(struct gen *g)
{
	static const enum op tries[] = { OP_TRYLOCK, OP_TRYLOCK, OP_SPINTRYLOCK, OP_CAS };
	enum op op = tries[below(g, 4)];
	unsigned begin = begin_loop(g);
	struct insn *in = put_call(g, op, 0);
	in->reg = 7;
	if (op == OP_CAS) {
		in->loc = (struct loc){ SPACE_GLOBAL, 12, 4, 0, 0 };
		in->order = modify_order(g);
		in->val.number = 1;
	}
	if (chance(g, 60))
		put_pause(g);
	else
		maybe_fence(g);
	end_loop(g, begin, (struct cond){ 7, CMP_EQ, 0 });
	if (chance(g, 40))
		say_add(g);
	else
		say_access(g);
	if (op == OP_CAS) {
		in = put(g, OP_STORE);
		in->loc = (struct loc){ SPACE_GLOBAL, 12, 4, 0, 0 };
		in->order = store_order(g);
	} else {
		put_call(g, op == OP_TRYLOCK ? OP_UNLOCK : OP_SPINUNLOCK, 0);
	}
}

/* ---- loops that look under a lock that they try, or that several threads read ---- */

static void maybe_pause(struct gen *g)
{
	if (chance(g, 40))
		put_pause(g);
}

/* Try; if that succeeds look and unlock; until it is there. */
static void say_tried_loop(struct gen *g)
{
	static const struct {
		uint8_t take, give;
	} locks[] = {
		{ OP_TRYLOCK, OP_UNLOCK },	   { OP_TRYLOCK, OP_UNLOCK },
		{ OP_SPINTRYLOCK, OP_SPINUNLOCK }, { OP_TRYRDLOCK, OP_RWUNLOCK },
		{ OP_TRYWRLOCK, OP_RWUNLOCK },
	};
	unsigned kind = below(g, 5), at, begin = begin_loop(g);
	put_call(g, locks[kind].take, 0)->reg = 7;
	put_guard(g, 7, &at);
	uint8_t reg = put_look(g);
	put_call(g, locks[kind].give, 0);
	if (chance(g, 20))
		put_pause(g);
	end_guard(g, at);
	maybe_pause(g);
	end_loop(g, begin, is_set(g, reg));
}

/* The lock that lets readers first: a loop with the other one is not taken for a wait. */
static void say_rwlock_loop(struct gen *g)
{
	unsigned begin = begin_loop(g);
	put_call(g, chance(g, 70) ? OP_RDLOCK : OP_WRLOCK, 0);
	uint8_t reg = put_look(g);
	put_call(g, OP_RWUNLOCK, 0);
	maybe_pause(g);
	end_loop(g, begin, is_set(g, reg));
}

/* What notices such a loop, or ends it. */
static void say_rwlock_flag(struct gen *g)
{
	bool tries = chance(g, 30);
	unsigned at = 0;
	struct insn *in = put_asking(g, tries ? OP_TRYWRLOCK : OP_WRLOCK, 0);
	if (tries)
		put_guard(g, in->reg, &at);
	put_flag(g);
	put_call(g, OP_RWUNLOCK, 0);
	if (!tries)
		return;
	end_guard(g, at);
	put_flag(g);
}

static void say_rwlock_poll(struct gen *g)
{
	(chance(g, 55) ? say_rwlock_flag : say_rwlock_loop)(g);
}

static void say_tried_poll(struct gen *g)
{
	(chance(g, 50) ? say_locked_flag : say_tried_loop)(g);
}

/* ---- choices ---- */

/* What was chosen is stored, or decides about an access; under a lock or not. */
static void say_choices(struct gen *g)
{
	bool locked = chance(g, 40);
	unsigned at;
	if (locked)
		put_call(g, OP_LOCK, 0);
	struct insn *in = put(g, OP_CHOOSE);
	uint8_t reg = result(g);
	in->reg = reg;
	in->imm = 2 + below(g, 3);
	if (chance(g, 50)) {
		in = put(g, OP_STORE);
		in->loc = some_loc(g);
		in->order = store_order(g);
		in->val = (struct value){ true, reg };
	} else {
		put_guard(g, reg, &at);
		say_access(g);
		end_guard(g, at);
	}
	if (locked)
		put_call(g, OP_UNLOCK, 0);
}

/* ---- the stream of standard output, and the pipe ---- */

void put_letter(struct gen *g, enum op op)
{
	put(g, op)->imm = 'a' + g->letters++ % 26;
}

static void say_put(struct gen *g)
{
	if (chance(g, 40))
		say_access(g);
	put_letter(g, chance(g, 60) ? OP_PUT : chance(g, 60) ? OP_PUTLINE : OP_SAY);
	if (chance(g, 20))
		put(g, OP_FLUSH);
}

static void say_send(struct gen *g)
{
	if (chance(g, 50))
		say_access(g);
	put_letter(g, OP_SEND);
}

static void say_receive(struct gen *g)
{
	put_asking(g, OP_RECEIVE, 0);
	if (chance(g, 70))
		say_access(g);
}

static void say_pipe(struct gen *g)
{
	(chance(g, 60) ? say_send : say_receive)(g);
}

phrase_fn *const wide_phrases[WIDE_PHRASES] = {
	say_fence_loop,	 say_flag_or_loop, say_sleep_loop,  say_flag,	     say_flag_or_loop,
	say_locked_loop, say_locked_flag,  say_locked_flag, say_try_loop,    say_try_loop,
	say_choices,	 say_choices,	   say_put,	    say_put,	     say_pipe,
	say_pipe,	 say_tried_loop,   say_tried_poll,  say_rwlock_poll, say_rwlock_poll,
};
