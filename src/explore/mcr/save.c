/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A search by maximal causality reduction in bytes; see tree.h and worktree.h.  Tasks that are
 * claimed are written as open ones.
 */
#include "base/alloc.h"
#include "wire/fault.h"
#include "explore/mcr/tree.h"
#include "explore/mcr/sources.h"

/* ---- refinements ---- */

static void save_ranges(const struct address_range *ranges, size_t count, struct buf *out)
{
	buf_varint(out, count);
	for (size_t i = 0; i < count; i++) {
		buf_varint(out, ranges[i].low);
		buf_varint(out, ranges[i].high - ranges[i].low);
	}
}

void sources_save(const struct sources *s, struct buf *out)
{
	const struct values *v = &s->values;
	save_ranges(s->awaited.at, s->awaited.len, out);
	buf_varint(out, v->is_on);
	buf_varint(out, v->changes);
	save_ranges(v->freed.at, v->freed.len, out);
	buf_varint(out, v->initial.len);
	for (size_t i = 0; i < v->initial.cap; i++)
		if (v->initial.slots[i].used) {
			buf_varint(out, v->initial.slots[i].key);
			buf_varint(out, v->initial.slots[i].value);
		}
	buf_varint(out, v->written.len);
	for (size_t i = 0; i < v->written.len; i++) {
		buf_varint(out, v->written.at[i].op.object);
		buf_varint(out, v->written.at[i].op.value);
		buf_varint(out, v->written.at[i].op.size);
	}
}

static bool load_range(struct bytes *in, struct address_range *r)
{
	r->low = bytes_varint(in);
	r->high = r->low + bytes_varint(in);
	return !in->is_bad;
}

bool sources_load(struct sources *s, struct bytes *in)
{
	struct values *v = &s->values;
	struct address_range r;
	s->awaited.len = 0;
	for (size_t n = bytes_count(in, 2); n-- && load_range(in, &r);)
		vec_push(&s->awaited, r);
	v->is_on = bytes_varint(in) & 1;
	v->changes = (uint32_t)bytes_varint(in);
	v->freed.len = v->written.len = 0;
	for (size_t n = bytes_count(in, 2); n-- && load_range(in, &r);)
		vec_push(&v->freed, r);
	map_clear(&v->initial);
	map_clear(&v->known_writes);
	for (size_t n = bytes_count(in, 2); n-- && !in->is_bad;) {
		uint64_t address = bytes_varint(in);
		*map_put(&v->initial, address, NULL) = bytes_varint(in);
	}
	for (size_t n = bytes_count(in, 3); n-- && !in->is_bad;) {
		struct wire_op op = { .object = bytes_varint(in) };
		op.value = bytes_varint(in);
		op.size = (uint32_t)bytes_varint(in);
		in->is_bad |= op.size > 8;
		if (!in->is_bad)
			values_note_written(v, &op);
	}
	return !in->is_bad;
}

/* ---- writing ---- */

static void save_core(const struct core *c, struct buf *out)
{
	buf_varint(out, c->entries.len);
	for (size_t i = 0; i < c->entries.len; i++) {
		const struct core_entry *e = &c->entries.at[i];
		buf_varint(out, e->thread);
		buf_varint(out, e->length);
		buf_varint(out, e->choices);
		buf_add(out, &e->hash, sizeof(e->hash));
	}
}

static void save_held(const struct held *held, size_t count, struct buf *out)
{
	buf_varint(out, count);
	for (size_t i = 0; i < count; i++) {
		buf_varint(out, held[i].index);
		buf_varint(out, held[i].branch.thread);
		buf_varint(out, held[i].branch.first);
		buf_varint(out, held[i].branch.hook);
		opset_save(held[i].branch.ops, out);
	}
}

static void save_task(const struct mcr_task *t, struct buf *out)
{
	bool is_open = t->state == TASK_OPEN || t->state == TASK_CLAIMED;
	if (FAULT(MCR_SAVE_LOSES_TAKEN))
		is_open = t->state == TASK_OPEN;
	save_core(&t->core, out);
	buf_varint(out, (uint64_t)is_open << 1 | t->is_presumed);
	if (!is_open)
		return;
	buf_varint(out, t->turns.len);
	for (size_t i = 0; i < t->turns.len; i++) {
		buf_varint(out, t->turns.at[i].thread);
		buf_varint(out, t->turns.at[i].kind);
		buf_varint(out, t->turns.at[i].hook);
	}
	buf_varint(out, t->choices.len);
	for (size_t i = 0; i < t->choices.len; i++)
		buf_varint(out, t->choices.at[i]);
	save_held(t->held.at, t->held.len, out);
}

