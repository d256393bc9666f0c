/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of operations; see opset.h.  Dependence itself is defined in wire/depend.h. */
#include "explore/execution/opset.h"

#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "wire/fault.h"

#define GRANULES_MAX 8 /* footprints of more words have every bit in the signature */
/* longest read of the program's own; longer ones are made by libc, which may stop anywhere */
#define LONG_READ 16

bool op_is_kept(const struct wire_op *op)
{
	bool is_stored = (op->kind == EV_WRITE || op->kind == EV_FENCE) && op->flags & EVF_BUFFERED;
	return op->kind == EV_CHOICE || is_stored || op_only_might(op) ||
	       op_footprint(op).space != SPACE_NONE;
}

/* Overlapping footprints of one space have a bit in common. */
static uint64_t signature_of(const struct footprint *f)
{
	if (f->space == SPACE_NONE)
		return 0;
	uint64_t first = f->low >> 3, last = (f->high - 1) >> 3, bits = 0;
	if (f->high <= f->low || last - first >= GRANULES_MAX)
		return UINT64_MAX;
	for (uint64_t g = first; g <= last; g++)
		bits |= 1ull << (hash_mix(f->space, g) >> 58);
	return bits;
}

static struct opset *allocate(size_t count, size_t waits, size_t asks)
{
	struct opset *s =
		mem_alloc(sizeof(*s) + count * (sizeof(struct wire_op) + sizeof(struct footprint)) +
			  waits * sizeof(uint64_t) + asks * sizeof(struct ask));
	*s = (struct opset){ .refs = 1 };
	s->prints = (struct footprint *)(void *)&s->ops[count];
	s->waits = (uint64_t *)(void *)&s->prints[count];
	s->asks = (struct ask *)(void *)&s->waits[waits];
	return s;
}

static uint64_t hash_op(uint64_t h, const struct wire_op *op)
{
	return hash_mix(hash_mix(hash_mix(h, op->object), op->value),
			(uint64_t)op->size << 32 | (uint64_t)op->flags << 16 |
				(uint64_t)op->mode << 8 | op->kind);
}

uint64_t opset_hash(const struct wire_op *ops, size_t count)
{
	uint64_t h = 0;
	for (size_t i = 0; i < count; i++)
		if (op_is_kept(&ops[i]))
			h = hash_op(h, &ops[i]);
	return h;
}

static bool ends_execution(const struct wire_op *op)
{
	return op->kind == EV_FAILURE || (op->kind == EV_ASSUME && !op->value);
}

static void add(struct opset *s, const struct wire_op *op, struct footprint f)
{
	s->ops[s->count] = *op;
	s->prints[s->count++] = f;
	s->choices += op->kind == EV_CHOICE;
	s->is_cut |= ends_execution(op);
	s->needs_life |= op_needs_life(op);
	s->ends_life |= op_ends_life(op);
	s->signature |= signature_of(&f);
	s->hash = hash_op(s->hash, op);
}

struct opset *opset_new(const struct wire_op *ops, size_t count, const uint64_t *waits,
			size_t waits_count)
{
	return opset_new_closing(ops, count, waits, waits_count, NULL, 0);
}

struct opset *opset_new_closing(const struct wire_op *ops, size_t count, const uint64_t *waits,
				size_t waits_count, const struct ask *asks, size_t asks_count)
{
	struct opset *s = allocate(count, waits_count, asks_count);
	for (size_t i = 0; i < asks_count; i++)
		s->asks[s->asks_count++] = asks[i];
	for (size_t i = 0; i < waits_count; i++) {
		if (FAULT(WAITS_WITHOUT_FOOTPRINT))
			break;
		s->waits[s->waits_count++] = waits[i];
	}
	for (size_t i = 0; i < count; i++) {
		struct footprint f = op_footprint(&ops[i]);
		if (FAULT(RMW_IS_READ) && ops[i].kind == EV_RMW)
			f.use = USE_READ;
		if (FAULT(TIMEOUT_WITHOUT_FOOTPRINT) && ops[i].kind == EV_TIMEOUT)
			f.space = SPACE_NONE;
		if (FAULT(FAILED_TRY_WITHOUT_FOOTPRINT) && ops[i].kind == EV_TRY_FAIL)
			f.space = SPACE_NONE;
		if (FAULT(SEM_POST_WITHOUT_FOOTPRINT) && ops[i].kind == EV_SEM_POST)
			f.space = SPACE_NONE;
		if (FAULT(OUTPUT_WITHOUT_FOOTPRINT) && f.space == SPACE_OUTPUT)
			f.space = SPACE_NONE;
		if (op_is_kept(&ops[i]))
			add(s, &ops[i], f);
	}
	return s;
}

