/* SPDX-License-Identifier: Apache-2.0 */
/* Objects, methods and conditions of a specification; see spec.h.  doc/SPEC.md has the grammar. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "commute/parser.h"

#define BLOCK_DEPTH_MAX 50

/* ---- release ---- */

static void release_block(struct spec_block *b)
{
	for (size_t i = 0; b && i < b->statements.len; i++) {
		spec_expr_release(b->statements.at[i].value);
		release_block(b->statements.at[i].then);
		release_block(b->statements.at[i].otherwise);
	}
	if (b)
		vec_release(&b->statements);
	mem_free(b);
}

static void release_method(struct spec_method *m)
{
	for (size_t i = 0; i < m->fields.len; i++)
		mem_free(m->fields.at[i].name);
	vec_release(&m->fields);
	spec_expr_release(m->enabled);
	release_block(m->body);
	mem_free(m->name);
}

static void release_object(struct spec_object *o)
{
	for (size_t i = 0; i < o->state.len; i++)
		mem_free(o->state.at[i].name);
	for (size_t i = 0; i < o->methods.len; i++)
		release_method(&o->methods.at[i]);
	for (size_t i = 0; i < o->pairs.len; i++)
		spec_expr_release(o->pairs.at[i].when);
	vec_release(&o->state);
	vec_release(&o->methods);
	vec_release(&o->pairs);
	mem_free(o->name);
}

void spec_release(struct spec *s)
{
	for (size_t i = 0; i < s->objects.len; i++)
		release_object(&s->objects.at[i]);
	vec_release(&s->objects);
	mem_free(s->path);
	*s = (struct spec){ 0 };
}

const struct spec_pair *spec_pair_of(const struct spec_object *o, unsigned method, unsigned other)
{
	unsigned first = method < other ? method : other, second = method + other - first;
	for (size_t i = 0; i < o->pairs.len; i++)
		if (o->pairs.at[i].methods[0] == first && o->pairs.at[i].methods[1] == second)
			return &o->pairs.at[i];
	return NULL;
}

/* ---- names ---- */

static struct token take_name(struct parser *p, const char *what)
{
	static const char *const reserved[] = { "object", "state", "method", "commute", "when",
						"if",	  "else",  "true",   "false",	"enabled" };
	struct lexer *l = &p->lexer;
	struct token t = l->token;
	char found[64];
	lexer_token_text(l, found, sizeof(found));
	bool is_reserved = false;
	for (size_t i = 0; i < sizeof(reserved) / sizeof(*reserved); i++)
		is_reserved |= lexer_is(l, reserved[i]);
	if (t.kind != TOKEN_NAME || is_reserved)
		lexer_fail(l, t.place, "%s is expected, not %s%s", what, found,
			   is_reserved ? ", which is a word of the language" : "");
	lexer_next(l);
	return t;
}

static char *text_of(const struct token *t)
{
	char *text = mem_zero(t->len + 1, 1);
	memcpy(text, t->at, t->len);
	return text;
}

static enum spec_type take_type(struct parser *p, bool is_scalar)
{
	struct lexer *l = &p->lexer;
	char found[64];
	lexer_token_text(l, found, sizeof(found));
	for (unsigned t = 0; t < SPEC_TYPES; t++)
		if (lexer_is(l, spec_type_names[t])) {
			if (is_scalar && !spec_type_is_scalar((enum spec_type)t))
				lexer_fail(l, l->token.place,
					   "only state variables can be of type %s",
					   spec_type_names[t]);
			lexer_next(l);
			return (enum spec_type)t;
		}
	lexer_fail(l, l->token.place, "a type is expected%s, not %s",
		   is_scalar ? " (bool or int)" : " (bool, int, set, map or list)", found);
	return SPEC_INT;
}

/* NAME: TYPE */
static struct spec_variable take_variable(struct parser *p, const char *what, bool is_scalar)
{
	struct token name = take_name(p, what);
	lexer_expect(&p->lexer, ":", "before the type");
	enum spec_type type = take_type(p, is_scalar);
	return (struct spec_variable){ text_of(&name), type, name.place };
}

static void check_new(struct parser *p, const struct spec_variable *at, size_t count,
		      const struct spec_variable *v)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(at[i].name, v->name))
			lexer_fail(&p->lexer, v->place, "'%s' is there already, at line %u",
				   v->name, at[i].place.line);
}

/* ---- bodies ---- */

static struct spec_block *parse_block(struct parser *p, unsigned depth);

static struct spec_statement parse_if(struct parser *p, unsigned depth)
{
	struct lexer *l = &p->lexer;
	struct spec_statement s = { .is_if = true };
	struct spec_place place = l->token.place;
	lexer_expect(l, "(", "after 'if'");
	s.value = parse_expr(p);
	parse_demand(p, s.value, SPEC_BOOL, place, "the condition");
	lexer_expect(l, ")", "after the condition");
	s.then = parse_block(p, depth + 1);
	if (lexer_skip(l, "else"))
		s.otherwise = parse_block(p, depth + 1);
	return s;
}

