/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of base/json: layout, nesting, escapes, bytes that are not UTF-8. */
#include "base/json.h"
#include "unit/unit.h"

static void nested_containers_are_laid_out(void **state)
{
	(void)state;
	struct buf out = { 0 };
	struct json j;
	json_init(&j, &out);
	json_begin_object(&j);
	json_key(&j, "name");
	json_string(&j, "x");
	json_key(&j, "none");
	json_string(&j, NULL);
	json_key(&j, "list");
	json_begin_array(&j);
	json_number(&j, 18446744073709551615ull);
	json_bool(&j, true);
	json_begin_object(&j);
	json_end_object(&j);
	json_begin_array(&j);
	json_end_array(&j);
	json_end_array(&j);
	json_key(&j, "after");
	json_bool(&j, false);
	json_end_object(&j);
	assert_string_equal(out.at, "{\n  \"name\": \"x\",\n  \"none\": null,\n  \"list\": [\n    "
				    "18446744073709551615,\n    true,\n"
				    "    {},\n    []\n  ],\n  \"after\": false\n}\n");
	buf_release(&out);
}

static void check_string(const char *s, const char *want)
{
	struct buf out = { 0 };
	struct json j;
	json_init(&j, &out);
	json_string(&j, s);
	assert_string_equal(out.at, want);
	buf_release(&out);
}

static void strings_are_escaped(void **state)
{
	(void)state;
	check_string("", "\"\"");
	check_string("a\"b\\c", "\"a\\\"b\\\\c\"");
	check_string("\n\t\x01\x7f", "\"\\u000a\\u0009\\u0001\\u007f\"");
	check_string("\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80",
		     "\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\"");
}

static void what_is_not_utf8_is_replaced(void **state)
{
	(void)state;
	check_string("a\xff"
		     "b",
		     "\"a\\ufffdb\"");
	check_string("\xc0\x80", "\"\\ufffd\\ufffd\"");
	check_string("\xe2\x82", "\"\\ufffd\\ufffd\"");
	check_string("\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\"");
	check_string("\xf4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\"");
}

int main(void)
{
	RUN(cmocka_unit_test(nested_containers_are_laid_out), cmocka_unit_test(strings_are_escaped),
	    cmocka_unit_test(what_is_not_utf8_is_replaced));
}