/* What the operation could do in another state: any use of the same footprint. */
static struct footprint over_approximate(const struct wire_op *op, struct footprint f)
{
	bool is_plain = op->kind == EV_READ || op->kind == EV_WRITE || op->kind == EV_SEM_POST ||
			op->kind == EV_HIDDEN;
	bool is_of_queue = f.use == USE_QUEUE || f.use == USE_LEAVE;
	if (!is_plain && !is_of_queue && f.space == SPACE_MEMORY)
		f.use = USE_CHANGE;
	return f;
}

struct opset *opset_new_predicted(const struct opset *s, uint32_t keep, uint64_t hook)
{
	struct opset *g = allocate(s->count, s->waits_count + 1, s->asks_count);
	bool may_time_out = false;
	memcpy(g->waits, s->waits, s->waits_count * sizeof(*s->waits));
	g->waits_count = s->waits_count;
	memcpy(g->asks, s->asks, s->asks_count * sizeof(*s->asks));
	g->asks_count = s->asks_count;
	g->is_predicted = true;
	g->is_wild = s->is_wild;
	for (uint32_t i = 0; i < s->count; i++) {
		const struct wire_op *op = &s->ops[i];
		if (op->kind == EV_CHOICE && g->choices == keep)
			continue;
		if (!FAULT(PREDICTED_MOVE_NEVER_TIMES_OUT))
			may_time_out |= (op->flags & OPF_TIMED) != 0;
		/* How much libc reads may depend on what it finds. */
		g->is_wild |= op->kind == EV_READ && op->size > LONG_READ;
		/* Without the signal that it found the step does something else; and what a
		 * signal does depends on what its receiver waits for. */
		g->is_wild |= op->kind == EV_HIDDEN &&
			      (op->mode == HIDDEN_PENDING || op->mode == HIDDEN_CANCEL) &&
			      op->value >= PENDING_TAKEN;
		g->is_wild |= op->kind == EV_CANCEL;
		add(g, op, over_approximate(op, s->prints[i]));
	}
	if (may_time_out && (!g->waits_count || g->waits[g->waits_count - 1] != hook))
		g->waits[g->waits_count++] = hook;
	if (g->is_wild)
		g->signature = UINT64_MAX;
	return g;
}

struct opset *opset_new_alternative(const struct opset *s, uint32_t which, uint64_t value)
{
	struct opset *g = opset_new_predicted(s, which + 1, 0);
	uint32_t n = 0;
	for (uint32_t i = 0; i < g->count; i++)
		if (g->ops[i].kind == EV_CHOICE && n++ == which)
			g->ops[i].value = value;
	return g;
}

struct opset *opset_copy(const struct opset *s)
{
	struct opset *c = allocate(s->count, s->waits_count, s->asks_count);
	struct footprint *prints = c->prints;
	uint64_t *waits = c->waits;
	struct ask *asks = c->asks;
	*c = *s;
	c->refs = 1;
	c->prints = prints;
	c->waits = waits;
	c->asks = asks;
	memcpy(c->ops, s->ops, s->count * sizeof(*s->ops));
	memcpy(prints, s->prints, s->count * sizeof(*prints));
	memcpy(waits, s->waits, s->waits_count * sizeof(*waits));
	memcpy(asks, s->asks, s->asks_count * sizeof(*asks));
	return c;
}

struct opset *opset_ref(struct opset *s)
{
	s->refs++;
	return s;
}

void opset_drop(struct opset *s)
{
	if (s && !--s->refs)
		mem_free(s);
}

/* Operations and footprints as they are in memory: what is saved is read by the same program on
 * the same machine. */
void opset_save(const struct opset *s, struct buf *out)
{
	buf_varint(out, s->count);
	buf_add(out, s->ops, s->count * sizeof(*s->ops));
	buf_add(out, s->prints, s->count * sizeof(*s->prints));
	buf_varint(out, s->waits_count);
	buf_add(out, s->waits, s->waits_count * sizeof(*s->waits));
	buf_varint(out, s->asks_count);
	for (uint32_t i = 0; i < s->asks_count; i++) {
		buf_varint(out, s->asks[i].thread);
		buf_varint(out, s->asks[i].hook);
	}
	buf_varint(out, (uint64_t)s->is_predicted | (uint64_t)s->is_wild << 1 |
				(uint64_t)s->is_unsure << 2 | (uint64_t)s->is_open_ended << 3);
	buf_add(out, &s->signature, sizeof(s->signature));
	buf_add(out, &s->hash, sizeof(s->hash));
}

