/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Greedy shrinking: whole threads, then pieces of threads from large to small, then single
 * instructions made simpler, and all of it again until nothing helps.  Candidates that are not
 * well formed or may do something undefined are not asked about, so what is left is a program
 * that means something.
 */
#include "shrink.h"

#include <string.h>

#include "search.h"

struct shrink {
	struct prog *best;
	shows_fault_fn *shows_fault;
	void *arg;
};

static bool is_defined(const struct prog *p)
{
	struct machine m = { .prog = *p };
	bool defined = !prog_check(p);
	for (m.model = MODEL_SC; defined && m.model <= MODEL_PSO; m.model++) {
		struct outcomes o = { 0 };
		uint64_t states;
		defined = search_outcomes(&m, 100000, &o, &states) &&
			  !outcomes_end_with(&o, END_UNDEFINED);
		outcomes_release(&o);
	}
	return defined;
}

static bool try_this(struct shrink *sh, const struct prog *p)
{
	if (!is_defined(p) || !sh->shows_fault(p, sh->arg))
		return false;
	*sh->best = *p;
	return true;
}

/*
 * Blocks around the removed instructions become shorter; a block whose head is removed is part of
 * what surrounds it.
 */
static void remove_insns(struct prog *p, unsigned t, unsigned first, unsigned count)
{
	for (unsigned i = 0; i < first; i++) {
		struct insn *in = &p->code[t][i];
		unsigned end = i + 1 + in->skip;
		if (!strchr(op_operands[in->op], 'n') || end <= first)
			continue;
		in->skip = (uint8_t)(in->skip - (end < first + count ? end - first : count));
	}
	for (unsigned i = first + count; i < p->len[t]; i++) {
		struct insn *in = &p->code[t][i];
		if (in->op != OP_AGAIN || i - in->skip >= first + count)
			continue;
		unsigned begin = i - in->skip > first ? i - in->skip : first;
		in->skip = (uint8_t)(in->skip - (first + count - begin));
	}
	memmove(&p->code[t][first], &p->code[t][first + count],
		(p->len[t] - first - count) * sizeof(p->code[t][0]));
	p->len[t] = (uint8_t)(p->len[t] - count);
}

static void remove_uses(struct prog *p, unsigned thread)
{
	for (unsigned t = 0; t < p->threads; t++)
		for (unsigned i = p->len[t]; i-- > 0;) {
			struct insn *in = &p->code[t][i];
			if (!strchr(op_operands[in->op], 't'))
				continue;
			if (in->obj == thread)
				remove_insns(p, t, i, 1);
			else if (in->obj > thread)
				in->obj--;
		}
}

static bool drop_threads(struct shrink *sh)
{
	bool better = false;
	for (unsigned t = sh->best->threads; t-- > 1;) {
		struct prog p = *sh->best;
		for (unsigned later = t; later + 1u < p.threads; later++) {
			memcpy(p.code[later], p.code[later + 1], sizeof(p.code[later]));
			p.len[later] = p.len[later + 1];
		}
		p.threads--;
		p.len[p.threads] = 0;
		remove_uses(&p, t);
		better |= try_this(sh, &p);
	}
	return better;
}

static bool drop_pieces(struct shrink *sh, unsigned size)
{
	bool better = false;
	for (unsigned t = 0; t < sh->best->threads; t++)
		for (unsigned i = 0; i + size <= sh->best->len[t];) {
			struct prog p = *sh->best;
			remove_insns(&p, t, i, size);
			if (try_this(sh, &p))
				better = true;
			else
				i++;
		}
	return better;
}

/* A pair, as lock and unlock, that cannot be left out one by one. */
static bool drop_pairs(struct shrink *sh)
{
	bool better = false;
	for (unsigned t = 0; t < sh->best->threads; t++)
		for (unsigned i = 0; i < sh->best->len[t]; i++)
			for (unsigned k = i + 1; k < sh->best->len[t]; k++) {
				struct prog p = *sh->best;
				remove_insns(&p, t, k, 1);
				remove_insns(&p, t, i, 1);
				better |= try_this(sh, &p);
			}
	return better;
}

static bool simplify(struct shrink *sh)
{
	bool better = false;
	for (unsigned t = 0; t < sh->best->threads; t++)
		for (unsigned i = 0; i < sh->best->len[t]; i++)
			for (unsigned how = 0; how < 6; how++) {
				struct prog p = *sh->best;
				struct insn *in = &p.code[t][i], before = *in;
				if (how == 0 &&
				    (in->prefix == PREFIX_RETRY || in->prefix == PREFIX_ONCE))
					in->prefix = PREFIX_NONE;
				else if (how == 1 && strchr(op_operands[in->op], 'o') &&
					 in->op != OP_FENCE)
					in->order = ORDER_PLAIN;
				else if (how == 2 && strchr(op_operands[in->op], 'l'))
					in->loc.size =
						in->loc.space == SPACE_INDEXED ? 1 : in->loc.size;
				else if (how == 3 && strchr(op_operands[in->op], 'v') &&
					 in->val.number > 1)
					in->val = (struct value){ false, 1 };
				else if (how == 4 && strchr(op_operands[in->op], 'd'))
					in->loc.size = in->from.size = 8;
				else if (how == 5 && strchr(op_operands[in->op], 'd'))
					in->loc.offset = (uint8_t)(in->loc.offset / 8 * 8);
				if (memcmp(in, &before, sizeof(before)))
					better |= try_this(sh, &p);
			}
	return better;
}

void shrink(struct prog *p, shows_fault_fn *shows_fault, void *arg)
{
	struct shrink sh = { p, shows_fault, arg };
	bool better;
	do {
		better = drop_threads(&sh);
		for (unsigned size = 8; size; size /= 2)
			better |= drop_pieces(&sh, size);
		better |= drop_pairs(&sh);
		better |= simplify(&sh);
	} while (better);
}
