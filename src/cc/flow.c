/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Data flow over the blocks of a function.
 *
 * A function begins at a symbol or at the target of a call, and ends where the next one begins.  Its blocks
 * begin at targets of jumps and behind jumps.  Every block is executed symbolically from the state at its
 * entry, and its final state is joined into the entries of its successors, until no entry changes.  Joining
 * only ever replaces a value by the one unknown that belongs to the place, so this ends.  An indirect jump
 * (a switch) may lead to every block that no direct jump leads to.  A block that nothing leads to (a
 * landing pad) starts with nothing known.
 *
 * Jumps into the middle of another function (parts that the compiler moved away as rarely executed) are not
 * followed: such parts start with nothing known.
 */
#include "cc/flow.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"

#define MAX_ROUNDS 64

struct block {
	uint64_t start, end;
	struct sym_state entry;
	bool has_entry;		/* some way leads here */
	bool is_orphan;		/* no direct jump and no block above leads here */
};

struct function {
	const struct flow_client *client;
	const unsigned char *code;	/* of the section */
	uint64_t base;			/* address of the section */
	uint64_t start, end;
	VEC(struct block) blocks;
	struct map by_start;		/* start: index of the block plus one */
	bool is_of_interest;
};

static bool decode(const struct flow_client *client, const unsigned char *code, uint64_t base, uint64_t at,
		   uint64_t end, struct sym_instruction *in)
{
	in->address = at;
	return ZYAN_SUCCESS(ZydisDecoderDecodeFull(client->decoder, code + (at - base), end - at, &in->base,
						   in->operands));
}

