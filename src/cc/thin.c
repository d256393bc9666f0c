/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Removing branch callbacks; see thin.h.
 *
 * A callback is removed
 *   behind another one of its block: no decision lies between them;
 *   of a block whose predecessors all lead nowhere else and keep one: those tell that it follows (the end of
 *   an if, the
 *     head of a loop);
 *   of a block behind which no call comes, whose successors have no other predecessor and keep one in front
 *   of all other
 *     calls: those tell that it came before (a condition).
 *
 * Of two blocks where one follows the other at most one loses its callback.  So the path that is left tells
 * which blocks were passed, each in its place: a removed one stands behind the only predecessor that has it
 * as its only successor, or in front of a successor that has no other predecessor.  Every loop keeps a
 * callback, and between a decision and the next hook of another kind there is still one, so that bits on
 * events mean the same: only an access that comes after no decision, but at the beginning of a block, has the
 * bit no more.
 *
 * All ways into a block must be seen.  Functions are left alone if they have indirect jumps, jump to one that
 * has (it may be a part of theirs that was moved away), are entered in their middle from elsewhere, or may
 * have landing pads.
 */
#include "cc/thin.h"

#include <string.h>

#include "binary/calls.h"

struct callback {
	uint64_t address;
	unsigned length;
};

enum fate { FATE_OPEN, FATE_KEPT, FATE_REMOVED };

struct block {
	uint64_t start, end;
	VEC(struct callback) callbacks;
	bool is_first;		/* no other call stands in front of its first callback */
	bool is_last;		/* nor behind it */
	bool is_entered;	/* by a call */
	bool leaves;		/* a jump leads out of the function */
	uint32_t next[2];	/* successors, */
	unsigned next_count;	/* so many */
	unsigned pred_count;
	bool all_preds_tell;	/* each has this block as only successor, and a callback */
	enum fate fate;		/* of its first callback */
};

struct function {
	uint64_t start, end;
	bool has_indirect_jumps;
	bool is_left_alone;
};

struct thinning {
	struct calls calls;
	unsigned char *bytes;
	struct thin_report *report;
	struct code code;			/* the section at hand */
	VEC(struct function) functions;		/* in it, by address */
	bool has_landing_pads;			/* some function of the file has */
	/* Of the function at hand. */
	VEC(struct block) blocks;
	struct map by_start;			/* start: index of the block plus one */
};

/* ---- functions ---- */

static struct function *function_at(struct thinning *t, uint64_t address)
{
	size_t low = 0, high = t->functions.len;
	while (high - low > 1) {
		size_t middle = (low + high) / 2;
		if (t->functions.at[middle].start <= address)
			low = middle;
		else
			high = middle;
	}
	return low < t->functions.len && address >= t->functions.at[low].start &&
			       address < t->functions.at[low].end
		       ? &t->functions.at[low]
		       : NULL;
}

/* A jump through a table or register; one through a slot at a fixed place is a call of a function of a
 * library. */
static bool is_indirect_jump(const struct sym_instruction *in)
{
	return code_is_jump(in) && !code_target(in);
}

static void find_functions(struct thinning *t)
{
	struct addresses starts = {0};
	struct sym_instruction in;
	code_functions(&t->code, t->calls.img, &starts);
	for (size_t i = 0; i < starts.list.len; i++) {
		struct function *f = vec_add(&t->functions);
		f->start = starts.list.at[i];
		f->end = i + 1 < starts.list.len ? starts.list.at[i + 1] : t->code.end;
		for (uint64_t at = f->start; at < f->end; at += in.base.length) {
			if (!code_decode(&t->code, at, f->end, &in))
				in.base.length = 1;
			else if (is_indirect_jump(&in))
				f->has_indirect_jumps = f->is_left_alone = true;
		}
	}
	vec_release(&starts.list);
}

/* Ways between functions that are no calls; and calls that may end in a landing pad. */
static void find_odd_ways(struct thinning *t)
{
	struct sym_instruction in;
	for (size_t i = 0; i < t->functions.len; i++) {
		struct function *f = &t->functions.at[i];
		for (uint64_t at = f->start; at < f->end; at += in.base.length) {
			if (!code_decode(&t->code, at, f->end, &in)) {
				in.base.length = 1;
				continue;
			}
			if (code_is_call(&in) && !calls_hook(&t->calls, &in))
				f->is_left_alone |= t->has_landing_pads;
			struct function *to = code_is_jump(&in) && code_is_direct(&in)
						      ? function_at(t, code_target(&in))
						      : NULL;
			if (!to || to == f)
				continue;
			f->is_left_alone |= to->has_indirect_jumps;
			to->is_left_alone |= to->start != code_target(&in);
		}
	}
}

/* ---- blocks ---- */

static void clear_blocks(struct thinning *t)
{
	for (size_t i = 0; i < t->blocks.len; i++)
		vec_release(&t->blocks.at[i].callbacks);
	t->blocks.len = 0;
	map_clear(&t->by_start);
}

static void lead_to(struct thinning *t, struct block *b, uint64_t address)
{
	const uint64_t *index = map_get(&t->by_start, address);
	if (!index)
		b->leaves = true;
	else if (!b->next_count || b->next[0] != *index - 1)
		b->next[b->next_count++] = (uint32_t)*index - 1;
}

