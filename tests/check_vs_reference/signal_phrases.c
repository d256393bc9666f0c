/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Phrases of programs with signals: a thread sends one to itself, to main, or to a thread that it
 * has created; blocks and unblocks them, waits for them, and waits for something else meanwhile.
 */
#include "phrases.h"

static void put_set(struct gen *g, enum op op, unsigned set)
{
	put(g, op)->imm = set;
}

static unsigned some_set(struct gen *g)
{
	return 1 + below(g, 3);
}

void say_kill(struct gen *g)
{
	unsigned created[THREADS_MAX], n = 0;
	for (unsigned i = 0; i < g->p->len[g->t]; i++)
		if (g->p->code[g->t][i].op == OP_CREATE)
			created[n++] = g->p->code[g->t][i].obj;
	struct insn *in = put(g, OP_KILL);
	in->mutex = (uint8_t)below(g, SIGNALS);
	in->obj = (uint8_t)(n && chance(g, 85)	    ? created[below(g, n)]
			    : g->t && chance(g, 80) ? 0
						    : g->t);
}

static void say_kill_after_access(struct gen *g)
{
	say_access(g);
	say_kill(g);
}

static void say_kill_before_access(struct gen *g)
{
	say_kill(g);
	say_access(g);
}

static void say_masked(struct gen *g)
{
	unsigned set = some_set(g);
	put_set(g, OP_BLOCK, set);
	(chance(g, 75) ? say_access : say_kill)(g);
	if (chance(g, 35))
		put_asking(g, OP_PENDING, 0);
	put_set(g, OP_UNBLOCK, chance(g, 80) ? set : some_set(g));
}

static void say_block(struct gen *g)
{
	put_set(g, chance(g, 60) ? OP_BLOCK : OP_UNBLOCK, some_set(g));
	if (chance(g, 50))
		say_access(g);
}

/* What it waits for is blocked; others may be sent before, which it finds. */
static void say_sigwait(struct gen *g)
{
	unsigned set = some_set(g);
	put_set(g, OP_BLOCK, set);
	if (chance(g, 30))
		say_access(g);
	put_asking(g, OP_SIGWAIT, 0)->imm = set;
	if (chance(g, 40))
		put_set(g, OP_UNBLOCK, set);
}

static void say_suspend(struct gen *g)
{
	unsigned set = some_set(g);
	if (chance(g, 80))
		put_set(g, OP_BLOCK, set);
	put_set(g, OP_SUSPEND, chance(g, 70) ? 0 : 3 & ~set);
	if (chance(g, 50))
		say_access(g);
}

static void say_locked(struct gen *g)
{
	put_call(g, OP_LOCK, 0);
	(chance(g, 60) ? say_access : say_kill)(g);
	put_call(g, OP_UNLOCK, 0);
}

static void say_semaphore(struct gen *g)
{
	if (chance(g, 40))
		put_call(g, OP_SEMPOST, 0);
	else
		put_asking(g, chance(g, 75) ? OP_SEMWAIT : OP_SEMTIMEDWAIT, 0);
	if (chance(g, 30))
		say_kill(g);
}

/* Until a handler, or another thread, has changed the flag. */
static void say_spin(struct gen *g)
{
	struct insn *in = put(g, OP_LOAD);
	in->reg = result(g);
	in->loc = g->loc[0];
	in->order = load_order(g);
	in->prefix = PREFIX_AWAIT;
	in->cond = (struct cond){ in->reg, CMP_NE, 0 };
	if (chance(g, 40))
		say_access(g);
}

static void say_condition(struct gen *g)
{
	put_call(g, OP_LOCK, 0);
	if (chance(g, 50)) {
		struct insn *in = put_asking(g, chance(g, 70) ? OP_WAIT : OP_TIMEDWAIT, 0);
		in->mutex = 0;
	} else {
		put_call(g, chance(g, 60) ? OP_SIGNAL : OP_BROADCAST, 0);
	}
	put_call(g, OP_UNLOCK, 0);
}

static void say_rwlock(struct gen *g)
{
	put_asking(g, chance(g, 50) ? OP_RDLOCK : OP_WRLOCK, g->rwlock);
	say_access(g);
	put_call(g, OP_RWUNLOCK, g->rwlock);
}

static void say_barrier(struct gen *g)
{
	put_asking(g, OP_BARRIER, 0);
}

/* Stores to what the program accesses, mostly the flag; posts, which end waits; and output. */
void write_handlers(struct gen *g)
{
	for (unsigned z = 0; z < SIGNALS; z++) {
		unsigned len = 1 + below(g, 100) / 55;
		for (unsigned i = 0; i < len; i++) {
			struct insn *in = &g->p->handler[z][g->p->handler_len[z]++];
			unsigned kind = below(g, 100);
			*in = (struct insn){ .op = kind < 45   ? OP_STORE
						   : kind < 80 ? OP_ADD
						   : kind < 90 ? OP_SAY
							       : OP_SEMPOST };
			if (in->op == OP_SAY)
				in->imm = 'x' + z;
			if (in->op != OP_STORE && in->op != OP_ADD)
				continue;
			in->loc = g->loc[below(g, g->locs)];
			if (in->loc.space != SPACE_GLOBAL)
				in->loc = (struct loc){ SPACE_GLOBAL, 0, 4, 0, 0 };
			in->val.number = 1 + below(g, 3);
			in->order = in->op == OP_STORE ? store_order(g) : modify_order(g);
		}
	}
}

phrase_fn *const signal_phrases[SIGNAL_PHRASES] = {
	say_kill_after_access,
	say_kill_before_access,
	say_masked,
	say_block,
	say_kill,
	say_spin,
	say_kill_after_access,
	say_sigwait,
	say_suspend,
	say_locked,
	say_semaphore,
	say_condition,
	say_rwlock,
	say_barrier,
};
