/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A condition is a disjunction of terms, and a term a conjunction of at most three atoms: a
 * comparison of two fields, or of a field with 0 or -1, or a field of type bool.  A term may be
 * used if it holds for no two labels that were seen to differ.  Of those the one is taken that
 * holds for most labels that commute and have no term yet, then the next one.
 *
 * Labels are bits of sets, so a term is the intersection of the sets of its atoms.
 */
#include "commute/infer.h"

#include <string.h>

#include "base/alloc.h"

#define TERM_MAX 3
#define SAMPLES_MAX 65536

struct operand {
	uint8_t call, field;
};

enum atom_kind {
	ATOM_NOT,
	ATOM_IS,
	ATOM_EQUAL,
	ATOM_UNEQUAL,
	ATOM_LESS,
	ATOM_IS_NUMBER,
	ATOM_IS_NOT_NUMBER
};

struct atom {
	enum atom_kind kind;
	struct operand left, right;
	int64_t number;
};

struct term {
	size_t atoms[TERM_MAX]; /* in ascending order */
	unsigned count;
};

struct sample {
	int64_t fields[2][SPEC_FIELDS_MAX];
	bool commutes;
};

struct inference {
	const struct spec_object *object;
	unsigned methods[2];
	VEC(struct sample) samples;
	VEC(struct atom) atoms;
	size_t words;	/* of a set */
	uint64_t *sets; /* of each atom: the samples for which it holds */
	uint64_t *good, *bad, *left;
	VEC(struct term) terms; /* that may be used */
	VEC(struct term) chosen;
};

/* ---- atoms ---- */

static const struct spec_variable *field_of(const struct inference *f, struct operand o)
{
	return &f->object->methods.at[f->methods[o.call]].fields.at[o.field];
}

static void add_atom(struct inference *f, enum atom_kind kind, struct operand left,
		     struct operand right, int64_t number)
{
	vec_push(&f->atoms, ((struct atom){ kind, left, right, number }));
}

static void add_atoms_of(struct inference *f, const struct operand *all, size_t count)
{
	for (size_t i = 0; i < count; i++)
		for (size_t k = i + 1; k < count; k++) {
			enum spec_type type = field_of(f, all[i])->type;
			if (type != field_of(f, all[k])->type)
				continue;
			add_atom(f, ATOM_UNEQUAL, all[i], all[k], 0);
			add_atom(f, ATOM_EQUAL, all[i], all[k], 0);
			if (type == SPEC_BOOL)
				continue;
			add_atom(f, ATOM_LESS, all[i], all[k], 0);
			add_atom(f, ATOM_LESS, all[k], all[i], 0);
		}
	for (size_t i = 0; i < count; i++) {
		bool is_bool = field_of(f, all[i])->type == SPEC_BOOL;
		if (is_bool) {
			add_atom(f, ATOM_NOT, all[i], all[i], 0);
			add_atom(f, ATOM_IS, all[i], all[i], 0);
		}
		for (int64_t number = 0; number >= -1 && !is_bool; number--) {
			add_atom(f, ATOM_IS_NUMBER, all[i], all[i], number);
			add_atom(f, ATOM_IS_NOT_NUMBER, all[i], all[i], number);
		}
	}
}

static void add_atoms(struct inference *f)
{
	struct operand all[2 * SPEC_FIELDS_MAX];
	size_t count = 0;
	for (uint8_t call = 0; call < 2; call++)
		for (uint8_t i = 0; i < f->object->methods.at[f->methods[call]].fields.len; i++)
			all[count++] = (struct operand){ call, i };
	add_atoms_of(f, all, count);
}

static bool atom_holds(const struct atom *a, const struct sample *s)
{
	int64_t left = s->fields[a->left.call][a->left.field];
	int64_t right = s->fields[a->right.call][a->right.field];
	switch (a->kind) {
	case ATOM_NOT:
		return !left;
	case ATOM_IS:
		return left;
	case ATOM_EQUAL:
		return left == right;
	case ATOM_UNEQUAL:
		return left != right;
	case ATOM_LESS:
		return left < right;
	case ATOM_IS_NUMBER:
		return left == a->number;
	case ATOM_IS_NOT_NUMBER:
		return left != a->number;
	}
	return false;
}

