/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conditions against the model; see verify.h.
 *
 * All states are found first, breadth first, with what each call does in each of them.  Trying two
 * calls in both orders is then four look-ups.  A pair is left out where it leads to a state that
 * was not followed up.
 *
 * A condition sees labels only (spec.h), so what is learned about two labels in one state holds
 * for the condition as a whole: it is wrong if it holds for labels that do not commute in one
 * state, and could be weaker if it does not hold for labels that commute wherever they occur, in
 * both orders.
 */
#include "commute/verify.h"

#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/hash.h"
#include "base/map.h"
#include "commute/condition.h"
#include "commute/model.h"

#define NOWHERE UINT32_MAX /* the method is disabled there, or the model has no room */
#define CALLS_MAX 4096

struct call {
	unsigned method;
	int64_t fields[SPEC_FIELDS_MAX]; /* arguments */
};

struct label {
	uint32_t call;
	int64_t fields[SPEC_FIELDS_MAX];
};

struct transition {
	uint32_t next, label;
	bool is_disabled;
};

struct node {
	struct model_state state;
	uint32_t parent, by; /* call that led here */
	unsigned depth;
	bool is_followed;
};

/* What is known of two labels, the first one first. */
struct seen {
	uint32_t first, second;
	uint32_t node; /* where they came first */
	bool differs;  /* somewhere they do not commute */
};

struct verification {
	const struct spec_object *object;
	const char *path;
	struct verify_limits limits;
	struct verify_result *result;
	VEC(struct condition) conditions; /* of the pairs */
	VEC(struct call) calls;
	VEC(struct label) labels;
	VEC(struct node) nodes;
	VEC(struct transition) transitions; /* calls.len for each followed node */
	struct map label_of, node_of, seen_of;
	VEC(struct seen) seen;
};

/* ---- calls and labels ---- */

/* Whether there is another combination of arguments; it is made. */
static bool next_arguments(const struct verification *v, const struct spec_method *m,
			   int64_t *fields)
{
	for (unsigned i = 0; i < m->parameters; i++) {
		int64_t values = m->fields.at[i].type == SPEC_BOOL ? 2 : v->limits.values;
		if (++fields[i] < values)
			return true;
		fields[i] = 0;
	}
	return false;
}

static int make_calls(struct verification *v, struct err *err)
{
	for (unsigned m = 0; m < v->object->methods.len; m++) {
		struct call c = { .method = m };
		do {
			vec_push(&v->calls, c);
			if (v->calls.len > CALLS_MAX)
				return err_set(err, ERR_SUPPORT,
					       "object %s has too many calls with small arguments",
					       v->object->name);
		} while (next_arguments(v, &v->object->methods.at[m], c.fields));
	}
	return 0;
}

static const struct spec_method *method_of(const struct verification *v, uint32_t call)
{
	return &v->object->methods.at[v->calls.at[call].method];
}

/* A number for these bytes: those of the entry that is_same() finds, or of a new one. */
static uint64_t *slot_of(struct map *m, uint64_t hash, uint32_t tries, bool *is_new)
{
	return map_put(m, hash_mix(hash, tries), is_new);
}

static uint32_t intern_label(struct verification *v, uint32_t call, const int64_t *fields)
{
	struct label l = { .call = call };
	memcpy(l.fields, fields, sizeof(l.fields));
	uint64_t hash = hash_bytes(call, l.fields, sizeof(l.fields));
	for (uint32_t tries = 0;; tries++) {
		bool is_new;
		uint64_t *slot = slot_of(&v->label_of, hash, tries, &is_new);
		if (is_new) {
			*slot = v->labels.len;
			vec_push(&v->labels, l);
		}
		const struct label *there = &v->labels.at[*slot];
		if (there->call == call && !memcmp(there->fields, l.fields, sizeof(l.fields)))
			return (uint32_t)*slot;
	}
}

/* ---- states ---- */

