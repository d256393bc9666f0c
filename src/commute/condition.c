/* SPDX-License-Identifier: Apache-2.0 */
/* Compiled conditions under which two calls commute, and their evaluation; see condition.h. */
#include "commute/condition.h"

#include "base/alloc.h"

#define DEPTH_MAX 32 /* values on the stack */

static enum condition_kind kind_of(enum spec_expr_kind kind)
{
	static const enum condition_kind kinds[] = {
		[SPEC_NOT] = CONDITION_NOT,
		[SPEC_MINUS] = CONDITION_MINUS,
		[SPEC_OR] = CONDITION_OR,
		[SPEC_AND] = CONDITION_AND,
		[SPEC_EQUAL] = CONDITION_EQUAL,
		[SPEC_UNEQUAL] = CONDITION_UNEQUAL,
		[SPEC_LESS] = CONDITION_LESS,
		[SPEC_AT_MOST] = CONDITION_AT_MOST,
		[SPEC_PLUS] = CONDITION_PLUS,
		[SPEC_TIMES] = CONDITION_TIMES,
		[SPEC_CONSTANT] = CONDITION_CONSTANT,
		[SPEC_FIELD] = CONDITION_FIELD,
	};
	return kinds[kind];
}

/* `depth` values are below it on the stack. */
static bool add(const struct spec_expr *e, unsigned depth, struct condition *out)
{
	if (depth >= DEPTH_MAX)
		return false;
	for (unsigned i = 0; i < 3 && e->operands[i]; i++)
		if (!add(e->operands[i], depth + i, out))
			return false;
	int64_t value = e->kind == SPEC_FIELD ? (int64_t)e->index : e->constant;
	vec_push(&out->ops, ((struct condition_op){ value, kind_of(e->kind), e->call }));
	return true;
}

bool condition_compile(const struct spec_pair *pair, struct condition *out)
{
	*out = (struct condition){ 0 };
	return !pair->when || add(pair->when, 0, out);
}

void condition_release(struct condition *c)
{
	vec_release(&c->ops);
}

/* Both operands are there; integers wrap around. */
static int64_t join(enum condition_kind kind, int64_t a, int64_t b)
{
	switch (kind) {
	case CONDITION_OR:
		return a || b;
	case CONDITION_AND:
		return a && b;
	case CONDITION_EQUAL:
		return a == b;
	case CONDITION_UNEQUAL:
		return a != b;
	case CONDITION_LESS:
		return a < b;
	case CONDITION_AT_MOST:
		return a <= b;
	case CONDITION_PLUS:
		return (int64_t)((uint64_t)a + (uint64_t)b);
	case CONDITION_TIMES:
		return (int64_t)((uint64_t)a * (uint64_t)b);
	case CONDITION_CONSTANT:
	case CONDITION_FIELD:
	case CONDITION_NOT:
	case CONDITION_MINUS:
		break;
	}
	return 0;
}

static bool holds(const struct condition *c, const int64_t *first, const int64_t *second)
{
	int64_t stack[DEPTH_MAX] = { 1 };
	unsigned depth = 0;
	for (size_t i = 0; i < c->ops.len; i++) {
		const struct condition_op *op = &c->ops.at[i];
		switch (op->kind) {
		case CONDITION_CONSTANT:
			stack[depth++] = op->value;
			break;
		case CONDITION_FIELD:
			stack[depth++] = (op->call ? second : first)[op->value];
			break;
		case CONDITION_NOT:
			stack[depth - 1] = !stack[depth - 1];
			break;
		case CONDITION_MINUS:
			stack[depth - 1] = (int64_t)(0 - (uint64_t)stack[depth - 1]);
			break;
		default:
			depth--;
			stack[depth - 1] = join(op->kind, stack[depth - 1], stack[depth]);
			break;
		}
	}
	return stack[0] != 0;
}

bool condition_commutes(const struct spec_pair *pair, const struct condition *c,
			const int64_t *first, const int64_t *second)
{
	return holds(c, first, second) &&
	       (pair->methods[0] != pair->methods[1] || holds(c, second, first));
}
