/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the parser share.  Names are resolved and types checked while it reads. */
#ifndef HEDDLE_COMMUTE_PARSER_H
#define HEDDLE_COMMUTE_PARSER_H

#include "commute/lexer.h"

enum spec_function {
#define FUNCTION(NAME, word, result, operands, first, second, third, meaning) SPEC_FUNCTION_##NAME,
#include "commute/functions.def"
};

/* The two calls of a condition, by the names that it has for them. */
struct condition_scope {
	struct token names[2];
	const struct spec_method *methods[2];
};

struct parser {
	struct lexer lexer;
	const struct spec_object *object;
	const struct spec_method *method;	 /* whose body is read; NULL: none */
	const struct condition_scope *condition; /* that is read; NULL: none */
};

/* NULL after an error. */
struct spec_expr *parse_expr(struct parser *p);
void spec_expr_release(struct spec_expr *e); /* accepts NULL */
/* The error: it must be of that type. */
void parse_demand(struct parser *p, const struct spec_expr *e, enum spec_type type,
		  struct spec_place place, const char *what);
/* The number of the variable of that name; -1: there is none. */
int spec_variable_named(const struct spec_variable *at, size_t count, const struct token *name);
static inline bool token_is_text(const struct token *t, const char *text)
{
	return strlen(text) == t->len && !memcmp(text, t->at, t->len);
}

#endif