static struct spec_statement parse_assignment(struct parser *p)
{
	struct lexer *l = &p->lexer;
	const struct spec_method *m = p->method;
	const struct spec_object *o = p->object;
	struct spec_statement s = { 0 };
	struct token name = take_name(p, "a statement");
	int field = spec_variable_named(m->fields.at, m->fields.len, &name);
	int state = spec_variable_named(o->state.at, o->state.len, &name);
	if (field >= 0 && (unsigned)field < m->parameters)
		lexer_fail(l, name.place, "'%.*s' is an argument, and cannot be changed",
			   (int)name.len, name.at);
	if (field < 0 && state < 0)
		lexer_fail(l, name.place, "'%.*s' is neither a result nor a state variable",
			   (int)name.len, name.at);
	lexer_expect(l, "=", "after the name");
	struct spec_place place = l->token.place;
	s.value = parse_expr(p);
	lexer_expect(l, ";", "after the statement");
	if (l->rc)
		return s;
	s.is_to_field = field >= 0;
	s.target = (unsigned)(field >= 0 ? field : state);
	parse_demand(p, s.value,
		     s.is_to_field ? m->fields.at[s.target].type : o->state.at[s.target].type,
		     place, "the value");
	return s;
}

static struct spec_block *parse_block(struct parser *p, unsigned depth)
{
	struct lexer *l = &p->lexer;
	struct spec_block *b = mem_zero(1, sizeof(*b));
	if (depth > BLOCK_DEPTH_MAX)
		lexer_fail(l, l->token.place, "blocks are nested too deeply");
	lexer_expect(l, "{", "before the statements");
	while (!l->rc && !lexer_skip(l, "}")) {
		struct spec_statement s =
			lexer_skip(l, "if") ? parse_if(p, depth) : parse_assignment(p);
		vec_push(&b->statements, s);
	}
	return b;
}

/* ---- methods ---- */

static void add_field(struct parser *p, struct spec_method *m, struct spec_variable v)
{
	check_new(p, m->fields.at, m->fields.len, &v);
	check_new(p, p->object->state.at, p->object->state.len, &v);
	vec_push(&m->fields, v);
}

static void parse_parameters(struct parser *p, struct spec_method *m)
{
	struct lexer *l = &p->lexer;
	lexer_expect(l, "(", "before the arguments");
	while (!l->rc && !lexer_is(l, ")")) {
		if (m->parameters)
			lexer_expect(l, ",", "between arguments");
		if (m->parameters == SPEC_PARAMETERS_MAX)
			lexer_fail(l, l->token.place, "a method has at most %d arguments",
				   SPEC_PARAMETERS_MAX);
		add_field(p, m, take_variable(p, "an argument", true));
		m->parameters++;
	}
	lexer_expect(l, ")", "after the arguments");
}

static void parse_results(struct parser *p, struct spec_method *m)
{
	struct lexer *l = &p->lexer;
	unsigned results = 0;
	for (bool more = lexer_skip(l, "->"); more && !l->rc; more = lexer_skip(l, ",")) {
		if (results++ == SPEC_RESULTS_MAX)
			lexer_fail(l, l->token.place, "a method has at most %d results",
				   SPEC_RESULTS_MAX);
		add_field(p, m, take_variable(p, "the name of a result", true));
	}
}

/* method NAME(ARGUMENTS) [-> RESULTS] [enabled when CONDITION] { ... } */
static void parse_method(struct parser *p, struct spec_method *m)
{
	struct lexer *l = &p->lexer;
	struct token name = take_name(p, "the name of a method");
	m->name = text_of(&name);
	m->place = name.place;
	for (size_t i = 0; i + 1 < p->object->methods.len; i++)
		if (!strcmp(p->object->methods.at[i].name, m->name))
			lexer_fail(l, m->place, "method '%s' is there already, at line %u", m->name,
				   p->object->methods.at[i].place.line);
	parse_parameters(p, m);
	parse_results(p, m);
	p->method = m;
	if (lexer_skip(l, "enabled")) {
		lexer_expect(l, "when", "after 'enabled'");
		struct spec_place place = l->token.place;
		m->enabled = parse_expr(p);
		parse_demand(p, m->enabled, SPEC_BOOL, place, "the condition");
	}
	m->body = parse_block(p, 0);
	p->method = NULL;
}

/* ---- conditions ---- */

