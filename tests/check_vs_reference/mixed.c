/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Phrases of mixed programs: copies and fills of shared memory, loops with choices, two pipes,
 * and ends of the process by any thread while others write to the stream.  They are apart from
 * those of wide.c so that the programs of older seeds stay as they are.
 */
#include "phrases.h"

enum { UPPER = GLOBAL_BYTES / 2 };

/* ---- copies ---- */

static void put_copy(struct gen *g, enum op op, unsigned to, unsigned from, unsigned size)
{
	struct insn *in = put(g, op);
	in->loc = (struct loc){ SPACE_GLOBAL, (uint8_t)to, (uint8_t)size, 0, 0 };
	if (op == OP_FILL)
		in->imm = 1 + below(g, 3);
	else
		in->from = (struct loc){ SPACE_GLOBAL, (uint8_t)from, (uint8_t)size, 0, 0 };
	g->upper_is_used |= to + size > UPPER || (op != OP_FILL && from + size > UPPER);
}

/* Where others read and write, or copies of it; words that are whole, and parts of words at both
 * ends. */
static void some_copy(struct gen *g)
{
	static const struct {
		uint8_t op, to, from, size;
	} copies[] = {
		{ OP_COPY, UPPER, 0, 16 }, { OP_COPY, 0, UPPER, 16 }, { OP_COPY, UPPER, 0, 12 },
		{ OP_COPY, 0, UPPER, 12 }, { OP_COPY, 0, UPPER, 8 },  { OP_COPY, UPPER, 0, 8 },
		{ OP_COPY, 0, 8, 8 },	   { OP_COPY, 8, 0, 8 },      { OP_COPY, 0, 4, 4 },
		{ OP_COPY, 4, 0, 4 },	   { OP_COPY, 2, UPPER, 12 }, { OP_COPY, UPPER, 2, 12 },
		{ OP_MOVE, 4, 0, 12 },	   { OP_MOVE, 0, 4, 12 },     { OP_MOVE, 0, 0, 16 },
		{ OP_MOVE, UPPER, 0, 10 }, { OP_MOVE, 1, 0, 9 },
	};
	unsigned n = below(g, sizeof(copies) / sizeof(copies[0]));
	put_copy(g, copies[n].op, copies[n].to, copies[n].from, copies[n].size);
}

static void some_fill(struct gen *g)
{
	static const uint8_t to[] = { 0, 0, 0, 4, 2, UPPER }, size[] = { 16, 12, 8, 12, 10, 16 };
	unsigned n = below(g, sizeof(to));
	put_copy(g, OP_FILL, to[n], 0, size[n]);
}

static void say_copy(struct gen *g)
{
	some_copy(g);
	if (chance(g, 30))
		say_access(g);
}

static void say_fill(struct gen *g)
{
	if (chance(g, 30))
		say_access(g);
	some_fill(g);
}

static void say_copy_or_access(struct gen *g)
{
	(chance(g, 40) ? say_copy : chance(g, 30) ? say_fill : say_access)(g);
}

/* Behind a flag: what is published is a copy. */
static void say_published_copy(struct gen *g)
{
	unsigned at;
	if (chance(g, 50)) {
		(chance(g, 50) ? some_copy : some_fill)(g);
		put_flag(g);
		return;
	}
	put_guard(g, put_look(g), &at);
	g->p->code[g->t][at].cond.cmp = CMP_NE;
	some_copy(g);
	end_guard(g, at);
}

static void say_locked_copy(struct gen *g)
{
	put_call(g, OP_LOCK, 0);
	say_copy_or_access(g);
	put_call(g, OP_UNLOCK, 0);
}

/* ---- choices in loops ---- */

/* A round looks at the flag and chooses, which ends the loop: one that no choice ends is not
 * called a livelock. */
static void say_choice_loop(struct gen *g)
{
	unsigned begin = begin_loop(g);
	bool chooses_first = chance(g, 50);
	if (!chooses_first)
		put_look(g);
	struct insn *in = put(g, OP_CHOOSE);
	in->reg = 7;
	in->imm = 2;
	if (chooses_first)
		put_look(g);
	end_loop(g, begin, (struct cond){ 7, CMP_NE, 0 });
	say_access(g);
}

/* Chooses again under a lock, at most so often: rounds with a lock and without a limit never end
 * for a search. */
static void say_locked_retry(struct gen *g)
{
	put_call(g, OP_LOCK, 0);
	struct insn *in = put_asking(g, OP_CHOOSE, 0);
	in->imm = 2 + below(g, 2);
	in->prefix = PREFIX_RETRY;
	in->times = 2;
	in->cond = (struct cond){ in->reg, CMP_EQ, 1 };
	if (chance(g, 60))
		say_access(g);
	put_call(g, OP_UNLOCK, 0);
}

static void say_flag_or_choice_loop(struct gen *g)
{
	if (chance(g, 50)) {
		say_access(g);
		put_flag(g);
	} else {
		say_choice_loop(g);
	}
}

/* ---- two pipes ---- */

static void put_send(struct gen *g, unsigned pipe)
{
	put_letter(g, OP_SEND);
	g->p->code[g->t][g->p->len[g->t] - 1].obj = (uint8_t)pipe;
}

static void say_pipes(struct gen *g)
{
	unsigned pipe = below(g, PIPES);
	if (chance(g, 40))
		say_access(g);
	if (chance(g, 60))
		put_send(g, pipe);
	else
		put_asking(g, OP_RECEIVE, pipe);
}

/* What comes out of one goes into the other. */
static void say_relay(struct gen *g)
{
	unsigned pipe = below(g, PIPES);
	if (chance(g, 50))
		put_send(g, pipe);
	put_asking(g, OP_RECEIVE, pipe);
	put_send(g, 1 - pipe);
}

/* ---- ends ---- */

static void say_exit_after_output(struct gen *g)
{
	unsigned at;
	put_letter(g, chance(g, 70) ? OP_PUT : OP_PUTLINE);
	if (chance(g, 60))
		return;
	put_guard(g, put_look(g), &at);
	g->p->code[g->t][at].cond.cmp = (uint8_t)below(g, 2);
	put(g, OP_EXIT)->imm = 1 + below(g, 3);
	end_guard(g, at);
}

phrase_fn *const mixed_phrases[MIXED_PHRASES] = {
	say_copy,
	say_fill,
	say_copy_or_access,
	say_published_copy,
	say_flag_or_choice_loop,
	say_copy,
	say_copy_or_access,
	say_locked_copy,
	say_flag_or_choice_loop,
	say_locked_retry,
	say_pipes,
	say_relay,
	say_exit_after_output,
	say_exit_after_output,
};
