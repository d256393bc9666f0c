/* SPDX-License-Identifier: Apache-2.0 */
/* The sequential model of an object, and how calls are evaluated on it; see model.h. */
#include "commute/model.h"

#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/hash.h"
#include "commute/parser.h"

struct running {
	const struct spec_object *object;
	struct model_state *state;
	int64_t *fields;
	bool is_full;
};

/* ---- collections ---- */

/* Where the key is in a set or map, or would be. */
static uint64_t place_of(const struct model_value *v, int64_t key)
{
	uint64_t i = 0;
	while (i < v->count && v->keys[i] < key)
		i++;
	return i;
}

static uint64_t find(const struct model_value *v, enum spec_type type, int64_t key)
{
	uint64_t i = type == SPEC_LIST ? 0 : place_of(v, key);
	while (type == SPEC_LIST && i < v->count && v->keys[i] != key)
		i++;
	return i < v->count && v->keys[i] == key ? i : v->count;
}

static void remove_at(struct model_value *v, uint64_t at)
{
	if (at >= v->count)
		return;
	v->count--;
	memmove(&v->keys[at], &v->keys[at + 1], (v->count - at) * sizeof(*v->keys));
	memmove(&v->values[at], &v->values[at + 1], (v->count - at) * sizeof(*v->values));
	v->keys[v->count] = v->values[v->count] = 0;
}

static void insert_at(struct running *r, struct model_value *v, uint64_t at, int64_t key)
{
	if (v->count == MODEL_ITEMS_MAX) {
		r->is_full = true;
		return;
	}
	memmove(&v->keys[at + 1], &v->keys[at], (v->count - at) * sizeof(*v->keys));
	memmove(&v->values[at + 1], &v->values[at], (v->count - at) * sizeof(*v->values));
	v->count++;
	v->keys[at] = key;
	v->values[at] = 0;
}

static void put(struct running *r, struct model_value *v, int64_t key, int64_t value)
{
	uint64_t at = place_of(v, key);
	if (at == v->count || v->keys[at] != key)
		insert_at(r, v, at, key);
	if (!r->is_full)
		v->values[at] = value;
}

static void replace(struct model_value *v, int64_t old, int64_t new)
{
	for (uint64_t i = 0; i < v->count; i++)
		if (v->values[i] == old)
			v->values[i] = new;
}

/* Behind those that are not larger. */
static uint64_t sorted_place(const struct model_value *v, int64_t value)
{
	uint64_t i = 0;
	while (i < v->count && v->keys[i] <= value)
		i++;
	return i;
}

/* ---- expressions ---- */

static void evaluate(struct running *r, const struct spec_expr *e, struct model_value *out);

static int64_t scalar(struct running *r, const struct spec_expr *e);

static void apply(struct running *r, const struct spec_expr *e, struct model_value *v)
{
	int64_t second = e->operands[1] ? scalar(r, e->operands[1]) : 0;
	int64_t third = e->operands[2] ? scalar(r, e->operands[2]) : 0;
	enum spec_type type = e->operands[0]->type;
	evaluate(r, e->operands[0], v);
	uint64_t at;
	switch ((enum spec_function)e->index) {
	case SPEC_FUNCTION_HAS:
		v->scalar = find(v, type, second) < v->count;
		break;
	case SPEC_FUNCTION_SIZE:
		v->scalar = (int64_t)v->count;
		break;
	case SPEC_FUNCTION_WITH:
		put(r, v, second, 0);
		break;
	case SPEC_FUNCTION_WITHOUT:
		remove_at(v, find(v, type, second));
		break;
	case SPEC_FUNCTION_GET:
		at = find(v, type, second);
		v->scalar = at < v->count ? v->values[at] : 0;
		break;
	case SPEC_FUNCTION_PUT:
		put(r, v, second, third);
		break;
	case SPEC_FUNCTION_REPLACE:
		replace(v, second, third);
		break;
	case SPEC_FUNCTION_FIRST:
		v->scalar = v->keys[0];
		break;
	case SPEC_FUNCTION_LAST:
		v->scalar = v->count ? v->keys[v->count - 1] : 0;
		break;
	case SPEC_FUNCTION_REST:
		remove_at(v, 0);
		break;
	case SPEC_FUNCTION_FRONT:
		remove_at(v, v->count - 1);
		break;
	case SPEC_FUNCTION_APPEND:
		insert_at(r, v, v->count, second);
		break;
	case SPEC_FUNCTION_INSERT:
		insert_at(r, v, sorted_place(v, second), second);
		break;
	}
}

