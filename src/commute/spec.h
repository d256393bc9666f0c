/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Specifications of shared objects: their methods, a sequential model of each, and conditions
 * under which two calls commute.  doc/SPEC.md describes the language.
 *
 * A *label* is what a call is to others: its method and its fields, which are the arguments and the
 * results.  A condition looks at two labels and at nothing else.  It
 * is right if, from every state from which the calls with these labels can come one after the
 * other, they can come in the other order too, with the same labels and the same final state.
 */
#ifndef HEDDLE_COMMUTE_SPEC_H
#define HEDDLE_COMMUTE_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"

#define SPEC_PARAMETERS_MAX 6
#define SPEC_RESULTS_MAX 2
#define SPEC_FIELDS_MAX (SPEC_PARAMETERS_MAX + SPEC_RESULTS_MAX)
#define SPEC_STATES_MAX 4

enum spec_type { SPEC_BOOL, SPEC_INT, SPEC_SET, SPEC_MAP, SPEC_LIST, SPEC_TYPES };
extern const char *const spec_type_names[SPEC_TYPES];
static inline bool spec_type_is_scalar(enum spec_type t)
{
	return t == SPEC_BOOL || t == SPEC_INT;
}

struct spec_place {
	unsigned line, column; /* from 1 */
};

/* A state variable of an object, or a field of a method. */
struct spec_variable {
	char *name;
	enum spec_type type;
	struct spec_place place;
};

enum spec_expr_kind {
	SPEC_CONSTANT,
	SPEC_STATE, /* state variable number `index` */
	SPEC_FIELD, /* field `index` of the method that runs; of a condition: of call `call` */
	SPEC_NOT,
	SPEC_MINUS,
	SPEC_OR,
	SPEC_AND,
	SPEC_EQUAL,
	SPEC_UNEQUAL,
	SPEC_LESS,
	SPEC_AT_MOST,
	SPEC_PLUS,
	SPEC_TIMES,
	SPEC_FUNCTION, /* of functions.def, number `index` */
};

struct spec_expr {
	enum spec_expr_kind kind;
	enum spec_type type;
	int64_t constant;
	unsigned index, call;
	struct spec_expr *operands[3]; /* NULL: there are fewer */
};

/* target = value, or if (value) then ... else ... */
struct spec_statement {
	bool is_if, is_to_field; /* target: a field of the method, or a state variable */
	unsigned target;
	struct spec_expr *value;
	struct spec_block *then, *otherwise; /* of an if; NULL: nothing */
};

struct spec_block {
	VEC(struct spec_statement) statements;
};

struct spec_method {
	char *name;
	struct spec_place place;
	VEC(struct spec_variable) fields; /* parameters, then results */
	unsigned parameters;
	struct spec_expr *enabled; /* NULL: always */
	struct spec_block *body;
};

/* The condition for calls of two methods, the first of which is not declared after the second. */
struct spec_pair {
	unsigned methods[2];
	struct spec_expr *when; /* NULL: they always commute */
	struct spec_place place;
};

struct spec_object {
	char *name;
	struct spec_place place;
	VEC(struct spec_variable) state;
	VEC(struct spec_method) methods;
	VEC(struct spec_pair) pairs; /* others never commute */
};

struct spec {
	char *path;
	VEC(struct spec_object) objects;
};

/*
 * Errors: ERR_FORMAT, whose sentence begins with PATH:LINE:COLUMN; spec_read: also ERR_IO.  The
 * specification is to be released in any case.
 */
int spec_read(struct spec *s, const char *path, struct err *err);
int spec_parse(struct spec *s, const char *path, const char *text, size_t len, struct err *err);
void spec_release(struct spec *s);

/* NULL: there is none. */
const struct spec_pair *spec_pair_of(const struct spec_object *o, unsigned method, unsigned other);

#endif