static uint32_t intern_node(struct verification *v, const struct model_state *state,
			    uint32_t parent, uint32_t by)
{
	uint64_t hash = model_hash(v->object, state);
	for (uint32_t tries = 0;; tries++) {
		bool is_new;
		uint64_t *slot = slot_of(&v->node_of, hash, tries, &is_new);
		if (is_new) {
			*slot = v->nodes.len;
			unsigned depth = parent == NOWHERE ? 0 : v->nodes.at[parent].depth + 1;
			vec_push(&v->nodes, ((struct node){ *state, parent, by, depth, false }));
		}
		if (model_is_same(v->object, &v->nodes.at[*slot].state, state))
			return (uint32_t)*slot;
	}
}

static void follow(struct verification *v, uint32_t number)
{
	v->nodes.at[number].is_followed = true;
	for (uint32_t c = 0; c < v->calls.len; c++) {
		struct model_state state = v->nodes.at[number].state;
		int64_t fields[SPEC_FIELDS_MAX];
		memcpy(fields, v->calls.at[c].fields, sizeof(fields));
		enum model_end end = model_call(v->object, method_of(v, c), &state, fields);
		struct transition t = { NOWHERE, 0, end == MODEL_DISABLED };
		if (end == MODEL_DONE) {
			t.next = intern_node(v, &state, number, c);
			t.label = intern_label(v, c, fields);
		}
		vec_push(&v->transitions, t);
	}
}

static void find_states(struct verification *v)
{
	struct model_state state;
	uint64_t each = (uint64_t)v->calls.len * v->calls.len + 1;
	uint64_t most = v->limits.tests / each + 1;
	model_begin(&state);
	intern_node(v, &state, NOWHERE, 0);
	for (uint32_t i = 0; i < v->nodes.len && i < most; i++) {
		if (v->nodes.at[i].depth > v->limits.calls)
			break;
		follow(v, i);
	}
}

/* ---- pairs ---- */

static const struct transition *transition(const struct verification *v, uint32_t node,
					   uint32_t call)
{
	return &v->transitions.at[(size_t)node * v->calls.len + call];
}

/* What the specification says of two labels. */
static bool says_commute(const struct verification *v, const struct label *a, const struct label *b)
{
	const struct spec_object *o = v->object;
	unsigned first = v->calls.at[a->call].method, second = v->calls.at[b->call].method;
	const struct spec_pair *pair = spec_pair_of(o, first, second);
	if (!pair)
		return false;
	const struct condition *c = &v->conditions.at[pair - o->pairs.at];
	bool is_swapped = first > second;
	return condition_commutes(pair, c, is_swapped ? b->fields : a->fields,
				  is_swapped ? a->fields : b->fields);
}

static void print_label(const struct verification *v, uint32_t number, struct buf *out)
{
	const struct label *l = &v->labels.at[number];
	const struct spec_method *m = method_of(v, l->call);
	buf_printf(out, "%s(", m->name);
	for (size_t i = 0; i < m->fields.len; i++) {
		const struct spec_variable *f = &m->fields.at[i];
		if (i == m->parameters)
			buf_str(out, ")");
		buf_str(out, i == m->parameters ? " -> " : i ? ", " : "");
		if (f->type == SPEC_BOOL)
			buf_str(out, l->fields[i] ? "true" : "false");
		else
			buf_printf(out, "%lld", (long long)l->fields[i]);
	}
	if (m->fields.len == m->parameters)
		buf_str(out, ")");
}

static void print_path(const struct verification *v, uint32_t node, struct buf *out)
{
	VEC(uint32_t) path = { 0 };
	for (uint32_t n = node; v->nodes.at[n].parent != NOWHERE; n = v->nodes.at[n].parent)
		vec_push(&path, n);
	buf_str(out, path.len ? "after " : "in a new object");
	for (size_t i = path.len; i-- > 0;) {
		const struct node *n = &v->nodes.at[path.at[i]];
		print_label(v, transition(v, n->parent, n->by)->label, out);
		buf_str(out, i ? ", " : "");
	}
	buf_str(out, " (");
	model_print(v->object, &v->nodes.at[node].state, out);
	buf_str(out, ")");
	vec_release(&path);
}

