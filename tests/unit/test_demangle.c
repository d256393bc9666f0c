/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of base/demangle: names of C++ as they are written. */
#include "base/demangle.h"

#include "base/alloc.h"
#include "unit/unit.h"

static void check(char *given, const char *expected)
{
	assert_string_equal(given, expected);
	mem_free(given);
}

static void symbols_and_types(void **state)
{
	(void)state;
	assert_true(demangle_applies("_Z3fooi"));
	assert_false(demangle_applies("foo"));
	assert_false(demangle_applies(""));
	check(demangle("_Z3fooi"), "foo(int)");
	check(demangle("St13runtime_error"), "std::runtime_error");
	check(demangle("i"), "int");
	check(demangle("_ZGVZ4mainE1x"), "guard variable for main::x");
	check(demangle("_ZTI4Node"), "typeinfo for Node");
}

static void what_is_no_name_stays(void **state)
{
	(void)state;
	check(demangle("_Z"), "_Z");
	check(demangle("main"), "main");
	check(demangle(""), "");
	check(demangle("_Znot a name"), "_Znot a name");
}

static void functions_without_parameters(void **state)
{
	(void)state;
	check(demangle_function_name("_Z3fooi"), "foo");
	check(demangle_function_name("_ZNKSt6vectorIiSaIiEE2atEm"),
	      "std::vector<int, std::allocator<int> >::at");
	check(demangle_function_name("_ZZ4mainENKUlvE_clEv"), "main::{lambda()#1}::operator()");
	check(demangle_function_name("_ZN1AclEi"), "A::operator()");
	check(demangle_function_name("_Z1fPFviE"), "f");
	check(demangle_function_name("main"), "main");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(symbols_and_types),
		cmocka_unit_test(what_is_no_name_stays),
		cmocka_unit_test(functions_without_parameters),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
