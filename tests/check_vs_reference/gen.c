/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The generator.  A program gets two or three themes, and its threads are put together from the
 * phrases of these themes, so that threads meet at the same objects instead of each doing
 * something else.  Locks are given back in every phrase; everything else may go wrong: deadlocks,
 * waits that nobody ends, spinning for ever, use after free, failing assertions.  What is too
 * large to be searched, or undefined, is thrown away and the next one made.
 */
#include "gen.h"

#include <string.h>

#include "phrases.h"
#include "search.h"

#define SMALL_SCHEDULES 24

/* ---- whole programs ---- */

/* A few places, some of which overlap. */
static void choose_locs(struct gen *g)
{
	static const struct loc places[] = {
		{ SPACE_GLOBAL, 0, 4, 0, 0 }, { SPACE_GLOBAL, 4, 4, 0, 0 },
		{ SPACE_GLOBAL, 0, 8, 0, 0 }, { SPACE_GLOBAL, 0, 1, 0, 0 },
		{ SPACE_GLOBAL, 1, 1, 0, 0 }, { SPACE_GLOBAL, 2, 2, 0, 0 },
		{ SPACE_GLOBAL, 8, 4, 0, 0 }, { SPACE_GLOBAL, 8, 1, 0, 0 },
		{ SPACE_STACK, 0, 4, 0, 0 },  { SPACE_STACK, 0, 8, 0, 0 },
		{ SPACE_STACK, 4, 2, 0, 0 },
	};
	unsigned count = 9 + (g->main_stays ? 2 : 0);
	g->locs = 2 + below(g, 2);
	for (unsigned i = 0; i < g->locs; i++) {
		/* Two variables of their own are the usual case. */
		unsigned n = chance(g, 50) ? i % 2 : below(g, g->main_stays ? count : 8);
		g->loc[i] = places[n];
		g->stack_is_used |= places[n].space == SPACE_STACK;
	}
}

static void say_something(struct gen *g, unsigned theme)
{
	if (theme < BASIC_PHRASES)
		basic_phrases[theme](g);
	else if (theme < BASIC_PHRASES + WIDE_PHRASES)
		wide_phrases[theme - BASIC_PHRASES](g);
	else if (theme < BASIC_PHRASES + WIDE_PHRASES + MIXED_PHRASES)
		mixed_phrases[theme - BASIC_PHRASES - WIDE_PHRASES](g);
	else
		(theme < SIGNAL_FIRST ? promise_phrases[theme - PROMISE_FIRST]
				      : signal_phrases[theme - SIGNAL_FIRST])(g);
}

static void write_worker(struct gen *g, unsigned t, const unsigned *themes, unsigned count,
			 unsigned room)
{
	g->t = t;
	g->next_reg = 0;
	while (g->p->len[t] < room)
		say_something(g, themes[below(g, count)]);
	/* Nobody else tells what it has seen. */
	if (!g->main_stays && chance(g, 50))
		put(g, OP_PRINT)->regs = 3;
}

/* Everything that is left, read and printed. */
static void write_summary(struct gen *g, unsigned regs)
{
	for (unsigned word = 0; word < 2; word++) {
		struct insn *in = put(g, OP_LOAD);
		in->reg = (uint8_t)regs;
		in->loc = (struct loc){ SPACE_GLOBAL, (uint8_t)(8 * word), 8, 0, 0 };
		regs++;
	}
	if (g->stack_is_used) {
		struct insn *in = put(g, OP_LOAD);
		in->reg = (uint8_t)regs++;
		in->loc = (struct loc){ SPACE_STACK, 0, 8, 0, 0 };
	}
	put(g, OP_PRINT)->regs = (uint8_t)((1u << regs) - 1);
	if (!g->upper_is_used)
		return;
	for (unsigned word = 2; word < GLOBAL_BYTES / 8; word++) {
		struct insn *in = put(g, OP_LOAD);
		in->reg = (uint8_t)(word - 2);
		in->loc = (struct loc){ SPACE_GLOBAL, (uint8_t)(8 * word), 8, 0, 0 };
	}
	put(g, OP_PRINT)->regs = 3;
}