/* ---- sets of samples ---- */

static void put_bit(uint64_t *set, size_t i)
{
	set[i / 64] |= 1ull << i % 64;
}

static void fill_sets(struct inference *f)
{
	f->words = (f->samples.len + 63) / 64;
	f->sets = mem_zero(f->words * f->atoms.len + 1, sizeof(uint64_t));
	f->good = mem_zero(f->words + 1, sizeof(uint64_t));
	f->bad = mem_zero(f->words + 1, sizeof(uint64_t));
	f->left = mem_zero(f->words + 1, sizeof(uint64_t));
	for (size_t i = 0; i < f->samples.len; i++) {
		const struct sample *s = &f->samples.at[i];
		put_bit(s->commutes ? f->good : f->bad, i);
		for (size_t a = 0; a < f->atoms.len; a++)
			if (atom_holds(&f->atoms.at[a], s))
				put_bit(f->sets + a * f->words, i);
	}
	memcpy(f->left, f->good, f->words * sizeof(uint64_t));
}

/* How many samples of the set the term holds for. */
static size_t held(const struct inference *f, const struct term *t, const uint64_t *set)
{
	size_t count = 0;
	for (size_t w = 0; w < f->words; w++) {
		uint64_t bits = set[w];
		for (unsigned i = 0; i < t->count; i++)
			bits &= f->sets[t->atoms[i] * f->words + w];
		count += (size_t)__builtin_popcountll(bits);
	}
	return count;
}

/* ---- terms ---- */

/* Those that may be used, among the extensions of one by later atoms; a term that may be used is
 * not extended. */
static void find_terms(struct inference *f, const struct term *from)
{
	for (size_t a = from->count ? from->atoms[from->count - 1] + 1 : 0; a < f->atoms.len; a++) {
		struct term t = *from;
		t.atoms[t.count++] = a;
		if (!held(f, &t, f->good))
			continue;
		if (!held(f, &t, f->bad))
			vec_push(&f->terms, t);
		else if (t.count < TERM_MAX)
			find_terms(f, &t);
	}
}

static void choose(struct inference *f, const struct term *t)
{
	vec_push(&f->chosen, *t);
	for (size_t w = 0; w < f->words; w++) {
		uint64_t bits = UINT64_MAX;
		for (unsigned i = 0; i < t->count; i++)
			bits &= f->sets[t->atoms[i] * f->words + w];
		f->left[w] &= ~bits;
	}
}

static struct operand mirrored(struct operand o)
{
	return (struct operand){ !o.call, o.field };
}

static bool is_same_operand(struct operand a, struct operand b)
{
	return a.call == b.call && a.field == b.field;
}

/* The atom for the calls in exchanged places. */
static size_t mirror_of(const struct inference *f, size_t atom)
{
	const struct atom *a = &f->atoms.at[atom];
	struct operand left = mirrored(a->left), right = mirrored(a->right);
	size_t i = 0;
	for (; i < f->atoms.len; i++) {
		const struct atom *b = &f->atoms.at[i];
		bool is_there = is_same_operand(b->left, left) && is_same_operand(b->right, right);
		if (a->kind == ATOM_EQUAL || a->kind == ATOM_UNEQUAL)
			is_there |=
				is_same_operand(b->left, right) && is_same_operand(b->right, left);
		if (is_there && b->kind == a->kind && b->number == a->number)
			break;
	}
	return i;
}

/* For two calls of one method none is the first. */
static void choose_mirror(struct inference *f, const struct term *t)
{
	struct term m = { .count = t->count };
	for (unsigned i = 0; i < t->count; i++) {
		unsigned k = i;
		size_t atom = mirror_of(f, t->atoms[i]);
		for (; k && m.atoms[k - 1] > atom; k--)
			m.atoms[k] = m.atoms[k - 1];
		m.atoms[k] = atom;
	}
	if (memcmp(m.atoms, t->atoms, t->count * sizeof(*m.atoms)) != 0)
		choose(f, &m);
}

static void choose_terms(struct inference *f)
{
	for (;;) {
		const struct term *best = NULL;
		size_t most = 0;
		for (size_t i = 0; i < f->terms.len; i++) {
			const struct term *t = &f->terms.at[i];
			size_t count = held(f, t, f->left);
			if (count > most || (count && count == most && t->count < best->count)) {
				best = t;
				most = count;
			}
		}
		if (!best)
			return;
		choose(f, best);
		if (f->methods[0] == f->methods[1])
			choose_mirror(f, best);
	}
}

