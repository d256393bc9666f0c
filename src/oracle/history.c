/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Histories: adding operations, and the tables for the engines.  The tables have for each
 * variable the threads that write it, and for each lock the threads that acquire it, with
 * ascending positions in the thread.  So the last write of a thread before some point is found by
 * bisection.
 */
#include "oracle/history.h"

#include <stdlib.h>

#include "base/err.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/search.h"

op_id history_add(struct history *h, uint32_t thread, enum op_kind kind)
{
	op_id id = (op_id)h->ops.len;
	if (thread >= h->threads)
		h->threads = thread + 1;
	vec_push(&h->ops, ((struct op){ .thread = thread,
					.event = id,
					.guard = GUARD_NEVER,
					.match = OP_NONE,
					.kind = (uint8_t)kind,
					.first_access = (uint32_t)h->accesses.len }));
	return id;
}

op_id history_add_lock(struct history *h, uint32_t thread, uint32_t lock, bool is_shared,
		       bool is_acquire)
{
	op_id id = history_add(h, thread, is_acquire ? OP_ACQUIRE : OP_RELEASE);
	struct op *o = &h->ops.at[id];
	o->lock = lock;
	o->is_shared = is_shared;
	if (lock >= h->locks)
		h->locks = lock + 1;
	for (op_id a = id; !is_acquire && a-- > 0;) {
		struct op *other = &h->ops.at[a];
		if (other->kind == OP_ACQUIRE && other->thread == thread && other->lock == lock &&
		    other->match == OP_NONE) {
			other->match = id;
			o->match = a;
			o->is_shared = other->is_shared;
			break;
		}
	}
	return id;
}

struct op_access *history_add_access(struct history *h, uint32_t variable, bool reads, bool writes)
{
	struct op *o = &vec_last(&h->ops);
	if (variable >= h->variables)
		h->variables = variable + 1;
	o->accesses++;
	struct op_access *a = vec_add(&h->accesses);
	*a = (struct op_access){ .op = (op_id)h->ops.len - 1,
				 .variable = variable,
				 .seen = OP_NONE,
				 .reads = reads,
				 .writes = writes };
	return a;
}

void history_add_cause(struct history *h, op_id cause, op_id effect)
{
	vec_push(&h->causes, ((struct op_order){ cause, effect }));
}

void history_add_order(struct history *h, op_id before, op_id after)
{
	vec_push(&h->orders, ((struct op_order){ before, after }));
}

/* ---- tables ---- */

static int by_effect(const void *x, const void *y)
{
	const struct op_order *a = x, *b = y;
	if (a->after != b->after)
		return a->after < b->after ? -1 : 1;
	return a->before < b->before ? -1 : a->before > b->before;
}

/* They are usually sorted already. */
static void sort_orders(struct op_order *at, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (by_effect(&at[i - 1], &at[i]) > 0) {
			qsort(at, count, sizeof(*at), by_effect);
			return;
		}
}

static void sort_causes(struct history *h)
{
	sort_orders(h->orders.at, h->orders.len);
	sort_orders(h->causes.at, h->causes.len);
	for (size_t i = 0; i < h->causes.len; i++) {
		struct op *o = &h->ops.at[h->causes.at[i].after];
		if (!o->causes++)
			o->first_cause = (uint32_t)i;
	}
}

static void make_thread_lists(struct history *h)
{
	h->thread_first = mem_zero(h->threads + 2, sizeof(*h->thread_first));
	h->thread_ops = mem_alloc(h->ops.len * sizeof(*h->thread_ops));
	for (size_t i = 0; i < h->ops.len; i++)
		h->ops.at[i].own = h->thread_first[h->ops.at[i].thread + 2]++;
	for (uint32_t t = 0; t < h->threads; t++)
		h->thread_first[t + 2] += h->thread_first[t + 1];
	for (size_t i = 0; i < h->ops.len; i++)
		h->thread_ops[h->thread_first[h->ops.at[i].thread + 1] + h->ops.at[i].own] =
			(op_id)i;
	for (uint32_t t = 0; t < h->threads; t++)
		h->thread_first[t] = h->thread_first[t + 1];
	h->thread_first[h->threads] = (uint32_t)h->ops.len;
}

struct use {
	uint32_t object, thread, own;
};

struct uses {
	VEC(struct use) list; /* by thread, then by position */
};