static void write_main(struct gen *g, unsigned workers, unsigned nested, const unsigned *themes,
		       unsigned count)
{
	unsigned regs = 0;
	g->t = 0;
	g->next_reg = 0;
	for (unsigned w = 1; w <= workers; w++)
		if (w != nested)
			put_call(g, OP_CREATE, w);
	if (chance(g, 15))
		say_something(g, themes[below(g, count)]);
	for (unsigned i = 0; g->has_signals && i < 1 + below(g, 2); i++)
		say_kill(g);
	if (!g->main_stays) {
		put(g, OP_STOP);
		return;
	}
	bool joins = chance(g, 85);
	for (unsigned w = 1; w <= workers && joins; w++)
		if (w != nested)
			put_call(g, OP_JOIN, w)->reg = (uint8_t)regs++;
	if (joins || chance(g, 50))
		write_summary(g, regs);
}

static unsigned some_theme(struct gen *g, bool is_first)
{
	if (g->has_promises && (is_first || chance(g, 30)))
		return PROMISE_FIRST + below(g, PROMISE_PHRASES);
	if (g->has_signals && (is_first || chance(g, 60)))
		return SIGNAL_FIRST + below(g, g->is_weak ? SIGNAL_WEAK_PHRASES : SIGNAL_PHRASES);
	if (g->is_mixed && (is_first || chance(g, 45)))
		return BASIC_PHRASES + WIDE_PHRASES +
		       below(g, g->is_weak ? MIXED_WEAK_PHRASES : MIXED_PHRASES);
	if (g->is_wide && (is_first || chance(g, 40)))
		return BASIC_PHRASES + below(g, g->is_weak ? WIDE_WEAK_PHRASES : WIDE_PHRASES);
	if (g->is_weak)
		return below(g, BASIC_WEAK_PHRASES);
	return is_first ? BASIC_WEAK_PHRASES + below(g, BASIC_PHRASES - BASIC_WEAK_PHRASES)
			: below(g, BASIC_PHRASES);
}

static void write_program(struct gen *g)
{
	unsigned workers = 1 + (unsigned)(below(g, 100) < 88) + (unsigned)(below(g, 100) < 32);
	unsigned themes[3], count = 2 + below(g, 2);
	workers += below(g, 100) < 12;
	if (g->is_small)
		workers = 1 + chance(g, 80);
	memset(g->p, 0, sizeof(*g->p));
	g->upper_is_used = false;
	g->main_stays = chance(g, 88);
	for (unsigned i = 0; i < count; i++)
		themes[i] = some_theme(g, i == 0);
	if (g->is_wide)
		g->p->stdio = (uint8_t)(1 + below(g, STDIOS - 1));
	choose_locs(g);
	if (g->has_signals)
		write_handlers(g);
	g->p->threads = (uint8_t)(workers + 1);
	g->p->sem[0] = (uint8_t)below(g, 3);
	g->p->barrier[0] = (uint8_t)(1 + below(g, workers));
	/* The last worker may be created by the first one. */
	unsigned nested = workers > 1 && chance(g, 15) ? workers : 0;
	for (unsigned w = 1; w <= workers; w++) {
		unsigned room = 2 + below(g, workers == 1   ? 8
					     : workers == 2 ? 6
					     : workers == 3 ? 4
							    : 2);
		if (g->is_small)
			room = 1 + below(g, workers == 1 ? 4 : 3);
		else if (g->has_signals) /* each step may be interrupted */
			room = 1 + below(g, workers == 1 ? 5 : 2);
		else if (g->is_mixed) /* a copy is several steps */
			room = 1 + below(g, workers == 1 ? 6 : workers == 2 ? 4 : 2);
		g->t = w;
		if (w == 1 && nested)
			put_call(g, OP_CREATE, nested);
		write_worker(g, w, themes, count, room + g->p->len[w]);
		if (w == 1 && nested && chance(g, 60))
			put_call(g, OP_JOIN, nested)->reg = 3;
	}
	write_main(g, workers, nested, themes, count);
}