static bool is_direct(const struct sym_instruction *in)
{
	return in->operands[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE && in->operands[0].imm.is_relative;
}

static uint64_t target_of(const struct sym_instruction *in)
{
	return in->address + in->base.length + in->operands[0].imm.value.u;
}

static bool is_call(const struct sym_instruction *in)
{
	return in->base.meta.category == ZYDIS_CATEGORY_CALL;
}

static bool is_conditional(const struct sym_instruction *in)
{
	return in->base.meta.category == ZYDIS_CATEGORY_COND_BR;
}

static bool goes_elsewhere(const struct sym_instruction *in)
{
	return in->base.meta.category == ZYDIS_CATEGORY_UNCOND_BR ||
	       in->base.meta.category == ZYDIS_CATEGORY_RET || in->base.mnemonic == ZYDIS_MNEMONIC_UD2 ||
	       in->base.mnemonic == ZYDIS_MNEMONIC_HLT;
}

static bool is_padding(const struct sym_instruction *in)
{
	return in->base.meta.category == ZYDIS_CATEGORY_NOP ||
	       in->base.meta.category == ZYDIS_CATEGORY_WIDENOP || in->base.mnemonic == ZYDIS_MNEMONIC_NOP ||
	       in->base.mnemonic == ZYDIS_MNEMONIC_INT3 ||
	       (in->base.mnemonic == ZYDIS_MNEMONIC_XCHG &&
		in->operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
		in->operands[1].type == ZYDIS_OPERAND_TYPE_REGISTER &&
		in->operands[0].reg.value == in->operands[1].reg.value);
}

static int compare_addresses(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

struct addresses {
	VEC(uint64_t) list;
};

static void sort_unique(struct addresses *a)
{
	if (!a->list.len)
		return;
	qsort(a->list.at, a->list.len, sizeof(uint64_t), compare_addresses);
	size_t kept = 1;
	for (size_t i = 1; i < a->list.len; i++)
		if (a->list.at[i] != a->list.at[kept - 1])
			a->list.at[kept++] = a->list.at[i];
	a->list.len = kept;
}

/* Find the blocks; what cannot be decoded ends a block and is skipped byte by byte. */
static void find_blocks(struct function *f)
{
	struct addresses starts = {0};
	struct sym_instruction in;
	vec_push(&starts.list, f->start);
	for (uint64_t at = f->start; at < f->end;) {
		if (!decode(f->client, f->code, f->base, at, f->end, &in)) {
			vec_push(&starts.list, ++at);
			continue;
		}
		at += in.base.length;
		if (is_call(&in)) {
			f->is_of_interest |= f->client->classify(f->client->ctx, &in) == FLOW_OF_INTEREST;
			continue;
		}
		/* Behind a jump that is always taken comes padding, which nothing executes. */
		for (struct sym_instruction pad; goes_elsewhere(&in) && at < f->end; at += pad.base.length)
			if (!decode(f->client, f->code, f->base, at, f->end, &pad) || !is_padding(&pad))
				break;
		if ((is_conditional(&in) || goes_elsewhere(&in)) && at < f->end)
			vec_push(&starts.list, at);
		bool is_jump = is_conditional(&in) || in.base.meta.category == ZYDIS_CATEGORY_UNCOND_BR;
		if (is_jump && is_direct(&in) && target_of(&in) >= f->start && target_of(&in) < f->end)
			vec_push(&starts.list, target_of(&in));
	}
	sort_unique(&starts);
	for (size_t i = 0; i < starts.list.len && f->is_of_interest; i++) {
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
 * Execute one block.  Either report its calls of interest, or pass its final state on and tell whether that
 * changed any entry.
 */
static bool run_block(struct function *f, struct block *b, bool reports)
{
	struct sym_state state = b->entry;
	struct sym_instruction in;
	bool changed = false;
	uint64_t at = b->start;
	while (at < b->end) {
		if (!decode(f->client, f->code, f->base, at, f->end, &in))
			return changed;
		at += in.base.length;
		if (is_call(&in)) {
			enum flow_call call = f->client->classify(f->client->ctx, &in);
			if (reports && call == FLOW_OF_INTEREST)
				f->client->each(f->client->ctx, &state, &in);
			sym_after_call(&state, in.address, call != FLOW_FUNCTION);
		} else if (is_conditional(&in) || goes_elsewhere(&in)) {
			if (is_direct(&in))
				changed |= !reports && flow_into(block_at(f, target_of(&in)), &state);
			else if (in.base.meta.category == ZYDIS_CATEGORY_UNCOND_BR)
				for (size_t i = 0; i < f->blocks.len && !reports; i++)
					changed |= f->blocks.at[i].is_orphan &&
						   flow_into(&f->blocks.at[i], &state);
			if (goes_elsewhere(&in))
				return changed;
		} else {
			struct sym_effect effect;
			sym_step(&state, &in, &effect);
		}
	}
	return changed | (!reports && flow_into(block_at(f, at), &state));
}

/* Which blocks no direct way leads to; the first one is entered by calls. */
static void find_orphans(struct function *f)
{
	for (size_t i = 0; i < f->blocks.len; i++) {
		struct sym_instruction in = {0};
		const struct block *b = &f->blocks.at[i];
		bool is_valid = true, falls = true;
		for (uint64_t at = b->start; at < b->end && is_valid && falls; at += in.base.length) {
			is_valid = decode(f->client, f->code, f->base, at, f->end, &in);
			struct block *to =
				is_valid && (is_conditional(&in) || goes_elsewhere(&in)) && is_direct(&in)
					? block_at(f, target_of(&in))
					: NULL;
			if (to)
				to->is_orphan = false;
			falls = is_valid && !goes_elsewhere(&in);
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

/* Pass states along until nothing changes; false if that takes far more rounds than compiled code needs. */
static bool settle(struct function *f)
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
	find_blocks(f);
	if (!f->blocks.len)
		return;
	find_orphans(f);
	bool is_settled = true;
	for (size_t i = 0; i < f->blocks.len; i++) {
		/* The first block, then those that nothing led to. */
		if (f->blocks.at[i].has_entry)
			continue;
		start_block(f, &f->blocks.at[i]);
		is_settled = is_settled && settle(f);
	}
	for (size_t i = 0; i < f->blocks.len; i++) {
		if (!is_settled)
			start_block(f, &f->blocks.at[i]);
		run_block(f, &f->blocks.at[i], true);
	}
}

void flow_section(const struct flow_client *client, const struct image *img, size_t section)
{
	const Elf64_Shdr *s = &img->sections.at[section];
	const unsigned char *code = image_section_bytes(img, section);
	uint64_t end = s->sh_addr + s->sh_size;
	if (!code)
		return;
	struct addresses starts = {0};
	struct sym_instruction in;
	vec_push(&starts.list, s->sh_addr);
	for (size_t i = 0; i < img->symbols.len; i++) {
		const struct image_symbol *sym = &img->symbols.at[i];
		if (sym->is_defined && sym->type == STT_FUNC && sym->address >= s->sh_addr &&
		    sym->address < end)
			vec_push(&starts.list, sym->address);
	}
	for (uint64_t at = s->sh_addr; at < end; at += in.base.length) {
		if (!decode(client, code, s->sh_addr, at, end, &in))
			in.base.length = 1;
		else if (is_call(&in) && is_direct(&in) && target_of(&in) >= s->sh_addr &&
			 target_of(&in) < end)
			vec_push(&starts.list, target_of(&in));
	}
	sort_unique(&starts);
	for (size_t i = 0; i < starts.list.len; i++) {
		struct function f = {
			.client = client, .code = code, .base = s->sh_addr, .start = starts.list.at[i]
		};
		f.end = i + 1 < starts.list.len ? starts.list.at[i + 1] : end;
		run_function(&f);
		vec_release(&f.blocks);
		map_release(&f.by_start);
	}
	vec_release(&starts.list);
}