/*
 * Make runs of uses by object; returns where the runs of each object begin.  Uses are ordered by
 * thread and position, so a stable counting sort by object gives the runs.
 */
static uint32_t *make_runs(struct history *h, const struct uses *uses, uint32_t objects)
{
	uint32_t *first = mem_zero(objects + 1ull, sizeof(*first));
	uint32_t *next = mem_zero(objects + 2ull, sizeof(*next));
	struct use *sorted = mem_alloc(uses->list.len * sizeof(*sorted));
	uint32_t object = 0;
	for (size_t i = 0; i < uses->list.len; i++)
		next[uses->list.at[i].object + 1]++;
	for (uint32_t i = 0; i < objects; i++)
		next[i + 1] += next[i];
	for (size_t i = 0; i < uses->list.len; i++)
		sorted[next[uses->list.at[i].object]++] = uses->list.at[i];
	for (size_t i = 0; i < uses->list.len; i++) {
		const struct use *u = &sorted[i];
		if (!i || u->object != u[-1].object || u->thread != u[-1].thread) {
			for (; object <= u->object; object++)
				first[object] = (uint32_t)h->runs.len;
			vec_push(&h->runs, ((struct history_run){ u->thread,
								  (uint32_t)h->positions.len, 0 }));
		}
		vec_last(&h->runs).count++;
		vec_push(&h->positions, u->own);
	}
	for (; object <= objects; object++)
		first[object] = (uint32_t)h->runs.len;
	mem_free(next);
	mem_free(sorted);
	return first;
}

static void make_tables(struct history *h)
{
	struct uses writes = { 0 }, takes = { 0 };
	for (size_t i = 0; i < h->ops.len; i++) {
		const struct op *o = &h->ops.at[h->thread_ops[i]];
		for (uint32_t k = 0; k < o->accesses; k++)
			if (h->accesses.at[o->first_access + k].writes)
				vec_push(
					&writes.list,
					((struct use){ h->accesses.at[o->first_access + k].variable,
						       o->thread, o->own }));
		if (o->kind == OP_ACQUIRE)
			vec_push(&takes.list, ((struct use){ o->lock, o->thread, o->own }));
	}
	h->writers = make_runs(h, &writes, h->variables);
	h->takers = make_runs(h, &takes, h->locks);
	vec_release(&writes.list);
	vec_release(&takes.list);
}

/* ---- values ---- */

const struct op_access *history_access(const struct history *h, op_id op, uint32_t variable)
{
	const struct op *o = &h->ops.at[op];
	for (uint32_t i = 0; i < o->accesses; i++)
		if (h->accesses.at[o->first_access + i].variable == variable)
			return &h->accesses.at[o->first_access + i];
	return NULL;
}

/* The source of a value: one write (OP_NONE: the initial content), or several writes. */
#define BY_SEVERAL UINT64_MAX

/*
 * Bits for values that were written once, and more than once.  Most values are written once and
 * need no map entry.  Two values that share a bit only cost an entry.
 */
struct value_bits {
	uint64_t *once, *often;
	uint64_t mask;
};

static uint64_t value_key(uint32_t variable, uint64_t value)
{
	return hash_mix(hash_mix(1, variable), value);
}

static void value_bits_init(struct value_bits *b, size_t count)
{
	uint64_t bits = 64;
	while (bits < 8 * (uint64_t)count)
		bits *= 2;
	*b = (struct value_bits){ mem_zero(bits / 64, sizeof(uint64_t)),
				  mem_zero(bits / 64, sizeof(uint64_t)), bits - 1 };
}

static void value_bits_add(struct value_bits *b, uint64_t key)
{
	uint64_t at = (key & b->mask) / 64, bit = 1ull << key % 64;
	b->often[at] |= b->once[at] & bit;
	b->once[at] |= bit;
}

static bool is_often(const struct value_bits *b, uint64_t key)
{
	return b->often[(key & b->mask) / 64] >> key % 64 & 1;
}

static void note_value(struct map *values, const struct value_bits *bits, uint64_t key, op_id write)
{
	bool is_new;
	if (!is_often(bits, key))
		return;
	uint64_t *by = map_put(values, key, &is_new);
	if (is_new)
		*by = write;
	else if (*by != write)
		*by = BY_SEVERAL;
}