struct opset *opset_load(struct bytes *in)
{
	size_t count = bytes_count(in, sizeof(struct wire_op) + sizeof(struct footprint));
	struct bytes ops = *in;
	size_t bytes = count * (sizeof(struct wire_op) + sizeof(struct footprint));
	in->at += bytes;
	in->left -= bytes;
	struct bytes steps = *in;
	size_t waits = bytes_count(in, sizeof(uint64_t));
	bytes_count(&steps, sizeof(uint64_t));
	in->at += waits * sizeof(uint64_t);
	in->left -= waits * sizeof(uint64_t);
	size_t asks = bytes_count(in, 2);
	if (in->is_bad)
		return NULL;
	struct opset *s = allocate(count, waits, asks);
	s->count = (uint32_t)count;
	s->waits_count = (uint32_t)waits;
	bytes_read(&ops, s->ops, count * sizeof(*s->ops));
	bytes_read(&ops, s->prints, count * sizeof(*s->prints));
	bytes_read(&steps, s->waits, waits * sizeof(*s->waits));
	for (; s->asks_count < asks; s->asks_count++) {
		s->asks[s->asks_count].thread = (uint32_t)bytes_varint(in);
		s->asks[s->asks_count].hook = bytes_varint(in);
	}
	uint64_t flags = bytes_varint(in);
	s->is_predicted = flags & 1;
	s->is_unsure = flags & 4;
	s->is_open_ended = flags & 8;
	s->is_wild = flags >> 1 & 1;
	bytes_read(in, &s->signature, sizeof(s->signature));
	bytes_read(in, &s->hash, sizeof(s->hash));
	for (size_t i = 0; i < count; i++) {
		s->choices += s->ops[i].kind == EV_CHOICE;
		s->is_cut |= ends_execution(&s->ops[i]);
		s->needs_life |= op_needs_life(&s->ops[i]);
		s->ends_life |= op_ends_life(&s->ops[i]);
	}
	return s;
}

static bool opset_lives_depend(const struct opset *a, const struct opset *b)
{
	for (uint32_t i = 0; i < a->count; i++)
		for (uint32_t k = 0; k < b->count; k++)
			if (lives_depend(&a->ops[i], &b->ops[k]))
				return true;
	return false;
}

bool opsets_depend(const struct opset *a, const struct opset *b)
{
	if (a->is_wild || b->is_wild)
		return true;
	if (((a->needs_life && b->ends_life) || (b->needs_life && a->ends_life)) &&
	    opset_lives_depend(a, b))
		return true;
	if (!(a->signature & b->signature))
		return false;
	for (uint32_t i = 0; i < a->count; i++)
		for (uint32_t k = 0; k < b->count; k++)
			if (footprints_depend(&a->prints[i], &b->prints[k]))
				return true;
	return false;
}

bool opset_differs(const struct opset *predicted, const struct opset *real)
{
	bool differs = predicted->is_wild != real->is_wild || predicted->count != real->count;
	for (uint32_t i = 0; i < real->count && !differs; i++) {
		const struct footprint *g = &predicted->prints[i], *r = &real->prints[i];
		differs = g->low != r->low || g->high != r->high || g->space != r->space ||
			  g->use != r->use;
	}
	return differs;
}

bool opset_writes_output(const struct opset *s)
{
	for (uint32_t i = 0; i < s->count; i++)
		if (s->prints[i].space == SPACE_OUTPUT)
			return true;
	return false;
}

const struct wire_op *opset_choice(const struct opset *s, uint32_t number)
{
	if (number >= s->choices)
		return NULL;
	for (uint32_t i = 0;; i++)
		if (s->ops[i].kind == EV_CHOICE && !number--)
			return &s->ops[i];
}

bool opset_choices_begin(const struct opset *whole, const struct opset *beginning)
{
	for (uint32_t i = 0; i < beginning->choices; i++) {
		const struct wire_op *op = opset_choice(whole, i);
		if (!op || op->value != opset_choice(beginning, i)->value)
			return false;
	}
	return true;
}
