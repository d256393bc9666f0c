/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Removal of redundant branch callbacks; see thin.h.
 *
 * A callback is removed in three cases:
 *   1. It follows another callback of the same block: there is no branch between them.
 *   2. All predecessors of its block have no other successor, and keep a callback.  Each of those
 *      callbacks implies this one (the end of an if, the head of a loop).
 *   3. No call follows it in its block, and each successor of the block has no other predecessor
 *      and keeps a callback before all other calls.  Each of those callbacks implies this one (a
 *      condition).
 *
 * Of two adjacent blocks at most one loses its first callback.  So the path can be reconstructed
 * from the callbacks that remain: a removed one follows that of a predecessor whose only
 * successor its block is, or precedes that of a successor whose only predecessor its block is.
 * Every loop keeps a callback.  Between a branch and the next hook of another kind there is still
 * a callback, so the branch bits of events keep their meaning, with one exception: an access at
 * the beginning of a block that no branch precedes loses its bit.
 *
 * All edges into a block must be known.  A function is excluded if it has indirect jumps, jumps
 * to a function that has (which may be a part of it that the compiler moved away), is entered in
 * its middle from another function, or may have landing pads.
 */
#include "cc/thin.h"

#include <string.h>

#include "binary/calls.h"

struct callback {
	uint64_t address;
	unsigned length;
};

enum fate { FATE_UNDECIDED, FATE_KEPT, FATE_REMOVED };

struct block {
	uint64_t start, end;
	VEC(struct callback) callbacks;
	bool is_first;	  /* no other call precedes its first callback */
	bool is_last;	  /* no other call follows its callbacks */
	bool is_entered;  /* it is the entry of the function */
	bool leaves;	  /* a jump leaves the function */
	uint32_t next[2]; /* successors */
	unsigned next_count;
	unsigned pred_count;
	/* each predecessor has a callback, and this block as only successor */
	bool preds_imply_it;
	enum fate fate; /* of its first callback */
};

struct function {
	uint64_t start, end;
	bool has_indirect_jumps;
	bool is_excluded;
};

struct thinning {
	struct calls calls;
	unsigned char *bytes;
	struct thin_report *report;
	struct code code;		/* the current section */
	VEC(struct function) functions; /* of the section, by address */
	bool has_landing_pads;		/* some function of the file has them */
	/* Of the current function. */
	VEC(struct block) blocks;
	struct map by_start; /* start: index of the block plus one */
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

/*
 * A jump through a table or register.  A jump through a slot at a fixed address is a tail call of a
 * library.
 */
static bool is_indirect_jump(const struct sym_instruction *in)
{
	return code_is_jump(in) && !code_target(in);
}

static void find_functions(struct thinning *t)
{
	struct addresses starts = { 0 };
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
				f->has_indirect_jumps = f->is_excluded = true;
		}
	}
	vec_release(&starts.list);
}

/* Exclude functions with jumps from or to other functions, and those whose calls may end in a
 * landing pad. */
static void exclude_irregular(struct thinning *t)
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
				f->is_excluded |= t->has_landing_pads;
			struct function *to = code_is_jump(&in) && code_is_direct(&in)
						      ? function_at(t, code_target(&in))
						      : NULL;
			if (!to || to == f)
				continue;
			f->is_excluded |= to->has_indirect_jumps;
			to->is_excluded |= to->start != code_target(&in);
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

static void add_successor(struct thinning *t, struct block *b, uint64_t address)
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
			add_successor(t, b, code_target(&in));
		falls = !code_never_falls_through(&in);
	}
	if (falls)
		add_successor(t, b, b->end);
}

static void find_blocks(struct thinning *t, const struct function *f)
{
	struct addresses starts = { 0 };
	bool is_whole = code_blocks(&t->code, f->start, f->end, &starts);
	for (size_t i = 0; i < starts.list.len && is_whole; i++) {
		struct block *b = vec_add(&t->blocks);
		b->start = starts.list.at[i];
		b->end = i + 1 < starts.list.len ? starts.list.at[i + 1] : f->end;
		b->is_entered = i == 0;
		b->preds_imply_it = true;
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
			to->preds_imply_it &= b->next_count == 1 && !b->leaves && b->callbacks.len;
		}
	}
}

/* ---- which callbacks are removed ---- */

/* If no predecessor has lost its callback: mark them all as kept.  Otherwise false, and nothing
 * changes. */
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

/* The same for successors, which must also imply this block (case 3 above). */
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

static void choose_removed(struct thinning *t)
{
	for (uint32_t i = 0; i < t->blocks.len; i++) {
		struct block *b = &t->blocks.at[i];
		if (b->callbacks.len && b->fate == FATE_UNDECIDED && !b->is_entered &&
		    b->pred_count && b->preds_imply_it && keep_preds(t, i))
			b->fate = FATE_REMOVED;
	}
	for (uint32_t i = 0; i < t->blocks.len; i++) {
		struct block *b = &t->blocks.at[i];
		if (b->callbacks.len && b->fate == FATE_UNDECIDED && b->is_last && b->next_count &&
		    !b->leaves && keep_successors(t, b))
			b->fate = FATE_REMOVED;
	}
}

/* Overwrite a call by a no-op of the same length: five bytes, or six for a call through a slot. */
static void remove_call(struct thinning *t, const struct callback *c)
{
	static const unsigned char no_op[] = { 0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00 };
	const struct image *img = t->calls.img;
	const unsigned char *at = image_at(img, c->address, c->length, NULL);
	if (!at || (c->length != 5 && c->length != 6))
		return;
	memcpy(t->bytes + (at - img->bytes), no_op + 6 - c->length, c->length);
	t->report->removed++;
}

static void thin_function(struct thinning *t, const struct function *f)
{
	find_blocks(t, f);
	if (!f->is_excluded)
		choose_removed(t);
	for (size_t i = 0; i < t->blocks.len; i++) {
		const struct block *b = &t->blocks.at[i];
		t->report->callbacks += b->callbacks.len;
		for (size_t k = b->fate == FATE_REMOVED ? 0 : 1;
		     k < b->callbacks.len && !f->is_excluded; k++)
			remove_call(t, &b->callbacks.at[k]);
	}
	clear_blocks(t);
}

int thin_callbacks(const struct image *img, unsigned char *bytes, struct thin_report *report,
		   struct err *err)
{
	struct thinning t = { .bytes = bytes, .report = report };
	memset(report, 0, sizeof(*report));
	int rc = calls_open(&t.calls, img, err);
	for (size_t i = 1; i < img->sections.len && !rc; i++)
		t.has_landing_pads |= !strcmp(image_section_name(img, i), ".gcc_except_table");
	for (size_t i = 1; i < img->sections.len && !rc; i++) {
		if (!calls_covers_section(&t.calls, i) ||
		    !code_of_section(&t.code, &t.calls.decoder, img, i))
			continue;
		t.functions.len = 0;
		find_functions(&t);
		exclude_irregular(&t);
		for (size_t k = 0; k < t.functions.len; k++)
			thin_function(&t, &t.functions.at[k]);
	}
	vec_release(&t.functions);
	vec_release(&t.blocks);
	map_release(&t.by_start);
	calls_close(&t.calls);
	return rc;
}