/* Fit to be a test: see gen.h. */
static bool is_fit(const struct prog *p, bool must_be_weak, bool may_be_dull, unsigned divisor)
{
	static const uint64_t limits[] = {
		[MODEL_SC] = 3000, [MODEL_TSO] = 8000, [MODEL_PSO] = 10000
	};
	struct machine m = { .prog = *p };
	bool fit = !prog_check(p);
	unsigned under_sc = 0;
	for (m.model = MODEL_SC; fit && m.model <= MODEL_PSO; m.model++) {
		struct outcomes o = { 0 };
		uint64_t states;
		fit = search_outcomes(&m, limits[m.model] / divisor, &o, &states) && states >= 12 &&
		      o.count <= 64 && !outcomes_end_with(&o, END_UNDEFINED) &&
		      (o.count > 1 || may_be_dull || m.model != MODEL_PSO) &&
		      (o.count > under_sc || !must_be_weak || m.model != MODEL_PSO);
		if (m.model == MODEL_SC)
			under_sc = o.count;
		outcomes_release(&o);
	}
	return fit;
}

/* Every schedule of it can be run. */
static bool is_fit_for_brute_force(const struct prog *p)
{
	struct machine m = { .prog = *p, .model = MODEL_PSO };
	uint64_t states, schedules, classes;
	struct outcomes o = { 0 };
	bool fit = !prog_check(p) && search_outcomes(&m, 3000, &o, &states) &&
		   !outcomes_end_with(&o, END_UNDEFINED) &&
		   search_schedules(&m, SMALL_SCHEDULES, NULL, &schedules, &classes) && classes > 1;
	outcomes_release(&o);
	return fit;
}

void gen_small_program(struct prog *p, uint64_t seed)
{
	struct gen g = { .p = p,
			 .random = seed * 0x9fb21c651e98df25ull + 7,
			 .is_small = true,
			 .rwlock = seed & 1 };
	do {
		g.is_weak = chance(&g, 38);
		write_program(&g);
	} while (!is_fit_for_brute_force(p));
}

void gen_program(struct prog *p, uint64_t seed)
{
	struct gen g = { .p = p, .random = seed * 0x2545f4914f6cdd1dull + 1, .rwlock = seed & 1 };
	g.is_weak = chance(&g, 38);
	bool must_be_weak = g.is_weak && chance(&g, 60);
	do
		write_program(&g);
	while (!is_fit(p, must_be_weak, chance(&g, 10), 1));
}

/* Those with phrases that older families do not have. */
static void make_wide(struct gen *g)
{
	g->is_weak = chance(g, 30);
	do {
		write_program(g);
		if (!prog_uses_stdio(g->p))
			g->p->stdio = STDIO_AS_IT_IS;
	} while (!is_fit(g->p, false, chance(g, 10), g->is_mixed ? 4 : 1));
}

void gen_wide_program(struct prog *p, uint64_t seed)
{
	make_wide(&(struct gen){ .p = p,
				 .random = seed * 0xd1342543de82ef95ull + 3,
				 .rwlock = seed & 1,
				 .is_wide = true });
}

void gen_promise_program(struct prog *p, uint64_t seed)
{
	struct gen g = { .p = p,
			 .random = seed * 0x9e6c63d0876a9a47ull + 11,
			 .rwlock = seed & 1,
			 .has_promises = true };
	g.is_weak = chance(&g, 30);
	do
		write_program(&g);
	while (!(prog_uses(p, OP_FULFIL) || prog_uses(p, OP_OBTAIN)) ||
	       !is_fit(p, false, chance(&g, 10), 2));
}

void gen_mixed_program(struct prog *p, uint64_t seed)
{
	make_wide(&(struct gen){ .p = p,
				 .random = seed * 0xaef17502108ef2d9ull + 5,
				 .rwlock = seed & 1,
				 .is_wide = true,
				 .is_mixed = true });
}

/*
 * Fences are no steps of the reference, but a handler can run before and behind one.  A signal
 * can come before each step of its receiver, so most programs are small.
 */
void gen_signals_program(struct prog *p, uint64_t seed)
{
	struct gen g = { .p = p,
			 .random = seed * 0xc2b2ae3d27d4eb4full + 9,
			 .rwlock = seed & 1,
			 .has_signals = true };
	g.is_weak = chance(&g, 30);
	do
		write_program(&g);
	while (prog_uses(p, OP_FENCE) || !prog_uses_signals(p) ||
	       !is_fit(p, false, chance(&g, 10), seed % 8 ? 10 : 4));
}