/* What becomes of calls a and b if b comes first. */
static void print_other_order(const struct verification *v, uint32_t node, uint32_t a, uint32_t b,
			      struct buf *out)
{
	const struct transition *t = transition(v, node, b);
	buf_str(out, "; if the second call comes first, ");
	if (t->next == NOWHERE) {
		buf_printf(out, "%s is not enabled", method_of(v, b)->name);
		return;
	}
	buf_str(out, "it is ");
	print_label(v, t->label, out);
	const struct transition *u = transition(v, t->next, a);
	if (u->next == NOWHERE) {
		buf_printf(out, ", and then %s is not enabled", method_of(v, a)->name);
		return;
	}
	buf_str(out, ", the other one ");
	print_label(v, u->label, out);
	buf_str(out, ", and they lead to ");
	model_print(v->object, &v->nodes.at[u->next].state, out);
}

/* One of a kind for two methods; nodes are looked at in order, so the first has the shortest way.
 */
static void add_note(struct verification *v, enum verify_kind kind, const struct seen *s)
{
	const struct spec_object *o = v->object;
	const struct label *a = &v->labels.at[s->first], *b = &v->labels.at[s->second];
	unsigned first = v->calls.at[a->call].method, second = v->calls.at[b->call].method;
	const struct spec_pair *pair = spec_pair_of(o, first, second);
	struct spec_place place = pair ? pair->place : o->methods.at[second].place;
	struct buf text = { 0 };
	buf_printf(&text, "%s and %s ", o->methods.at[first].name, o->methods.at[second].name);
	buf_str(&text, kind == VERIFY_WRONG ? "do not commute where the condition holds: "
					    : "commute where the condition does not hold: ");
	print_path(v, s->node, &text);
	buf_str(&text, " come ");
	print_label(v, s->first, &text);
	buf_str(&text, " and then ");
	print_label(v, s->second, &text);
	if (kind == VERIFY_WRONG) {
		const struct transition *t = transition(v, s->node, a->call);
		buf_str(&text, " and lead to ");
		model_print(o, &v->nodes.at[transition(v, t->next, b->call)->next].state, &text);
		print_other_order(v, s->node, a->call, b->call, &text);
	} else {
		buf_str(&text, ", and in each state tried the other order gives the same");
	}
	vec_push(&v->result->notes, ((struct verify_note){ kind, place, buf_take(&text) }));
}

static struct seen *seen_of(struct verification *v, uint32_t first, uint32_t second, bool *is_new)
{
	uint64_t *slot = map_put(&v->seen_of, (uint64_t)first << 32 | second, is_new);
	if (*is_new) {
		*slot = v->seen.len;
		vec_push(&v->seen, ((struct seen){ .first = first, .second = second }));
	}
	return &v->seen.at[*slot];
}

static void try_pair(struct verification *v, uint32_t node, uint32_t a, uint32_t b)
{
	const struct transition *first = transition(v, node, a), *other = transition(v, node, b);
	if (first->next == NOWHERE || !v->nodes.at[first->next].is_followed)
		return;
	const struct transition *second = transition(v, first->next, b);
	if (second->next == NOWHERE)
		return;
	bool differs = other->is_disabled;
	if (!differs) {
		if (other->next == NOWHERE || !v->nodes.at[other->next].is_followed)
			return;
		const struct transition *last = transition(v, other->next, a);
		if (last->next == NOWHERE && !last->is_disabled)
			return;
		differs = last->is_disabled || last->next != second->next ||
			  last->label != first->label || other->label != second->label;
	}
	v->result->tests++;
	bool is_new;
	struct seen *s = seen_of(v, first->label, second->label, &is_new);
	if (is_new || (differs && !s->differs))
		s->node = node;
	s->differs |= differs;
}

/* Labels that come in one order only may be reversed freely. */
static bool differs_anywhere(const struct verification *v, const struct seen *s)
{
	const uint64_t *other = map_get(&v->seen_of, (uint64_t)s->second << 32 | s->first);
	return s->differs || (other && v->seen.at[*other].differs);
}

