/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of base/opts: every kind of option in every spelling, what is refused and how, the help
 * text. */
#include <stdlib.h>
#include <string.h>

#include "base/opts.h"
#include "unit/unit.h"

static bool flag;
static uint64_t number;
static const char *string;
static int choice;
static const char *const colours[] = { "red", "green", NULL };

static const struct opt table[] = {
	{ 'f', "flag", OPT_FLAG, &flag, NULL, "A flag.", 0, 0, NULL },
	{ 'n', "number", OPT_NUMBER, &number, "N", "A number (default 5).", 1, 100, NULL },
	{ 0, "string", OPT_STRING, &string, "S", "A string.", 0, 0, NULL },
	{ 0, "colour", OPT_CHOICE, &choice, NULL, "A choice.", 0, 0, colours },
	{ 0 },
};

static bool shared_flag;
static const struct opt shared[] = {
	{ 's', "shared", OPT_FLAG, &shared_flag, NULL, "A flag of several commands.", 0, 0, NULL },
	{ 0 },
};

static const struct opt_spec spec = { "test", "FILE", "Tests.", "More about it.", table, shared };

static struct err err;
static int operand;
static bool help;

/* Parse words separated by '|'. */
static int parse(const char *words)
{
	static char space[500];
	static char *argv[20];
	int argc = 1;
	argv[0] = space;
	strcpy(space, "test|");
	strcat(space, words);
	flag = false;
	number = 5;
	string = NULL;
	choice = 0;
	err.text[0] = 0;
	for (char *p = strchr(space, '|'); p; p = strchr(p, '|')) {
		*p++ = 0;
		argv[argc++] = p;
	}
	if (!words[0])
		argc = 1;
	return opts_parse(&spec, argc, argv, &operand, &help, &err);
}

static void shared_options_are_options(void **state)
{
	(void)state;
	shared_flag = false;
	assert_int_equal(parse("--shared|-f"), 0);
	assert_true(shared_flag && flag);
	shared_flag = false;
	assert_int_equal(parse("-s"), 0);
	assert_true(shared_flag && !flag);
	assert_int_equal(parse("--share"), -ERR_USAGE);
}

static void no_words_leave_the_defaults(void **state)
{
	(void)state;
	assert_int_equal(parse(""), 0);
	assert_int_equal(operand, 1);
	assert_false(help || flag);
	assert_int_equal(number, 5);
}

static void every_kind_in_every_spelling(void **state)
{
	(void)state;
	assert_int_equal(parse("--flag|--number=7|--string=x y|--colour=green|rest|--flag"), 0);
	assert_true(flag);
	assert_int_equal(number, 7);
	assert_string_equal(string, "x y");
	assert_int_equal(choice, 1);
	assert_int_equal(operand, 5);
	assert_int_equal(parse("-f|-n|8|--string|-odd|--colour|red"), 0);
	assert_true(flag);
	assert_int_equal(number, 8);
	assert_string_equal(string, "-odd");
	assert_int_equal(parse("-n0x10|--string="), 0);
	assert_int_equal(number, 16);
	assert_string_equal(string, "");
}

static void dashes_end_the_options(void **state)
{
	(void)state;
	assert_int_equal(parse("-f|--|--number=7"), 0);
	assert_int_equal(operand, 3);
	assert_int_equal(number, 5);
	assert_int_equal(parse("-|--flag"), 0);
	assert_int_equal(operand, 1);
	assert_false(flag);
}

static void wrong_words_are_usage_errors_that_name_them(void **state)
{
	(void)state;
	static const char *const cases[][2] = {
		{ "--nothing", "--nothing" },
		{ "-x", "-x" },
		{ "--flag=1", "--flag takes no value" },
		{ "--number", "needs a value" },
		{ "--number=0", "from 1 to 100" },
		{ "--number=101", "'101'" },
		{ "--number=-1", "'-1'" },
		{ "--number=1x", "'1x'" },
		{ "--number=", "''" },
		{ "--number=99999999999999999999", "from 1 to 100" },
		{ "--colour=blue", "red green" },
		{ "--numb=3", "--numb" },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(parse(cases[i][0]), -ERR_USAGE);
		assert_non_null(strstr(err.text, cases[i][1]));
		assert_non_null(strstr(err.text, "heddle test"));
	}
}

static void help_stops_parsing(void **state)
{
	(void)state;
	assert_int_equal(parse("-f|--help|--nothing"), 0);
	assert_true(help);
	assert_int_equal(parse("-h"), 0);
	assert_true(help);
}

static void help_text_names_every_option(void **state)
{
	(void)state;
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);
	opts_print_help(&spec, out);
	fclose(out);
	static const char *const wanted[] = { "usage: heddle test [options] FILE",
					      "-f, --flag",
					      "--number=N",
					      "--string=S",
					      "--colour=red|green",
					      "A number (default 5).",
					      "More about it.",
					      "-s, --shared",
					      "--help" };
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		assert_non_null(strstr(text, wanted[i]));
	free(text);
}

int main(void)
{
	RUN(cmocka_unit_test(no_words_leave_the_defaults),
	    cmocka_unit_test(every_kind_in_every_spelling),
	    cmocka_unit_test(shared_options_are_options), cmocka_unit_test(dashes_end_the_options),
	    cmocka_unit_test(wrong_words_are_usage_errors_that_name_them),
	    cmocka_unit_test(help_stops_parsing), cmocka_unit_test(help_text_names_every_option));
}
