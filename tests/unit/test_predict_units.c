/* SPDX-License-Identifier: Apache-2.0 */
/* Which accesses of a thread are one unit of work (predict/units), by call stacks and places that
 * are made here. */
#include <string.h>

#include "predict/units.h"
#include "trace/trace.h"
#include "unit/unit.h"

/* Places 1 to 9: lines 10, 20, ... of these functions. */
enum {
	MAIN_10 = 1,
	MAIN_20,
	MAIN_30,
	GET_10,
	SET_10,
	LEAF_10,
	LEAF_20,
	UNKNOWN,
	MAIN_OTHER_FILE,
	PLACES
};

static char in_main[] = "main", in_get[] = "get", in_set[] = "set", in_leaf[] = "leaf", none[] = "";
static char file_a[] = "a.c", file_b[] = "b.c";
static struct location locations[PLACES] = {
	[0] = { 0, 0, none, none, 0, 0 },
	[MAIN_10] = { 1, 0x10, in_main, file_a, 10, 0 },
	[MAIN_20] = { 1, 0x20, in_main, file_a, 20, 0 },
	[MAIN_30] = { 1, 0x30, in_main, file_a, 30, 0 },
	[GET_10] = { 1, 0x90, in_get, file_a, 10, 0 },
	[SET_10] = { 1, 0x50, in_set, file_a, 10, 0 },
	[LEAF_10] = { 1, 0x60, in_leaf, file_a, 10, 0 },
	[LEAF_20] = { 1, 0x70, in_leaf, file_a, 20, 0 },
	[UNKNOWN] = { 1, 0x80, none, none, 0, 0 },
	[MAIN_OTHER_FILE] = { 2, 0x5, in_main, file_b, 40, 0 },
};

/* Stacks: 1: called at main:10; 2: at main:20; 3: at get:10, called at main:10; 4: at set:10,
 * called at main:20. */
enum { BY_MAIN_10 = 1, BY_MAIN_20, BY_GET, BY_SET, STACKS };

static struct stack_node stacks[STACKS] = {
	[BY_MAIN_10] = { 0, MAIN_10 },
	[BY_MAIN_20] = { 0, MAIN_20 },
	[BY_GET] = { BY_MAIN_10, GET_10 },
	[BY_SET] = { BY_MAIN_20, SET_10 },
};

static bool is_one(loc_id first, stack_id first_stack, loc_id second, stack_id second_stack)
{
	struct trace_tables tables = { .locations = { .at = locations, .len = PLACES },
				       .stacks = { .at = stacks, .len = STACKS } };
	stack_id of_events[] = { first_stack, second_stack };
	struct units u = { .stacks = { .at = of_events, .len = 2 }, .tables = &tables };
	struct index_event events[] = { { .loc = first }, { .loc = second } };
	struct trace_index x = { .events = events, .count = 2 };
	return units_is_one(&u, &x, 0, 1);
}

static void one_function(void **state)
{
	(void)state;
	assert_true(is_one(MAIN_10, 0, MAIN_20, 0));
	/* Further up is the next round of a loop, and so is the same place. */
	assert_false(is_one(MAIN_20, 0, MAIN_10, 0));
	assert_false(is_one(MAIN_20, 0, MAIN_20, 0));
	/* Another function of the same name has other lines and another module. */
	assert_false(is_one(MAIN_10, 0, MAIN_OTHER_FILE, 0));
	assert_false(is_one(UNKNOWN, 0, MAIN_20, 0));
	assert_false(is_one(0, 0, MAIN_20, 0));
}

static void called_functions(void **state)
{
	(void)state;
	/* A getter called at line 10 and a setter called at line 20. */
	assert_true(is_one(GET_10, BY_MAIN_10, SET_10, BY_MAIN_20));
	assert_false(is_one(GET_10, BY_MAIN_20, SET_10, BY_MAIN_10));
	/* An access by the function itself, and one by what it calls, on either side. */
	assert_true(is_one(GET_10, BY_MAIN_10, MAIN_30, 0));
	assert_true(is_one(MAIN_10, 0, SET_10, BY_MAIN_20));
	assert_false(is_one(MAIN_30, 0, SET_10, BY_MAIN_20));
	/* Stacks of different depth: leaf, called by get, which main calls at line 10; and set,
	 * at line 20.
	 */
	assert_true(is_one(LEAF_10, BY_GET, SET_10, BY_MAIN_20));
	assert_true(is_one(GET_10, BY_MAIN_10, LEAF_10, BY_SET));
	assert_false(is_one(LEAF_10, BY_SET, GET_10, BY_MAIN_10));
	/* Two calls at the same place are two rounds, although the leaves are further down. */
	assert_false(is_one(GET_10, BY_MAIN_10, GET_10, BY_MAIN_10));
	/* In one call of a leaf its own lines count. */
	assert_true(is_one(LEAF_10, BY_GET, LEAF_20, BY_GET));
	assert_false(is_one(LEAF_20, BY_GET, LEAF_10, BY_GET));
}

/* Inlined code has another name; in one module its address says where it is. */
static void inlined_functions(void **state)
{
	(void)state;
	assert_true(is_one(MAIN_10, 0, LEAF_10, 0));
	assert_false(is_one(GET_10, 0, LEAF_10, 0));
}

static void events_without_stacks(void **state)
{
	(void)state;
	struct trace_tables tables = { .locations = { .at = locations, .len = PLACES } };
	struct units u = { .tables = &tables };
	struct index_event events[] = { { .loc = MAIN_10 }, { .loc = MAIN_20 } };
	struct trace_index x = { .events = events, .count = 2 };
	assert_false(units_is_one(&u, &x, 0, 1));
}

int main(void)
{
	RUN(cmocka_unit_test(one_function), cmocka_unit_test(called_functions),
	    cmocka_unit_test(inlined_functions), cmocka_unit_test(events_without_stacks));
}