static void read_block(struct thinning *t, struct block *b)
{
	struct sym_instruction in;
	bool falls = true, has_call = false;
	b->is_last = true;
	for (uint64_t at = b->start; at < b->end && falls; at += in.base.length) {
		if (!code_decode(&t->code, at, b->end, &in))
			return;
		const struct hook *hook = code_is_call(&in) ? calls_hook(&t->calls, &in) : NULL;
		if (hook && hook->kind == HOOK_BRANCH) {
			b->is_first |= !has_call && !b->callbacks.len;
			vec_push(&b->callbacks, ((struct callback){ at, in.base.length }));
		} else if (code_is_call(&in)) {
			has_call = true;
			b->is_last &= !b->callbacks.len;
		}
		if (code_is_jump(&in))
			lead_to(t, b, code_target(&in));
		falls = !code_never_falls_through(&in);
	}
	if (falls)
		lead_to(t, b, b->end);
}

static void find_blocks(struct thinning *t, const struct function *f)
{
	struct addresses starts = {0};
	bool is_whole = code_blocks(&t->code, f->start, f->end, &starts);
	for (size_t i = 0; i < starts.list.len && is_whole; i++) {
		struct block *b = vec_add(&t->blocks);
		b->start = starts.list.at[i];
		b->end = i + 1 < starts.list.len ? starts.list.at[i + 1] : f->end;
		b->is_entered = i == 0;
		b->all_preds_tell = true;
		*map_put(&t->by_start, b->start, NULL) = t->blocks.len;
	}
	vec_release(&starts.list);
	for (size_t i = 0; i < t->blocks.len; i++)
		read_block(t, &t->blocks.at[i]);
	for (size_t i = 0; i < t->blocks.len; i++) {
		const struct block *b = &t->blocks.at[i];
		for (unsigned k = 0; k < b->next_count; k++) {
			struct block *to = &t->blocks.at[b->next[k]];
			to->pred_count++;
			to->all_preds_tell &= b->next_count == 1 && !b->leaves && b->callbacks.len;
		}
	}
}

/* ---- which callbacks go ---- */

/* Predecessors that tell that a block follows: none has lost its callback, and from now on none may. */
static bool keep_preds(struct thinning *t, uint32_t of)
{
	for (int mark = 0; mark < 2; mark++) {
		for (size_t i = 0; i < t->blocks.len; i++) {
			struct block *b = &t->blocks.at[i];
			if (b->next_count != 1 || b->next[0] != of)
				continue;
			if (mark)
				b->fate = FATE_KEPT;
			else if (b->fate == FATE_REMOVED || i == of)
				return false;
		}
	}
	return true;
}

static bool keep_successors(struct thinning *t, const struct block *b)
{
	for (unsigned k = 0; k < b->next_count; k++) {
		const struct block *to = &t->blocks.at[b->next[k]];
		if (to == b || to->is_entered || to->pred_count != 1 || !to->is_first ||
		    to->fate == FATE_REMOVED)
			return false;
	}
	for (unsigned k = 0; k < b->next_count; k++)
		t->blocks.at[b->next[k]].fate = FATE_KEPT;
	return true;
}

static void decide(struct thinning *t)
{
	for (uint32_t i = 0; i < t->blocks.len; i++) {
		struct block *b = &t->blocks.at[i];
		if (b->callbacks.len && b->fate == FATE_OPEN && !b->is_entered && b->pred_count &&
		    b->all_preds_tell && keep_preds(t, i))
			b->fate = FATE_REMOVED;
	}
	for (uint32_t i = 0; i < t->blocks.len; i++) {
		struct block *b = &t->blocks.at[i];
		if (b->callbacks.len && b->fate == FATE_OPEN && b->is_last && b->next_count && !b->leaves &&
		    keep_successors(t, b))
			b->fate = FATE_REMOVED;
	}
}

/* Instructions of five and six bytes (a call through a slot, or what the linker made of one) that do
 * nothing. */
static void remove_call(struct thinning *t, const struct callback *c)
{
	static const unsigned char nothing[] = { 0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00 };
	const struct image *img = t->calls.img;
	const unsigned char *at = image_at(img, c->address, c->length, NULL);
	if (!at || (c->length != 5 && c->length != 6))
		return;
	memcpy(t->bytes + (at - img->bytes), nothing + 6 - c->length, c->length);
	t->report->removed++;
}

static void thin_function(struct thinning *t, const struct function *f)
{
	find_blocks(t, f);
	if (!f->is_left_alone)
		decide(t);
	for (size_t i = 0; i < t->blocks.len; i++) {
		const struct block *b = &t->blocks.at[i];
		t->report->callbacks += b->callbacks.len;
		for (size_t k = b->fate == FATE_REMOVED ? 0 : 1; k < b->callbacks.len && !f->is_left_alone;
		     k++)
			remove_call(t, &b->callbacks.at[k]);
	}
	clear_blocks(t);
}

int thin_callbacks(const struct image *img, unsigned char *bytes, struct thin_report *report, struct err *err)
{
	struct thinning t = { .bytes = bytes, .report = report };
	memset(report, 0, sizeof(*report));
	int rc = calls_open(&t.calls, img, err);
	for (size_t i = 1; i < img->sections.len && !rc; i++)
		t.has_landing_pads |= !strcmp(image_section_name(img, i), ".gcc_except_table");
	for (size_t i = 1; i < img->sections.len && !rc; i++) {
		if (!calls_covers_section(&t.calls, i) || !code_of_section(&t.code, &t.calls.decoder, img, i))
			continue;
		t.functions.len = 0;
		find_functions(&t);
		find_odd_ways(&t);
		for (size_t k = 0; k < t.functions.len; k++)
			thin_function(&t, &t.functions.at[k]);
	}
	vec_release(&t.functions);
	vec_release(&t.blocks);
	map_release(&t.by_start);
	calls_close(&t.calls);
	return rc;
}
