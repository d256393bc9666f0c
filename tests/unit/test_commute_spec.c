/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of src/commute: what is no specification, models, and conditions on two calls. */
#include <string.h>

#include "base/buf.h"
#include "commute/condition.h"
#include "commute/model.h"
#include "commute/verify.h"
#include "unit/unit.h"

#define SET                                         \
	"object set {\n"                            \
	"  state e: set;\n"                         \
	"  method add(v: int) -> changed: bool {\n" \
	"    changed = !has(e, v);\n"               \
	"    e = with(e, v);\n"                     \
	"  }\n"                                     \
	"  method has(v: int) -> found: bool {\n"   \
	"    found = has(e, v);\n"                  \
	"  }\n"

static int parse(struct spec *s, const char *text, struct err *err)
{
	return spec_parse(s, "x", text, strlen(text), err);
}

static void errors_have_a_place(void **state)
{
	(void)state;
	static const struct {
		const char *text, *error;
	} cases[] = {
		{ "", "x:1:1: the file specifies no object" },
		{ "objekt a {}", "x:1:1: 'object' is expected at the beginning of a specification, "
				 "not 'objekt'" },
		{ "object {", "x:1:8: the name of an object is expected, not '{'" },
		{ "object a {", "x:1:11: 'state', 'method', 'commute' or '}' is expected, not the "
				"end of the file" },
		{ "object a {}\nobject a {}", "x:2:8: object 'a' is there already, at line 1" },
		{ "object a { state x; }", "x:1:19: ':' is expected before the type, not ';'" },
		{ "object a { state x: long; }", "x:1:21: a type is expected (bool, int, set, map "
						 "or list), not 'long'" },
		{ "object a { state if: int; }", "x:1:18: the name of a state variable is "
						 "expected, not 'if', which is a word of the "
						 "language" },
		{ "object a { state x: int; state x: int; }",
		  "x:1:32: 'x' is there already, at line 1" },
		{ "object a { method m(s: set) {} }",
		  "x:1:24: only state variables can be of type set" },
		{ "object a { method m() { y = 1; } }",
		  "x:1:25: 'y' is neither a result nor a state variable" },
		{ "object a { method m(v: int) { v = 1; } }",
		  "x:1:31: 'v' is an argument, and cannot be changed" },
		{ "object a { state x: int; method m() { x = true; } }",
		  "x:1:43: the value is of type bool, and must be of type int" },
		{ "object a { state x: int; method m() { x = x + y; } }",
		  "x:1:47: 'y' is neither a field of the method nor a state variable" },
		{ "object a { state x: int; method m() { x = 1 } }",
		  "x:1:45: ';' is expected after the statement, not '}'" },
		{ "object a { state x: int; method m() { x = has(x, 1); } }",
		  "x:1:47: operand 1 of has is of type int, and must be a set, map or list" },
		{ "object a { state x: int; method m() { x = sum(x); } }",
		  "x:1:43: there is no function 'sum'" },
		{ "object a { state x: int; method m() { if (x) { x = 1; } } }",
		  "x:1:42: the condition is of type int, and must be of type bool" },
		{ "object a { state x: int; method m() { x = 99999999999999999999; } }",
		  "x:1:43: the number is too large" },
		{ "object a { state x: int; method m() { x = 1 $ 2; } }",
		  "x:1:45: '$' has no meaning here" },
		{ SET "commute add, del; }",
		  "x:10:14: object set has no method 'del' before this line" },
		{ SET "commute add, add when add.v == 1; }",
		  "x:10:14: both calls are named 'add': write NAME: METHOD, NAME: METHOD" },
		{ SET "commute a: add, b: add when c.v == 1; }",
		  "x:10:29: 'c' is none of the two calls, 'a' and 'b'" },
		{ SET "commute a: add, b: add when a.w == 1; }",
		  "x:10:31: 'w' is no argument or result of add" },
		{ SET "commute a: add, b: add when v == 1; }",
		  "x:10:29: 'v' is unknown here: a condition uses CALL.FIELD" },
		{ SET "commute a: add, b: add when a.v; }",
		  "x:10:29: the condition is of type int, and must be of type bool" },
		{ SET "commute a: add, b: add when a.v == b.changed; }",
		  "x:10:36: the right side of '==' is of type bool, and must be of type int" },
		{ SET "commute a: add, b: add when a.v < b.v < 3; }",
		  "x:10:39: comparisons do not follow each other: use '&&'" },
		{ SET "commute has, add; commute add, has; }",
		  "x:10:19: this pair has a condition already, at line 10" },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct spec s;
		struct err err = { "" };
		assert_int_equal(parse(&s, cases[i].text, &err), -ERR_FORMAT);
		assert_string_equal(err.text, cases[i].error);
		spec_release(&s);
	}
}

static void deep_nesting_is_refused(void **state)
{
	(void)state;
	struct buf text = { 0 };
	struct spec s;
	struct err err;
	buf_str(&text, "object a { state x: int; method m() { x = ");
	buf_fill(&text, '(', 100000);
	assert_int_equal(parse(&s, text.at, &err), -ERR_FORMAT);
	assert_non_null(strstr(err.text, "the expression is nested too deeply"));
	spec_release(&s);
	buf_release(&text);
}

