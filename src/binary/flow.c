/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Data flow over the basic blocks of a function (code.h).
 *
 * Each block is executed symbolically from its entry state.  Its final state is joined into the
 * entry states of its successors, until no entry changes.  This terminates: a join only replaces
 * values by the one unknown of that program point.  An indirect jump (a switch) may go to every
 * block without a direct predecessor.  A block without any predecessor (a landing pad) starts
 * with an unknown state.
 *
 * Jumps into the middle of another function (cold parts that the compiler moved away) are not
 * followed: such parts start with an unknown state.
 */
#include "binary/flow.h"

#include "base/map.h"
#include "binary/code.h"

#define MAX_ROUNDS 64

struct block {
	uint64_t start, end;
	struct sym_state entry;
	/* `entry` is set: a predecessor was executed, or the block is a start */
	bool has_entry;
	/* without a direct predecessor: neither a direct jump nor fall-through */
	bool is_orphan;
};

struct function {
	const struct flow_client *client;
	const struct code *code;
	uint64_t start, end;
	VEC(struct block) blocks;
	struct map by_start; /* start: index of the block plus one */
};

static bool has_call_of_interest(const struct function *f)
{
	struct sym_instruction in;
	for (uint64_t at = f->start; at < f->end; at += in.base.length) {
		if (!code_decode(f->code, at, f->end, &in))
			in.base.length = 1;
		else if (code_is_call(&in) &&
			 f->client->classify(f->client->ctx, &in) == FLOW_OF_INTEREST)
			return true;
	}
	return false;
}

static void find_blocks(struct function *f)
{
	struct addresses starts = { 0 };
	code_blocks(f->code, f->start, f->end, &starts);
	for (size_t i = 0; i < starts.list.len; i++) {
		struct block *b = vec_add(&f->blocks);
		b->start = starts.list.at[i];
		b->end = i + 1 < starts.list.len ? starts.list.at[i + 1] : f->end;
		b->is_orphan = true;
		*map_put(&f->by_start, b->start, NULL) = f->blocks.len;
	}
	vec_release(&starts.list);
}

static struct block *block_at(struct function *f, uint64_t start)
{
	uint64_t *index = map_get(&f->by_start, start);
	return index ? &f->blocks.at[*index - 1] : NULL;
}

static bool flow_into(struct block *b, const struct sym_state *state)
{
	if (!b)
		return false;
	if (b->has_entry)
		return sym_join(&b->entry, state, b->start);
	b->entry = *state;
	b->has_entry = true;
	return true;
}

/*
 * Execute one block.  With `reports`, report its calls of interest.  Otherwise join its final
 * state into its successors and return whether that changed any entry.
 */
static bool run_block(struct function *f, struct block *b, bool reports)
{
	struct sym_state state = b->entry;
	struct sym_instruction in;
	bool changed = false;
	uint64_t at = b->start;
	while (at < b->end) {
		if (!code_decode(f->code, at, f->end, &in))
			return changed;
		at += in.base.length;
		if (code_is_call(&in)) {
			enum flow_call call = f->client->classify(f->client->ctx, &in);
			if (reports && call == FLOW_OF_INTEREST)
				f->client->each(f->client->ctx, &state, &in);
			sym_after_call(&state, in.address, call != FLOW_FUNCTION);
		} else if (code_is_conditional(&in) || code_never_falls_through(&in)) {
			if (code_is_direct(&in))
				changed |= !reports &&
					   flow_into(block_at(f, code_target(&in)), &state);
			else if (in.base.meta.category == ZYDIS_CATEGORY_UNCOND_BR)
				for (size_t i = 0; i < f->blocks.len && !reports; i++)
					changed |= f->blocks.at[i].is_orphan &&
						   flow_into(&f->blocks.at[i], &state);
			if (code_never_falls_through(&in))
				return changed;
		} else {
			struct sym_effect effect;
			sym_step(&state, &in, &effect);
		}
	}
	return changed | (!reports && flow_into(block_at(f, at), &state));
}

/* Mark the blocks without a direct predecessor.  The first block is entered by calls. */
static void find_orphans(struct function *f)
{
	for (size_t i = 0; i < f->blocks.len; i++) {
		struct sym_instruction in = { 0 };
		const struct block *b = &f->blocks.at[i];
		bool is_valid = true, falls = true;
		for (uint64_t at = b->start; at < b->end && is_valid && falls;
		     at += in.base.length) {
			is_valid = code_decode(f->code, at, f->end, &in);
			struct block *to = is_valid &&
							   (code_is_conditional(&in) ||
							    code_never_falls_through(&in)) &&
							   code_is_direct(&in)
						   ? block_at(f, code_target(&in))
						   : NULL;
			if (to)
				to->is_orphan = false;
			falls = is_valid && !code_never_falls_through(&in);
		}
		if (falls && i + 1 < f->blocks.len)
			f->blocks.at[i + 1].is_orphan = false;
	}
	f->blocks.at[0].is_orphan = false;
}

static void start_block(const struct function *f, struct block *b)
{
	sym_reset(&b->entry, b->start);
	b->entry.constant_from = f->client->constant_from;
	b->entry.constant_to = f->client->constant_to;
	b->has_entry = true;
}

/* Iterate to the fixed point; false if that takes far more rounds than compiled code needs. */
static bool reach_fixed_point(struct function *f)
{
	bool changed = true;
	for (int round = 0; changed; round++) {
		if (round == MAX_ROUNDS)
			return false;
		changed = false;
		for (size_t i = 0; i < f->blocks.len; i++)
			if (f->blocks.at[i].has_entry)
				changed |= run_block(f, &f->blocks.at[i], false);
	}
	return true;
}

static void run_function(struct function *f)
{
	if (!has_call_of_interest(f))
		return;
	find_blocks(f);
	find_orphans(f);
	bool has_fixed_point = true;
	for (size_t i = 0; i < f->blocks.len; i++) {
		/* The first block, then those that were not reached from an earlier start. */
		if (f->blocks.at[i].has_entry)
			continue;
		start_block(f, &f->blocks.at[i]);
		has_fixed_point = has_fixed_point && reach_fixed_point(f);
	}
	for (size_t i = 0; i < f->blocks.len; i++) {
		if (!has_fixed_point)
			start_block(f, &f->blocks.at[i]);
		run_block(f, &f->blocks.at[i], true);
	}
}

void flow_section(const struct flow_client *client, const struct image *img, size_t section)
{
	struct code code;
	if (!code_of_section(&code, client->decoder, img, section))
		return;
	struct addresses starts = { 0 };
	code_functions(&code, img, &starts);
	for (size_t i = 0; i < starts.list.len; i++) {
		struct function f = { .client = client, .code = &code, .start = starts.list.at[i] };
		f.end = i + 1 < starts.list.len ? starts.list.at[i + 1] : code.end;
		run_function(&f);
		vec_release(&f.blocks);
		map_release(&f.by_start);
	}
	vec_release(&starts.list);
}
