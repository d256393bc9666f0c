/* SPDX-License-Identifier: Apache-2.0 */
/* Command lines and response files of the compiler driver. */
#include "unit/unit.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "cc/args.h"
#include "cc/response.h"

static struct cc_args parsed(const char *line)
{
	struct cc_args a;
	struct words w = { 0 };
	struct err err = { 0 };
	words_add(&w, "cc");
	response_split(line, strlen(line), &w);
	assert_int_equal(cc_args_parse(&a, (int)w.list.len, w.list.at, &err), 0);
	words_release(&w);
	return a;
}

static enum cc_mode mode_of(const char *line)
{
	struct cc_args a = parsed(line);
	enum cc_mode mode = a.mode;
	cc_args_release(&a);
	return mode;
}

static void modes_follow_the_options(void **state)
{
	(void)state;
	assert_int_equal(mode_of("a.c"), CC_LINK);
	assert_int_equal(mode_of("a.o -lm"), CC_LINK);
	assert_int_equal(mode_of("-c a.c"), CC_COMPILE);
	assert_int_equal(mode_of("a.c -S"), CC_COMPILE);
	assert_int_equal(mode_of("-c -E a.c"), CC_PREPROCESS);
	assert_int_equal(mode_of("-MM a.c"), CC_PREPROCESS);
	assert_int_equal(mode_of("-MMD -c a.c"), CC_COMPILE);
	assert_int_equal(mode_of("-fsyntax-only a.c"), CC_COMPILE);
	assert_int_equal(mode_of("a.h"), CC_COMPILE);
	assert_int_equal(mode_of("-x c-header a.hdr -o a.gch"), CC_COMPILE);
	assert_int_equal(mode_of(""), CC_PASS);
	assert_int_equal(mode_of("-v"), CC_PASS);
	assert_int_equal(mode_of("-v a.c"), CC_LINK);
	assert_int_equal(mode_of("--version"), CC_PASS);
	assert_int_equal(mode_of("-print-libgcc-file-name"), CC_PASS);
	assert_int_equal(mode_of("-### a.c"), CC_PASS);
}

/* The words of one role, joined by spaces. */
static void expect_words(const struct cc_args *a, enum cc_role role, const char *expected)
{
	struct buf got = { 0 };
	buf_str(&got, "");
	for (size_t i = 0; i < a->words.len; i++) {
		const struct cc_word *w = &a->words.at[i];
		if (w->role == role)
			buf_printf(&got, "%s%s%s%s", got.len ? " " : "", w->text,
				   w->value ? "=" : "", w->value ? w->value : "");
	}
	assert_string_equal(got.at, expected);
	buf_release(&got);
}

static void words_get_their_roles(void **state)
{
	(void)state;
	struct cc_args a = parsed("-O2 -o prog -I inc -Iinc2 -DX=1 -D Y a.c -Wl,-z,now -L. -lfoo "
				  "-l bar b.o -MMD -MF x.d "
				  "-pthread -Xlinker --as-needed -u symbol -undef -funknown "
				  "-include pre.h --heddle-verbose");
	expect_words(&a, ROLE_OUTPUT, "-o=prog");
	expect_words(&a, ROLE_COMPILE, "-I=inc -Iinc2 -DX=1 -D=Y -include=pre.h");
	expect_words(&a, ROLE_LINK, "-Wl,-z,now -L. -lfoo -l=bar -Xlinker=--as-needed -u=symbol");
	expect_words(&a, ROLE_DEPEND, "-MMD -MF=x.d");
	expect_words(&a, ROLE_BOTH, "-O2 -pthread -undef -funknown");
	expect_words(&a, ROLE_INPUT, "a.c b.o");
	expect_words(&a, ROLE_OURS, "--heddle-verbose");
	assert_string_equal(a.output, "prog");
	assert_int_equal(a.sources, 1);
	assert_true(a.is_verbose && a.has_side_files);
	cc_args_release(&a);
}

static void inputs_are_told_apart(void **state)
{
	(void)state;
	static const struct {
		const char *line;
		enum cc_input input;
	} cases[] = {
		{ "a.c", INPUT_C },
		{ "dir.c/a.i", INPUT_C },
		{ "a.cpp", INPUT_C },
		{ "a.C", INPUT_C },
		{ "a.h", INPUT_HEADER },
		{ "a.s", INPUT_ASSEMBLER },
		{ "a.S", INPUT_ASSEMBLER },
		{ "a.o", INPUT_LINKER },
		{ "liba.a", INPUT_LINKER },
		{ "liba.so.1.2", INPUT_LINKER },
		{ "dir.c/a", INPUT_LINKER },
		{ "a.", INPUT_LINKER },
		{ "-x c a.o", INPUT_C },
		{ "-xassembler a.c", INPUT_ASSEMBLER },
		{ "-x c -x none a.o", INPUT_LINKER },
		{ "-x f95 a.c", INPUT_OTHER },
		{ "-x c -", INPUT_C },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct cc_args a = parsed(cases[i].line);
		assert_int_equal(vec_last(&a.words).input, cases[i].input);
		cc_args_release(&a);
	}
}

