/* SPDX-License-Identifier: Apache-2.0 */
/* Accesses of several machine words that race, and must be divided; see wide.h. */
#include "explore/execution/wide.h"

#include "wire/fault.h"

static bool is_plain(const struct wire_op *op)
{
	return (op->kind == EV_READ || op->kind == EV_WRITE) && op->mode == MODE_PLAIN &&
	       !op_is_left_frame(op);
}

static bool is_wide(const struct wire_op *op)
{
	return is_plain(op) && op->size > WIDE_WORD;
}

/* Another access of the call that this one belongs to comes right before it. */
static bool follows_in_call(const struct execution *x, size_t position)
{
	const struct wire_op *op = &x->ops[position];
	return position > 0 && is_plain(op) && is_plain(op - 1) && op->pc == op[-1].pc &&
	       (op->flags & op[-1].flags & EVF_LIBC);
}

bool wide_is_in(const struct execution *x)
{
	OPS_EACH (op, x->ops, x->ops_count) {
		if (is_wide(op) || follows_in_call(x, (size_t)(op - x->ops)))
			return true;
	}
	return false;
}

static void add(struct wide_places *w, struct wide_place p)
{
	bool is_new;
	uint64_t *at = map_put(&w->of_pc, p.pc, &is_new);
	if (is_new) {
		*at = w->list.len;
		vec_push(&w->list, p);
	} else {
		w->list.at[*at].racing |= p.racing;
	}
}

void wide_note(struct wide_places *w, const struct execution *x, size_t position)
{
	const struct wire_op *op = &x->ops[position];
	bool is_by_libc = op->flags & EVF_LIBC;
	unsigned before = 0;
	if (FAULT(WIDE_ACCESSES_NOT_DIVIDED))
		return;
	if (is_wide(op)) {
		add(w, (struct wide_place){ op->pc, is_by_libc, WIDE_ITSELF });
	} else if (is_plain(op) && is_by_libc) {
		if (FAULT(LIBC_ACCESSES_NOT_DIVIDED))
			return;
		/* The eighth and later ones have no bit of their own: each is taken for two. */
		while (before < 7 && follows_in_call(x, position - before))
			before++;
		add(w, (struct wide_place){ op->pc, true, (uint8_t)(1u << before) });
	}
}

bool wide_place_is_torn(const struct wide_place *p)
{
	return p->racing & WIDE_ITSELF || (p->racing & (p->racing - 1u));
}

void wide_merge(struct wide_places *to, struct wide_places *from)
{
	for (size_t i = 0; i < from->list.len; i++)
		add(to, from->list.at[i]);
	from->list.len = 0;
	map_clear(&from->of_pc);
}

void wide_release(struct wide_places *w)
{
	vec_release(&w->list);
	map_release(&w->of_pc);
}

/* ---- what is divided ---- */

static bool is_divided(const struct wire_divided *d, uint64_t pc)
{
	for (uint64_t i = 0; i < d->count; i++)
		if (d->places[i] == pc)
			return true;
	return false;
}

/*
 * Not every function of libc can be divided, and only the runtime knows which.  One that cannot be
 * divided is requested once, without effect.
 */
static bool may_divide(const struct wide_place *p, const struct wire_divided *d)
{
	return p->is_by_libc && wide_place_is_torn(p) && d->count < WIRE_DIVIDED_MAX &&
	       !is_divided(d, p->pc);
}

bool wide_is_divisible(const struct wide_places *w, const struct wire_divided *d)
{
	for (size_t i = 0; i < w->list.len; i++)
		if (may_divide(&w->list.at[i], d))
			return true;
	return false;
}

void wide_divide(const struct wide_places *w, struct wire_divided *d)
{
	for (size_t i = 0; i < w->list.len; i++)
		if (may_divide(&w->list.at[i], d))
			d->places[d->count++] = w->list.at[i].pc;
}

void divided_save(const struct wire_divided *d, struct buf *out)
{
	buf_varint(out, d ? d->signals : 0);
	buf_varint(out, d ? d->cancels : 0);
	buf_varint(out, d ? d->exposed : 0);
	buf_varint(out, d ? d->count : 0);
	for (uint64_t i = 0; d && i < d->count; i++)
		buf_varint(out, d->places[i]);
}

void divided_load(struct wire_divided *d, struct bytes *in)
{
	uint64_t signals = bytes_varint(in), cancels = bytes_varint(in);
	uint64_t exposed = bytes_varint(in);
	size_t count = bytes_count(in, 1);
	in->is_bad |= count > (d ? WIRE_DIVIDED_MAX : 0) || ((signals || cancels || exposed) && !d);
	for (size_t i = 0; i < count && !in->is_bad; i++)
		d->places[i] = bytes_varint(in);
	if (d) {
		d->count = in->is_bad ? 0 : count;
		d->signals = in->is_bad ? 0 : signals;
		d->cancels = in->is_bad ? 0 : cancels;
		d->exposed = in->is_bad ? 0 : exposed;
	}
}

/* ---- bytes ---- */

void wide_save(const struct wide_places *w, struct buf *out)
{
	buf_varint(out, w->list.len);
	for (size_t i = 0; i < w->list.len; i++) {
		buf_varint(out, w->list.at[i].pc);
		buf_varint(out, w->list.at[i].is_by_libc);
		buf_varint(out, w->list.at[i].racing);
	}
}

void wide_load(struct wide_places *w, struct bytes *in)
{
	for (size_t n = bytes_count(in, 3); n-- && !in->is_bad;) {
		struct wide_place p = { .pc = bytes_varint(in) };
		p.is_by_libc = bytes_varint(in);
		p.racing = (uint8_t)bytes_varint(in);
		add(w, p);
	}
}
