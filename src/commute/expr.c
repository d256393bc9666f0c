/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Expressions of a specification: from text to trees with types.  From weak to strong:
 *
 *   ||    &&    == != < <= > >=    + -    *    ! -
 *
 * Integers have 64 bits and wrap around.  Both operands of == are of one scalar type.
 */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "commute/parser.h"

#define DEPTH_MAX 200 /* of parentheses and operators in front */

enum operand_type {
	OF_INT = SPEC_INT,
	OF_SET = SPEC_SET,
	OF_MAP = SPEC_MAP,
	OF_LIST = SPEC_LIST,
	OF_BOOL = SPEC_BOOL,
	OF_ANY_ = SPEC_TYPES,
	OF_SAME_
};

static const struct function {
	const char *word;
	unsigned result, operands, types[3];
} functions[] = {
#define FUNCTION(NAME, word, result, operands, first, second, third, meaning) \
	{ word, OF_##result, operands, { OF_##first, OF_##second, OF_##third } },
#include "commute/functions.def"
};

const char *const spec_type_names[SPEC_TYPES] = { "bool", "int", "set", "map", "list" };

void spec_expr_release(struct spec_expr *e)
{
	for (int i = 0; e && i < 3; i++)
		spec_expr_release(e->operands[i]);
	mem_free(e);
}

static struct spec_expr *new_expr(enum spec_expr_kind kind, enum spec_type type,
				  struct spec_expr *a, struct spec_expr *b)
{
	struct spec_expr *e = mem_zero(1, sizeof(*e));
	e->kind = kind;
	e->type = type;
	e->operands[0] = a;
	e->operands[1] = b;
	return e;
}

void parse_demand(struct parser *p, const struct spec_expr *e, enum spec_type type,
		  struct spec_place place, const char *what)
{
	if (e && e->type != type)
		lexer_fail(&p->lexer, place, "%s is of type %s, and must be of type %s", what,
			   spec_type_names[e->type], spec_type_names[type]);
}

int spec_variable_named(const struct spec_variable *at, size_t count, const struct token *name)
{
	for (size_t i = 0; i < count; i++)
		if (token_is_text(name, at[i].name))
			return (int)i;
	return -1;
}

/* ---- names ---- */

static struct spec_expr *field(const struct spec_method *m, unsigned number, unsigned call)
{
	struct spec_expr *e = new_expr(SPEC_FIELD, m->fields.at[number].type, NULL, NULL);
	e->index = number;
	e->call = call;
	return e;
}

/* NAME.FIELD, where NAME is behind us. */
static struct spec_expr *field_of_call(struct parser *p, const struct token *name)
{
	struct lexer *l = &p->lexer;
	const struct condition_scope *c = p->condition;
	char found[64];
	lexer_token_text(l, found, sizeof(found));
	struct token token = l->token;
	if (!c) {
		lexer_fail(l, name->place, "'.' is for the calls of a condition");
		return NULL;
	}
	unsigned call = 0;
	while (call < 2 && (c->names[call].len != name->len ||
			    memcmp(c->names[call].at, name->at, name->len) != 0))
		call++;
	if (call == 2) {
		lexer_fail(l, name->place, "'%.*s' is none of the two calls, '%.*s' and '%.*s'",
			   (int)name->len, name->at, (int)c->names[0].len, c->names[0].at,
			   (int)c->names[1].len, c->names[1].at);
		return NULL;
	}
	const struct spec_method *m = c->methods[call];
	int number = spec_variable_named(m->fields.at, m->fields.len, &token);
	if (token.kind != TOKEN_NAME || number < 0) {
		lexer_fail(l, token.place, "%s is no argument or result of %s", found, m->name);
		return NULL;
	}
	lexer_next(l);
	return field(m, (unsigned)number, call);
}

static struct spec_expr *variable(struct parser *p, const struct token *name)
{
	const struct spec_object *o = p->object;
	int number =
		p->method ? spec_variable_named(p->method->fields.at, p->method->fields.len, name)
			  : -1;
	if (number >= 0)
		return field(p->method, (unsigned)number, 0);
	number = p->method ? spec_variable_named(o->state.at, o->state.len, name) : -1;
	if (number >= 0) {
		struct spec_expr *e = new_expr(SPEC_STATE, o->state.at[number].type, NULL, NULL);
		e->index = (unsigned)number;
		return e;
	}
	if (p->condition)
		lexer_fail(&p->lexer, name->place,
			   "'%.*s' is unknown here: a condition uses CALL.FIELD", (int)name->len,
			   name->at);
	else
		lexer_fail(&p->lexer, name->place,
			   "'%.*s' is neither a field of the method nor a state variable",
			   (int)name->len, name->at);
	return NULL;
}

static struct spec_expr *parse_any(struct parser *p, unsigned depth);

static struct spec_expr *call_function(struct parser *p, const struct token *name, unsigned depth)
{
	struct lexer *l = &p->lexer;
	unsigned number = 0, count = sizeof(functions) / sizeof(*functions);
	while (number < count && !token_is_text(name, functions[number].word))
		number++;
	if (number == count) {
		lexer_fail(l, name->place, "there is no function '%.*s'", (int)name->len, name->at);
		return NULL;
	}
	const struct function *f = &functions[number];
	struct spec_expr *e = new_expr(SPEC_FUNCTION, SPEC_INT, NULL, NULL);
	e->index = number;
	for (unsigned i = 0; i < f->operands && !l->rc; i++) {
		struct spec_place place = l->token.place;
		char what[64];
		if (i)
			lexer_expect(l, ",", "before the next operand");
		place = i ? l->token.place : place;
		e->operands[i] = parse_any(p, depth + 1);
		snprintf(what, sizeof(what), "operand %u of %s", i + 1, f->word);
		if (e->operands[i] && f->types[i] == OF_ANY_ &&
		    spec_type_is_scalar(e->operands[i]->type))
			lexer_fail(l, place, "%s is of type %s, and must be a set, map or list",
				   what, spec_type_names[e->operands[i]->type]);
		else if (f->types[i] != OF_ANY_)
			parse_demand(p, e->operands[i], (enum spec_type)f->types[i], place, what);
	}
	lexer_expect(l, ")", "after the operands");
	if (!l->rc)
		e->type = f->result == OF_SAME_ ? e->operands[0]->type : (enum spec_type)f->result;
	return e;
}

/* ---- operators ---- */

static struct spec_expr *parse_primary(struct parser *p, unsigned depth)
{
	struct lexer *l = &p->lexer;
	struct token token = l->token;
	char found[64];
	lexer_token_text(l, found, sizeof(found));
	if (lexer_skip(l, "(")) {
		struct spec_expr *e = parse_any(p, depth + 1);
		lexer_expect(l, ")", "to close the parenthesis");
		return e;
	}
	if (token.kind == TOKEN_NUMBER || lexer_is(l, "true") || lexer_is(l, "false")) {
		struct spec_expr *e =
			new_expr(SPEC_CONSTANT, token.kind == TOKEN_NUMBER ? SPEC_INT : SPEC_BOOL,
				 NULL, NULL);
		e->constant = token.kind == TOKEN_NUMBER ? token.number : lexer_is(l, "true");
		lexer_next(l);
		return e;
	}
	if (token.kind != TOKEN_NAME) {
		lexer_fail(l, token.place, "an expression is expected, not %s", found);
		return NULL;
	}
	lexer_next(l);
	if (lexer_skip(l, "("))
		return call_function(p, &token, depth);
	return lexer_skip(l, ".") ? field_of_call(p, &token) : variable(p, &token);
}

static struct spec_expr *parse_unary(struct parser *p, unsigned depth)
{
	struct lexer *l = &p->lexer;
	struct spec_place place = l->token.place;
	if (depth > DEPTH_MAX) {
		lexer_fail(l, place, "the expression is nested too deeply");
		return NULL;
	}
	bool is_not = lexer_is(l, "!");
	if (!is_not && !lexer_is(l, "-"))
		return parse_primary(p, depth);
	lexer_next(l);
	place = l->token.place;
	struct spec_expr *e = parse_unary(p, depth + 1);
	enum spec_type type = is_not ? SPEC_BOOL : SPEC_INT;
	parse_demand(p, e, type, place, is_not ? "what '!' negates" : "what '-' negates");
	return new_expr(is_not ? SPEC_NOT : SPEC_MINUS, type, e, NULL);
}

/* Left to right.  `is_swapped`: the operands change places. */
static const struct operator
{
	const char *sign;
	unsigned level;
	enum spec_expr_kind kind;
	bool is_swapped;
}
operators[] = {
	{ "||", 0, SPEC_OR, false },	  { "&&", 1, SPEC_AND, false },
	{ "==", 2, SPEC_EQUAL, false },	  { "!=", 2, SPEC_UNEQUAL, false },
	{ "<=", 2, SPEC_AT_MOST, false }, { ">=", 2, SPEC_AT_MOST, true },
	{ "<", 2, SPEC_LESS, false },	  { ">", 2, SPEC_LESS, true },
	{ "+", 3, SPEC_PLUS, false },	  { "-", 3, SPEC_PLUS, false },
	{ "*", 4, SPEC_TIMES, false },
};
#define LEVELS 5

static const struct operator* operator_at(const struct parser *p, unsigned level)
{
	for (size_t i = 0; i < sizeof(operators) / sizeof(*operators); i++)
		if (operators[i].level == level && lexer_is(&p->lexer, operators[i].sign))
			return &operators[i];
	return NULL;
}

static struct spec_expr *join(struct parser *p, const struct operator* op, struct spec_expr *a,
			      struct spec_place at, struct spec_expr *b, struct spec_place place)
{
	char left[32], right[32];
	snprintf(left, sizeof(left), "the left side of '%s'", op->sign);
	snprintf(right, sizeof(right), "the right side of '%s'", op->sign);
	bool is_equality = op->kind == SPEC_EQUAL || op->kind == SPEC_UNEQUAL;
	enum spec_type wants = op->level < 2 ? SPEC_BOOL : SPEC_INT;
	if (is_equality && a && !spec_type_is_scalar(a->type))
		lexer_fail(&p->lexer, at, "%s is of type %s, which cannot be compared", left,
			   spec_type_names[a->type]);
	else if (!is_equality)
		parse_demand(p, a, wants, at, left);
	parse_demand(p, b, is_equality && a ? a->type : wants, place, right);
	if (*op->sign == '-')
		b = new_expr(SPEC_MINUS, SPEC_INT, b, NULL);
	return new_expr(op->kind, op->level < 3 ? SPEC_BOOL : SPEC_INT, op->is_swapped ? b : a,
			op->is_swapped ? a : b);
}

static struct spec_expr *parse_level(struct parser *p, unsigned level, unsigned depth)
{
	if (level == LEVELS)
		return parse_unary(p, depth);
	struct spec_place at = p->lexer.token.place;
	struct spec_expr *e = parse_level(p, level + 1, depth);
	for (const struct operator* op; (op = operator_at(p, level));) {
		lexer_next(&p->lexer);
		struct spec_place place = p->lexer.token.place;
		e = join(p, op, e, at, parse_level(p, level + 1, depth), place);
		if (level == 2 && operator_at(p, level))
			lexer_fail(&p->lexer, p->lexer.token.place,
				   "comparisons do not follow each other: use '&&'");
	}
	return e;
}

static struct spec_expr *parse_any(struct parser *p, unsigned depth)
{
	return parse_level(p, 0, depth);
}

struct spec_expr *parse_expr(struct parser *p)
{
	struct spec_expr *e = parse_any(p, 0);
	if (!p->lexer.rc)
		return e;
	spec_expr_release(e);
	return NULL;
}