/* ---- as text ---- */

static void print_operand(const struct inference *f, struct operand o, struct buf *out)
{
	const char *name = f->methods[0] != f->methods[1]
				   ? f->object->methods.at[f->methods[o.call]].name
			   : o.call ? "b"
				    : "a";
	buf_printf(out, "%s.%s", name, field_of(f, o)->name);
}

static void print_atom(const struct inference *f, const struct atom *a, struct buf *out)
{
	if (a->kind == ATOM_NOT)
		buf_char(out, '!');
	print_operand(f, a->left, out);
	if (a->kind == ATOM_NOT || a->kind == ATOM_IS)
		return;
	bool is_equal = a->kind == ATOM_EQUAL || a->kind == ATOM_IS_NUMBER;
	buf_str(out, a->kind == ATOM_LESS ? " < " : is_equal ? " == " : " != ");
	if (a->kind == ATOM_IS_NUMBER || a->kind == ATOM_IS_NOT_NUMBER)
		buf_printf(out, "%lld", (long long)a->number);
	else
		print_operand(f, a->right, out);
}

static void print_pair(const struct inference *f, bool is_always, struct buf *out)
{
	bool is_one = f->methods[0] == f->methods[1];
	const char *first = f->object->methods.at[f->methods[0]].name;
	const char *second = f->object->methods.at[f->methods[1]].name;
	if (is_one && !is_always)
		buf_printf(out, "    commute a: %s, b: %s", first, second);
	else
		buf_printf(out, "    commute %s, %s", first, second);
	for (size_t i = 0; i < f->chosen.len && !is_always; i++) {
		buf_str(out, i ? "\n        || " : " when ");
		for (unsigned k = 0; k < f->chosen.at[i].count; k++) {
			buf_str(out, k ? " && " : "");
			print_atom(f, &f->atoms.at[f->chosen.at[i].atoms[k]], out);
		}
	}
	buf_str(out, ";\n");
}

/* ---- all pairs ---- */

static void take_sample(void *arg, unsigned first, unsigned second, const int64_t *a,
			const int64_t *b, bool commutes)
{
	struct inference *f = arg;
	struct sample s = { .commutes = commutes };
	if (first != f->methods[0] || second != f->methods[1] || f->samples.len == SAMPLES_MAX)
		return;
	memcpy(s.fields[0], a, sizeof(s.fields[0]));
	memcpy(s.fields[1], b, sizeof(s.fields[1]));
	vec_push(&f->samples, s);
}

static size_t count_bits(const uint64_t *set, size_t words)
{
	size_t count = 0;
	for (size_t w = 0; w < words; w++)
		count += (size_t)__builtin_popcountll(set[w]);
	return count;
}

static int infer_pair(const struct spec_object *o, const char *path, struct verify_limits limits,
		      unsigned first, unsigned second, struct buf *out, struct err *err)
{
	struct inference f = { .object = o, .methods = { first, second } };
	struct term none = { .count = 0 };
	int rc = verify_samples(o, path, limits, take_sample, &f, err);
	if (!rc) {
		add_atoms(&f);
		fill_sets(&f);
		bool is_always = !count_bits(f.bad, f.words);
		if (!is_always) {
			find_terms(&f, &none);
			choose_terms(&f);
		}
		if (f.samples.len && (is_always || f.chosen.len))
			print_pair(&f, is_always, out);
		mem_free(f.sets);
		mem_free(f.good);
		mem_free(f.bad);
		mem_free(f.left);
	}
	vec_release(&f.samples);
	vec_release(&f.atoms);
	vec_release(&f.terms);
	vec_release(&f.chosen);
	return rc;
}

int infer_conditions(const struct spec_object *o, const char *path, struct verify_limits limits,
		     struct buf *out, struct err *err)
{
	int rc = 0;
	for (unsigned m = 0; m < o->methods.len && !rc; m++)
		for (unsigned n = m; n < o->methods.len && !rc; n++)
			rc = infer_pair(o, path, limits, m, n, out, err);
	return rc;
}