void mcr_node_save(const struct work_node *work, struct buf *out)
{
	const struct mcr_node *n = (const struct mcr_node *)work;
	save_core(&n->core, out);
	save_held(n->held.at, n->held.len, out);
	buf_varint(out, n->tasks.len);
	for (size_t k = 0; k < n->tasks.len; k++)
		save_task(&n->tasks.at[k], out);
}

void mcr_tree_save(const struct mcr_tree *t, struct buf *out)
{
	buf_varint(out, t->refinements.len);
	buf_add(out, t->refinements.at, t->refinements.len);
	buf_varint(out, t->taken);
	buf_varint(out, t->wasted);
	worktree_save(&t->work, 0, out);
}

/* ---- reading ---- */

static void load_core(struct bytes *in, struct core *c)
{
	for (size_t n = bytes_count(in, 3 + sizeof(uint64_t)); n-- && !in->is_bad;) {
		struct core_entry e = { .thread = (uint32_t)bytes_varint(in) };
		e.length = (uint32_t)bytes_varint(in);
		e.choices = (uint32_t)bytes_varint(in);
		bytes_read(in, &e.hash, sizeof(e.hash));
		in->is_bad |= e.thread >= MOVES_THREADS_MAX || !e.length;
		if (!in->is_bad)
			vec_push(&c->entries, e);
	}
}

/* NULL: there is none. */
static struct opset *load_held(struct bytes *in, struct held *h)
{
	*h = (struct held){ .index = (uint32_t)bytes_varint(in) };
	h->branch.thread = (uint32_t)bytes_varint(in);
	h->branch.first = bytes_varint(in);
	h->branch.hook = bytes_varint(in);
	in->is_bad |= h->branch.thread >= MOVES_THREADS_MAX;
	return h->branch.ops = in->is_bad ? NULL : opset_load(in);
}

static void load_task(struct bytes *in, struct mcr_task *t)
{
	struct held held;
	load_core(in, &t->core);
	uint64_t bits = bytes_varint(in);
	t->is_presumed = bits & 1;
	t->state = bits & 2 ? TASK_OPEN : TASK_DONE;
	if (t->state == TASK_DONE)
		return;
	for (size_t n = bytes_count(in, 3); n-- && !in->is_bad;) {
		struct wire_turn turn = { .thread = (uint32_t)bytes_varint(in) };
		turn.kind = (uint32_t)bytes_varint(in);
		turn.hook = bytes_varint(in);
		vec_push(&t->turns, turn);
	}
	for (size_t n = bytes_count(in, 1); n-- && !in->is_bad;)
		vec_push(&t->choices, (uint32_t)bytes_varint(in));
	for (size_t n = bytes_count(in, 4); n-- && load_held(in, &held);)
		vec_push(&t->held, held);
}

void mcr_node_load(struct work_node *work, struct bytes *in)
{
	struct mcr_node *n = (struct mcr_node *)work;
	const struct mcr_node *above = (const struct mcr_node *)work->above;
	struct held held;
	in->is_bad |= above && (work->via >= above->tasks.len ||
				above->tasks.at[work->via].state != TASK_DONE);
	load_core(in, &n->core);
	for (size_t count = bytes_count(in, 4); count-- && load_held(in, &held);)
		vec_push(&n->held, held);
	for (size_t count = bytes_count(in, 2); count-- && !in->is_bad;)
		load_task(in, vec_add(&n->tasks));
}

static void load_refinements(struct mcr_tree *t, struct bytes *in)
{
	struct sources known = { 0 };
	size_t size = bytes_count(in, 1);
	for (size_t i = 0; i < size && !in->is_bad; i++) {
		char c = 0;
		bytes_read(in, &c, 1);
		buf_char(&t->refinements, c);
	}
	struct bytes all = { (const unsigned char *)t->refinements.at, t->refinements.len, false };
	in->is_bad |= t->refinements.len && (!sources_load(&known, &all) || all.left);
	t->by_value = t->refinements.len ? known.values.is_on : t->by_value;
	sources_release(&known);
}

int mcr_tree_load(struct mcr_tree *t, struct bytes *in, struct err *err)
{
	load_refinements(t, in);
	t->taken = bytes_varint(in);
	t->wasted = bytes_varint(in);
	return worktree_load(&t->work, in, err);
}