static int64_t operate(struct running *r, const struct spec_expr *e)
{
	int64_t a = scalar(r, e->operands[0]);
	int64_t b = e->operands[1] ? scalar(r, e->operands[1]) : 0;
	switch (e->kind) {
	case SPEC_NOT:
		return !a;
	case SPEC_MINUS:
		return (int64_t)(0 - (uint64_t)a);
	case SPEC_OR:
		return a || b;
	case SPEC_AND:
		return a && b;
	case SPEC_EQUAL:
		return a == b;
	case SPEC_UNEQUAL:
		return a != b;
	case SPEC_LESS:
		return a < b;
	case SPEC_AT_MOST:
		return a <= b;
	case SPEC_PLUS:
		return (int64_t)((uint64_t)a + (uint64_t)b);
	case SPEC_TIMES:
		return (int64_t)((uint64_t)a * (uint64_t)b);
	case SPEC_CONSTANT:
	case SPEC_STATE:
	case SPEC_FIELD:
	case SPEC_FUNCTION:
		break;
	}
	return 0;
}

static void evaluate(struct running *r, const struct spec_expr *e, struct model_value *out)
{
	switch (e->kind) {
	case SPEC_CONSTANT:
		out->scalar = e->constant;
		break;
	case SPEC_STATE:
		*out = r->state->at[e->index];
		break;
	case SPEC_FIELD:
		out->scalar = r->fields[e->index];
		break;
	case SPEC_FUNCTION:
		apply(r, e, out);
		break;
	default:
		out->scalar = operate(r, e);
		break;
	}
}

static int64_t scalar(struct running *r, const struct spec_expr *e)
{
	struct model_value v;
	evaluate(r, e, &v);
	return v.scalar;
}

/* ---- statements ---- */

static void run(struct running *r, const struct spec_block *b)
{
	for (size_t i = 0; b && i < b->statements.len && !r->is_full; i++) {
		const struct spec_statement *s = &b->statements.at[i];
		if (s->is_if) {
			run(r, scalar(r, s->value) ? s->then : s->otherwise);
		} else if (s->is_to_field) {
			r->fields[s->target] = scalar(r, s->value);
		} else {
			struct model_value v = { 0 };
			evaluate(r, s->value, &v);
			if (spec_type_is_scalar(s->value->type))
				v = (struct model_value){ .scalar = v.scalar };
			else
				v.scalar = 0;
			r->state->at[s->target] = v;
		}
	}
}

void model_begin(struct model_state *s)
{
	memset(s, 0, sizeof(*s));
}

enum model_end model_call(const struct spec_object *o, const struct spec_method *m,
			  struct model_state *s, int64_t *fields)
{
	struct model_state after = *s;
	struct running r = { o, &after, fields, false };
	for (size_t i = m->parameters; i < m->fields.len; i++)
		fields[i] = 0;
	if (m->enabled && !scalar(&r, m->enabled))
		return MODEL_DISABLED;
	run(&r, m->body);
	if (r.is_full)
		return MODEL_FULL;
	*s = after;
	return MODEL_DONE;
}

/* ---- states ---- */

bool model_is_same(const struct spec_object *o, const struct model_state *a,
		   const struct model_state *b)
{
	return !memcmp(a->at, b->at, o->state.len * sizeof(*a->at));
}

uint64_t model_hash(const struct spec_object *o, const struct model_state *s)
{
	uint64_t h = 0;
	for (size_t i = 0; i < o->state.len; i++) {
		const struct model_value *v = &s->at[i];
		h = hash_mix(hash_mix(h, (uint64_t)v->scalar), v->count);
		for (uint64_t k = 0; k < v->count; k++)
			h = hash_mix(hash_mix(h, (uint64_t)v->keys[k]), (uint64_t)v->values[k]);
	}
	return h;
}

static void print_value(enum spec_type type, const struct model_value *v, struct buf *out)
{
	if (type == SPEC_BOOL)
		buf_str(out, v->scalar ? "true" : "false");
	if (type == SPEC_INT)
		buf_printf(out, "%lld", (long long)v->scalar);
	if (spec_type_is_scalar(type))
		return;
	buf_char(out, type == SPEC_LIST ? '[' : '{');
	for (uint64_t i = 0; i < v->count; i++) {
		buf_printf(out, "%s%lld", i ? ", " : "", (long long)v->keys[i]);
		if (type == SPEC_MAP)
			buf_printf(out, ": %lld", (long long)v->values[i]);
	}
	buf_char(out, type == SPEC_LIST ? ']' : '}');
}

void model_print(const struct spec_object *o, const struct model_state *s, struct buf *out)
{
	for (size_t i = 0; i < o->state.len; i++) {
		buf_printf(out, "%s%s = ", i ? ", " : "", o->state.at[i].name);
		print_value(o->state.at[i].type, &s->at[i], out);
	}
}