static void judge(struct verification *v)
{
	size_t methods = v->object->methods.len;
	struct seen **first[2] = { mem_zero(methods * methods, sizeof(struct seen *)),
				   mem_zero(methods * methods, sizeof(struct seen *)) };
	for (size_t i = 0; i < v->seen.len; i++) {
		struct seen *s = &v->seen.at[i];
		const struct label *a = &v->labels.at[s->first], *b = &v->labels.at[s->second];
		bool says = says_commute(v, a, b);
		if (says != (says ? s->differs : differs_anywhere(v, s)))
			continue;
		unsigned m = v->calls.at[a->call].method, n = v->calls.at[b->call].method;
		struct seen **best = &first[says ? VERIFY_WRONG : VERIFY_WEAKER]
					   [m < n ? m * methods + n : n * methods + m];
		if (!*best || s->node < (*best)->node)
			*best = s;
	}
	for (int kind = 0; kind < 2; kind++) {
		for (size_t i = 0; i < methods * methods; i++)
			if (first[kind][i])
				add_note(v, (enum verify_kind)kind, first[kind][i]);
		mem_free(first[kind]);
	}
}

static int compile(struct verification *v, struct err *err)
{
	const struct spec_object *o = v->object;
	for (size_t i = 0; i < o->pairs.len; i++)
		if (!condition_compile(&o->pairs.at[i], vec_add(&v->conditions)))
			return err_set(err, ERR_SUPPORT, "%s:%u:%u: the condition is too large",
				       v->path, o->pairs.at[i].place.line,
				       o->pairs.at[i].place.column);
	return make_calls(v, err);
}

/* Both orders of all calls, in all states. */
static int try_all(struct verification *v, struct err *err)
{
	int rc = compile(v, err);
	if (rc)
		return rc;
	find_states(v);
	for (uint32_t n = 0; n < v->nodes.len && v->nodes.at[n].is_followed; n++)
		for (uint32_t a = 0; a < v->calls.len; a++)
			for (uint32_t b = 0; b < v->calls.len; b++)
				try_pair(v, n, a, b);
	return 0;
}

static void release(struct verification *v)
{
	for (size_t i = 0; i < v->conditions.len; i++)
		condition_release(&v->conditions.at[i]);
	vec_release(&v->conditions);
	vec_release(&v->calls);
	vec_release(&v->labels);
	vec_release(&v->nodes);
	vec_release(&v->transitions);
	vec_release(&v->seen);
	map_release(&v->label_of);
	map_release(&v->node_of);
	map_release(&v->seen_of);
}

int verify_object(const struct spec_object *o, const char *path, struct verify_limits limits,
		  struct verify_result *r, struct err *err)
{
	struct verification v = { .object = o, .path = path, .limits = limits, .result = r };
	*r = (struct verify_result){ 0 };
	int rc = try_all(&v, err);
	if (!rc)
		judge(&v);
	r->states = v.nodes.len;
	r->calls = v.calls.len;
	release(&v);
	return rc;
}

int verify_samples(const struct spec_object *o, const char *path, struct verify_limits limits,
		   verify_take *take, void *arg, struct err *err)
{
	struct verify_result r = { 0 };
	struct verification v = { .object = o, .path = path, .limits = limits, .result = &r };
	int rc = try_all(&v, err);
	for (size_t i = 0; i < v.seen.len && !rc; i++) {
		const struct seen *s = &v.seen.at[i];
		const struct label *a = &v.labels.at[s->first], *b = &v.labels.at[s->second];
		unsigned first = v.calls.at[a->call].method, second = v.calls.at[b->call].method;
		bool commutes = !differs_anywhere(&v, s);
		if (first <= second)
			take(arg, first, second, a->fields, b->fields, commutes);
		if (second <= first)
			take(arg, second, first, b->fields, a->fields, commutes);
	}
	release(&v);
	return rc;
}

void verify_release(struct verify_result *r)
{
	for (size_t i = 0; i < r->notes.len; i++)
		mem_free(r->notes.at[i].text);
	vec_release(&r->notes);
}