/* A condition for calls of a method with three integers, on these two calls. */
static bool commutes(const char *when, const int64_t *a, const int64_t *b)
{
	struct buf text = { 0 };
	struct spec s;
	struct err err = { "" };
	struct condition c;
	buf_printf(&text,
		   "object o { method m(x: int, y: int, z: int) {} commute a: m, b: m "
		   "when %s; }",
		   when);
	assert_int_equal(parse(&s, text.at, &err), 0);
	assert_true(condition_compile(&s.objects.at[0].pairs.at[0], &c));
	bool holds = condition_commutes(&s.objects.at[0].pairs.at[0], &c, a, b);
	condition_release(&c);
	spec_release(&s);
	buf_release(&text);
	return holds;
}

static void conditions_are_evaluated(void **state)
{
	(void)state;
	const int64_t a[] = { 1, 2, 3 }, b[] = { 3, 2, 1 };
	assert_true(commutes("a.x != b.x", a, b));
	assert_false(commutes("a.y != b.y", a, b));
	assert_true(commutes("a.y + b.y * 2 == 6", a, b));
	assert_false(commutes("(a.y + b.y) * 2 == 6", a, b));
	assert_true(commutes("a.x - 1 - 1 <= 1 && b.x - 1 - 1 <= 1", a, b));
	assert_true(commutes("-a.y == -b.y && !(a.x == b.x)", a, b));
	assert_true(commutes("false || true && true", a, b));
	assert_false(commutes("(false || true) && false", a, b));
	assert_true(commutes("a.x + b.x > 3 && a.x + b.x >= 4 && a.x + b.x < 5", a, b));
	/* Of two calls of one method none is the first. */
	assert_false(commutes("a.x < b.x", a, b));
	assert_false(commutes("a.x < b.x", b, a));
}

static void calls_change_the_model(void **state)
{
	(void)state;
	struct spec s;
	struct err err = { "" };
	struct model_state m;
	struct buf text = { 0 };
	int64_t add[SPEC_FIELDS_MAX] = { 7 };
	assert_int_equal(parse(&s, SET "}", &err), 0);
	const struct spec_object *o = &s.objects.at[0];
	model_begin(&m);
	assert_int_equal(model_call(o, &o->methods.at[0], &m, add), MODEL_DONE);
	assert_int_equal(add[1], 1);
	assert_int_equal(model_call(o, &o->methods.at[0], &m, add), MODEL_DONE);
	assert_int_equal(add[1], 0);
	add[0] = 5;
	assert_int_equal(model_call(o, &o->methods.at[0], &m, add), MODEL_DONE);
	model_print(o, &m, &text);
	assert_string_equal(text.at, "e = {5, 7}");
	for (int64_t i = 10; i < 8 + MODEL_ITEMS_MAX; i++) {
		add[0] = i;
		assert_int_equal(model_call(o, &o->methods.at[0], &m, add), MODEL_DONE);
	}
	struct model_state full = m;
	add[0] = 1000;
	assert_int_equal(model_call(o, &o->methods.at[0], &m, add), MODEL_FULL);
	assert_true(model_is_same(o, &m, &full));
	buf_release(&text);
	spec_release(&s);
}

static size_t notes_of(const char *condition, enum verify_kind kind)
{
	struct buf text = { 0 };
	struct spec s;
	struct err err = { "" };
	struct verify_result r;
	struct verify_limits limits = { 3, 4, 100000 };
	buf_printf(&text,
		   SET "commute has, has; commute add, has when add.v != has.v || "
		       "!add.changed; commute a: add, b: add %s; }",
		   condition);
	assert_int_equal(parse(&s, text.at, &err), 0);
	assert_int_equal(verify_object(&s.objects.at[0], "x", limits, &r, &err), 0);
	size_t count = 0;
	for (size_t i = 0; i < r.notes.len; i++)
		count += r.notes.at[i].kind == kind;
	verify_release(&r);
	spec_release(&s);
	buf_release(&text);
	return count;
}

static void wrong_and_weak_conditions_are_told(void **state)
{
	(void)state;
	static const char exact[] = "when a.v != b.v || !a.changed && !b.changed";
	assert_int_equal(notes_of(exact, VERIFY_WRONG), 0);
	assert_int_equal(notes_of(exact, VERIFY_WEAKER), 0);
	assert_int_equal(notes_of("", VERIFY_WRONG), 1);
	assert_int_equal(notes_of("when a.v != b.v || !a.changed", VERIFY_WRONG), 0);
	assert_int_equal(notes_of("when a.v != b.v || a.changed != b.changed", VERIFY_WRONG), 1);
	assert_int_equal(notes_of("when a.v != b.v", VERIFY_WRONG), 0);
	assert_int_equal(notes_of("when a.v != b.v", VERIFY_WEAKER), 1);
	assert_int_equal(notes_of("when false", VERIFY_WEAKER), 1);
}

int main(void)
{
	RUN(cmocka_unit_test(errors_have_a_place), cmocka_unit_test(deep_nesting_is_refused),
	    cmocka_unit_test(conditions_are_evaluated), cmocka_unit_test(calls_change_the_model),
	    cmocka_unit_test(wrong_and_weak_conditions_are_told));
}