/* [NAME:] METHOD */
static unsigned take_call(struct parser *p, struct condition_scope *c, unsigned call)
{
	const struct spec_object *o = p->object;
	struct token method = c->names[call] = take_name(p, "a method");
	if (lexer_skip(&p->lexer, ":"))
		method = take_name(p, "a method");
	for (unsigned i = 0; i < o->methods.len && !p->lexer.rc; i++)
		if (token_is_text(&method, o->methods.at[i].name)) {
			c->methods[call] = &o->methods.at[i];
			return i;
		}
	lexer_fail(&p->lexer, method.place, "object %s has no method '%.*s' before this line",
		   o->name, (int)method.len, method.at);
	return 0;
}

static void swap_calls(struct spec_expr *e)
{
	for (int i = 0; e && i < 3; i++)
		swap_calls(e->operands[i]);
	if (e && e->kind == SPEC_FIELD)
		e->call = !e->call;
}

/* commute [NAME:] METHOD, [NAME:] METHOD [when CONDITION]; */
static void parse_commute(struct parser *p, struct spec_object *o, struct spec_place place)
{
	struct lexer *l = &p->lexer;
	struct condition_scope c = { 0 };
	struct spec_pair pair = { .place = place };
	pair.methods[0] = take_call(p, &c, 0);
	lexer_expect(l, ",", "between the two methods");
	pair.methods[1] = take_call(p, &c, 1);
	const struct spec_pair *old =
		l->rc ? NULL : spec_pair_of(o, pair.methods[0], pair.methods[1]);
	if (old)
		lexer_fail(l, place, "this pair has a condition already, at line %u",
			   old->place.line);
	bool has_condition = lexer_skip(l, "when");
	if (has_condition && !l->rc && c.names[0].len == c.names[1].len &&
	    !memcmp(c.names[0].at, c.names[1].at, c.names[0].len))
		lexer_fail(l, c.names[1].place,
			   "both calls are named '%.*s': write NAME: METHOD, NAME: METHOD",
			   (int)c.names[1].len, c.names[1].at);
	if (has_condition) {
		struct spec_place at = l->token.place;
		p->condition = &c;
		pair.when = parse_expr(p);
		p->condition = NULL;
		parse_demand(p, pair.when, SPEC_BOOL, at, "the condition");
	}
	lexer_expect(l, ";", "after the condition");
	if (pair.methods[0] > pair.methods[1]) {
		unsigned first = pair.methods[1];
		pair.methods[1] = pair.methods[0];
		pair.methods[0] = first;
		swap_calls(pair.when);
	}
	vec_push(&o->pairs, pair);
}

/* ---- objects ---- */

static void parse_object(struct parser *p, struct spec *s)
{
	struct lexer *l = &p->lexer;
	struct spec_object *o = vec_add(&s->objects);
	struct token name = take_name(p, "the name of an object");
	o->name = text_of(&name);
	o->place = name.place;
	p->object = o;
	for (size_t i = 0; i + 1 < s->objects.len; i++)
		if (!strcmp(s->objects.at[i].name, o->name))
			lexer_fail(l, o->place, "object '%s' is there already, at line %u", o->name,
				   s->objects.at[i].place.line);
	lexer_expect(l, "{", "after the name of the object");
	while (!l->rc && !lexer_skip(l, "}")) {
		struct spec_place place = l->token.place;
		char found[64];
		lexer_token_text(l, found, sizeof(found));
		if (lexer_skip(l, "state")) {
			struct spec_variable v =
				take_variable(p, "the name of a state variable", false);
			check_new(p, o->state.at, o->state.len, &v);
			vec_push(&o->state, v);
			if (o->state.len > SPEC_STATES_MAX || o->methods.len)
				lexer_fail(l, place,
					   o->methods.len ? "state comes before methods"
							  : "an object has at most 4 state "
							    "variables");
			lexer_expect(l, ";", "after the type");
		} else if (lexer_skip(l, "method")) {
			parse_method(p, vec_add(&o->methods));
		} else if (lexer_skip(l, "commute")) {
			parse_commute(p, o, place);
		} else {
			lexer_fail(l, place,
				   "'state', 'method', 'commute' or '}' is expected, not %s",
				   found);
		}
	}
	p->object = NULL;
}

int spec_parse(struct spec *s, const char *path, const char *text, size_t len, struct err *err)
{
	struct parser p = { 0 };
	*s = (struct spec){ .path = mem_strdup(path) };
	lexer_init(&p.lexer, path, text, len, err);
	while (!p.lexer.rc && p.lexer.token.kind != TOKEN_END) {
		lexer_expect(&p.lexer, "object", "at the beginning of a specification");
		if (!p.lexer.rc)
			parse_object(&p, s);
	}
	if (!s->objects.len)
		lexer_fail(&p.lexer, p.lexer.token.place, "the file specifies no object");
	return p.lexer.rc;
}

int spec_read(struct spec *s, const char *path, struct err *err)
{
	struct buf text = { 0 };
	*s = (struct spec){ 0 };
	int rc = file_read(path, &text, err);
	if (!rc)
		rc = spec_parse(s, path, text.at ? text.at : "", text.len, err);
	buf_release(&text);
	return rc;
}
