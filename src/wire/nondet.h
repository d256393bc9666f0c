/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which values the functions __VERIFIER_nondet_* try: a few of the type's own, and those that the
 * program compares something with, with both neighbours.
 *
 * `heddle cc` reads the compared values from the machine code and writes them into a table of the
 * linked program (binary/nondet_table.h).  So they belong to the program: they are the same in
 * every run and replay. The runtime and the tool compute from the table what is tried.
 */
#ifndef HEDDLE_WIRE_NONDET_H
#define HEDDLE_WIRE_NONDET_H

#include <stdbool.h>
#include <stdint.h>

#define NONDET_TABLE_SYMBOL "heddle_nondet_table"
#define NONDET_PREFIX "__VERIFIER_nondet_"
#define NONDET_MARK 0x7665646eu
#define NONDET_COMPARED_MAX 256
#define NONDET_VALUES_MAX 64

struct nondet_compared {
	int64_t value; /* sign-extended */
	uint64_t bits; /* width of the comparison */
};

struct nondet_table {
	uint32_t mark;
	uint32_t called; /* bit n: the program calls function n of nondet.def */
	uint32_t count;
	uint32_t left_out; /* compared values that have no room */
	struct nondet_compared compared[NONDET_COMPARED_MAX];
};

/* A value of an unsigned type is kept as the same 64 bits. */
struct nondet_values {
	uint32_t count;
	bool is_cut; /* others of the table were left out */
	int64_t at[NONDET_VALUES_MAX];
};

struct nondet_type {
	unsigned bits;
	bool is_signed;
};

#define NONDET_TYPE(type) ((struct nondet_type){ 8 * sizeof(type), (type)-1 < (type)1 })

static inline uint64_t nondet_mask(unsigned bits)
{
	return bits < 64 ? (1ull << bits) - 1 : UINT64_MAX;
}

static inline int64_t nondet_largest(struct nondet_type t)
{
	return (int64_t)(nondet_mask(t.bits) >> t.is_signed);
}

static inline void nondet_add(struct nondet_values *v, int64_t value)
{
	for (uint32_t i = 0; i < v->count; i++)
		if (v->at[i] == value)
			return;
	if (v->count < NONDET_VALUES_MAX)
		v->at[v->count++] = value;
	else
		v->is_cut = true;
}

/* The compared value as one of the type; false if the type does not have it. */
static inline bool nondet_convert(const struct nondet_compared *c, struct nondet_type t,
				  int64_t *value)
{
	*value = t.is_signed ? c->value
			     : (int64_t)((uint64_t)c->value & nondet_mask((unsigned)c->bits));
	if (t.is_signed)
		return *value <= nondet_largest(t) && *value >= -nondet_largest(t) - 1;
	return (uint64_t)*value <= nondet_mask(t.bits);
}

/* Neighbours come after all compared values: where there is no room for all, these are worth more.
 */
static inline void nondet_values(const struct nondet_table *table, struct nondet_type t,
				 struct nondet_values *out)
{
	int64_t value, largest = nondet_largest(t), smallest = t.is_signed ? -largest - 1 : 0;
	out->count = 0;
	out->is_cut = table->left_out;
	for (int64_t own = 0; own <= 2; own++)
		nondet_add(out, own);
	nondet_add(out, t.is_signed ? -1 : largest);
	for (uint32_t i = 0; i < table->count && i < NONDET_COMPARED_MAX; i++)
		if (nondet_convert(&table->compared[i], t, &value))
			nondet_add(out, value);
	for (uint32_t i = 0; i < table->count && i < NONDET_COMPARED_MAX; i++) {
		if (!nondet_convert(&table->compared[i], t, &value))
			continue;
		if (value != smallest)
			nondet_add(out, (int64_t)((uint64_t)value - 1));
		if (value != largest)
			nondet_add(out, (int64_t)((uint64_t)value + 1));
	}
}

#endif