/* Whether another write than the read's source wrote the value that was read. */
static bool has_other_source(const struct history *h, const struct op_access *a,
			     const struct map *values, const struct value_bits *bits)
{
	uint64_t key = value_key(a->variable, a->value);
	if (is_often(bits, key)) {
		const uint64_t *by = map_get(values, key);
		return by && *by != a->seen;
	}
	/* Written at most once: by the source, if that is what it wrote. */
	return a->seen != OP_NONE && bits->once[(key & bits->mask) / 64] >> key % 64 & 1 &&
	       history_access(h, a->seen, a->variable)->written != a->value;
}

/*
 * Mark reads of a value with several sources; the initial content counts as a write.  If the
 * hashes of two values collide, a read may be marked needlessly, which only costs time.
 */
static void find_twins(struct history *h)
{
	struct map values = { 0 };
	struct value_bits bits;
	value_bits_init(&bits, h->accesses.len);
	for (size_t i = 0; i < h->accesses.len; i++) {
		const struct op_access *a = &h->accesses.at[i];
		if (a->writes)
			value_bits_add(&bits, value_key(a->variable, a->written));
		if (a->reads && a->seen == OP_NONE)
			value_bits_add(&bits, value_key(a->variable, a->value));
	}
	for (size_t i = 0; i < h->accesses.len; i++) {
		const struct op_access *a = &h->accesses.at[i];
		if (a->writes)
			note_value(&values, &bits, value_key(a->variable, a->written), a->op);
		if (a->reads && a->seen == OP_NONE)
			note_value(&values, &bits, value_key(a->variable, a->value), OP_NONE);
	}
	for (size_t i = 0; i < h->accesses.len; i++) {
		struct op_access *a = &h->accesses.at[i];
		if (a->reads)
			a->has_twin = has_other_source(h, a, &values, &bits);
	}
	mem_free(bits.once);
	mem_free(bits.often);
	map_release(&values);
}

/* By variable, a read of its initial content. */
static void find_initial(struct history *h)
{
	h->initial = mem_alloc((h->variables + 1ull) * sizeof(*h->initial));
	memset(h->initial, 0xff, (h->variables + 1ull) * sizeof(*h->initial));
	for (size_t i = h->accesses.len; i-- > 0;)
		if (h->accesses.at[i].reads && h->accesses.at[i].seen == OP_NONE)
			h->initial[h->accesses.at[i].variable] = (uint32_t)i;
}

bool history_value_of(const struct history *h, op_id write, uint32_t variable, uint64_t *value)
{
	if (write != OP_NONE) {
		const struct op_access *a = history_access(h, write, variable);
		ASSERT(a && a->writes);
		*value = a->written;
		return true;
	}
	if (h->initial[variable] == UINT32_MAX)
		return false;
	*value = h->accesses.at[h->initial[variable]].value;
	return true;
}

size_t history_orders_from(const struct history *h, op_id after)
{
	return partition_point(h->orders.len, i, h->orders.at[i].after < after);
}

/* ---- */

void history_finish(struct history *h)
{
	make_thread_lists(h);
	sort_causes(h);
	make_tables(h);
	if (h->has_values)
		find_twins(h);
	find_initial(h);
}

void history_release(struct history *h)
{
	vec_release(&h->ops);
	vec_release(&h->accesses);
	vec_release(&h->causes);
	vec_release(&h->orders);
	vec_release(&h->runs);
	vec_release(&h->positions);
	mem_free(h->thread_first);
	mem_free(h->thread_ops);
	mem_free(h->writers);
	mem_free(h->takers);
	mem_free(h->initial);
	*h = (struct history){ 0 };
}

/* How many positions of a run are before a limit. */
static uint32_t count_before(const struct history *h, const struct history_run *r, uint32_t limit)
{
	const uint32_t *at = h->positions.at + r->first;
	return partition_point(r->count, i, at[i] < limit);
}

uint32_t history_last_before(const struct history *h, const struct history_run *r, uint32_t limit)
{
	uint32_t n = count_before(h, r, limit);
	return n ? h->positions.at[r->first + n - 1] : UINT32_MAX;
}

uint32_t history_first_from(const struct history *h, const struct history_run *r, uint32_t limit)
{
	uint32_t n = count_before(h, r, limit);
	return n < r->count ? h->positions.at[r->first + n] : UINT32_MAX;
}