static void kinds_of_links(void **state)
{
	(void)state;
	struct cc_args a = parsed("-shared a.o");
	assert_true(a.is_shared && !a.is_relocatable);
	cc_args_release(&a);
	a = parsed("-Wl,-Bsymbolic,-shared a.o");
	assert_true(a.is_shared);
	cc_args_release(&a);
	a = parsed("-Xlinker -r a.o");
	assert_true(a.is_relocatable);
	cc_args_release(&a);
	a = parsed("-nostdlib a.o");
	assert_true(a.has_no_libc);
	cc_args_release(&a);
	a = parsed("-nodefaultlibs a.o -lc");
	assert_false(a.has_no_libc);
	cc_args_release(&a);
}

static void impossible_combinations_are_refused(void **state)
{
	(void)state;
	static const char *const lines[] = {
		"-fsanitize=address a.c",
		"-c -fsanitize=thread a.c",
		"-static a.c",
		"-m32 -c a.c",
		"-mcmodel=large -c a.c",
		"-fsanitize=undefined a.c",
		"-fsanitize-undefined-trap-on-error -fsanitize=undefined,leak a.c",
	};
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		struct cc_args a;
		struct words w = { 0 };
		struct err err = { 0 };
		words_add(&w, "cc");
		response_split(lines[i], strlen(lines[i]), &w);
		assert_int_equal(cc_args_parse(&a, (int)w.list.len, w.list.at, &err), -ERR_USAGE);
		assert_true(err.text[0] == '-');
		words_release(&w);
		cc_args_release(&a);
	}
	assert_int_equal(mode_of("-fsanitize=undefined -fsanitize-undefined-trap-on-error a.c"),
			 CC_LINK);
}

static void text_is_split_like_a_shell_would(void **state)
{
	(void)state;
	struct words w = { 0 };
	const char *text = "one 'two words' \"th\\\"ree\" fo\\ ur '' fi''ve 'back\\slash'\n\tlast";
	response_split(text, strlen(text), &w);
	static const char *const expected[] = {
		"one", "two words", "th\"ree", "fo ur", "", "five", "back\\slash", "last",
	};
	assert_int_equal(w.list.len, sizeof(expected) / sizeof(*expected));
	for (size_t i = 0; i < w.list.len; i++)
		assert_string_equal(w.list.at[i], expected[i]);
	words_release(&w);
}

static void response_files_nest(void **state)
{
	(void)state;
	char dir[] = "/tmp/heddle-unit-XXXXXX";
	struct err err;
	assert_non_null(mkdtemp(dir));
	char *old = getcwd(NULL, 0);
	assert_int_equal(chdir(dir), 0);
	assert_int_equal(file_write("outer", "a @inner @missing", 17, &err), 0);
	assert_int_equal(file_write("inner", "b\n", 2, &err), 0);
	assert_int_equal(file_write("loop", "x @loop", 7, &err), 0);
	struct words w = { 0 };
	assert_int_equal(response_expand("@outer", &w, &err), 0);
	assert_int_equal(w.list.len, 3);
	assert_string_equal(w.list.at[1], "b");
	assert_string_equal(w.list.at[2], "@missing");
	assert_int_equal(response_expand("@loop", &w, &err), -ERR_USAGE);
	words_release(&w);
	unlink("outer");
	unlink("inner");
	unlink("loop");
	assert_int_equal(chdir(old), 0);
	assert_int_equal(rmdir(dir), 0);
	free(old);
}

int main(void)
{
	unsetenv("HEDDLE_QUIET");
	RUN(cmocka_unit_test(modes_follow_the_options), cmocka_unit_test(words_get_their_roles),
	    cmocka_unit_test(inputs_are_told_apart), cmocka_unit_test(kinds_of_links),
	    cmocka_unit_test(impossible_combinations_are_refused),
	    cmocka_unit_test(text_is_split_like_a_shell_would),
	    cmocka_unit_test(response_files_nest));
}
