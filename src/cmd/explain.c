/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heddle explain: what a kind of finding means, how it comes about and what to do about it, and
 * what the other fixed words of results mean.
 */
#include <stdio.h>
#include <string.h>

#include "base/spelling.h"
#include "cmd/cmd.h"
#include "report/explanation.h"

#define WIDTH 80

/* Text in lines of at most WIDTH columns. */
static void print_wrapped(const char *text)
{
	size_t column = 0;
	while (*text) {
		size_t len = strcspn(text, " ");
		if (column && column + 1 + len > WIDTH) {
			putchar('\n');
			column = 0;
		}
		column += (size_t)printf("%s%.*s", column ? " " : "", (int)len, text);
		text += len + strspn(text + len, " ");
	}
	putchar('\n');
}

static void add_word(struct buf *out, const struct result_word *w)
{
	buf_printf(out, "%s%s%s", w->word, *w->detail ? ":" : "", w->detail);
}

static void print_words(void)
{
	struct buf words = { 0 };
	const struct result_word *w;
	for (size_t i = 0; (w = result_word_at(i)); i++) {
		if (i)
			buf_str(&words, ", ");
		add_word(&words, w);
	}
	printf("\nother words of results:\n");
	print_wrapped(words.at);
	buf_release(&words);
}

static void explain_word(const struct result_word *w)
{
	struct buf text = { 0 };
	add_word(&text, w);
	buf_printf(&text, " (%s): %s.", w->role, w->meaning);
	print_wrapped(text.at);
	buf_release(&text);
}

static void print_kinds(void)
{
	printf("kinds of findings:\n");
	for (int k = 0; k < FINDING_KINDS; k++) {
		struct buf summary = { 0 };
		finding_summary((enum finding_kind)k, &summary);
		printf("  %-17s %s\n", finding_kind_name((enum finding_kind)k), summary.at);
		buf_release(&summary);
	}
	print_words();
	printf("\n'heddle explain WORD' explains one of them.\n");
}

static int unknown_word(const char *word, struct err *err)
{
	struct buf near = { 0 };
	for (int k = 0; k < FINDING_KINDS; k++) {
		const char *name = finding_kind_name((enum finding_kind)k);
		if (spelling_is_close(word, name))
			buf_printf(&near, "%s%s", near.len ? ", " : "; near it: ", name);
	}
	const struct result_word *w;
	for (size_t i = 0; (w = result_word_at(i)); i++)
		if (spelling_is_close(word, w->word))
			buf_printf(&near, "%s%s", near.len ? ", " : "; near it: ", w->word);
	int rc = err_set(err, ERR_USAGE,
			 "'%s' is not a word of results%s; 'heddle explain' lists them", word,
			 near.len ? near.at : "");
	buf_release(&near);
	return rc;
}

static int explain(const char *word, bool is_program, struct err *err)
{
	int kind = finding_kind_named(word, strlen(word));
	const struct result_word *other = kind < 0 ? result_word_named(word) : NULL;
	if (kind < 0 && !other)
		return unknown_word(word, err);
	if (other && is_program)
		return err_set(err, ERR_USAGE,
			       "heddle explain: --program wants a kind of finding, not '%s'", word);
	if (other) {
		explain_word(other);
		return 0;
	}
	if (!is_program) {
		fputs(finding_explanation((enum finding_kind)kind), stdout);
		return 0;
	}
	struct buf program = { 0 };
	finding_example((enum finding_kind)kind, &program);
	fwrite(program.at, 1, program.len, stdout);
	buf_release(&program);
	return 0;
}

int cmd_explain(int argc, char **argv)
{
	bool help, is_program = false;
	const struct opt table[] = {
		{ 0, "program", OPT_FLAG, &is_program, NULL,
		  "Print only the example program of the text, ready to be compiled.", 0, 0, NULL },
		{ 0 },
	};
	const struct opt_spec spec = {
		"explain",
		"[WORD]",
		"Explains a kind of finding or another word of a result, or lists all.",
		"WORD is the word that a report begins with, and the field 'kind' of JSON: race,\n"
		"deadlock and so on; without it all kinds are listed, with a line for each.  Each "
		"text\n"
		"says what the finding means, how it comes about, how to read its report, how to "
		"fix the\n"
		"program, and what to do if the program means it so.  The example program of a "
		"text is\n"
		"complete: write it to a file with --program, and do what the text shows.\n"
		"\n"
		"WORD may also be a status of a finding (observed, predicted and so on) or a word "
		"of\n"
		"the line 'This assumes', as it stands there: steps:100, clock:causal.\n",
		table,
		NULL,
	};
	struct err err;
	int operand;
	int rc = opts_parse(&spec, argc, argv, &operand, &help, &err);
	if (!rc && help) {
		opts_print_help(&spec, stdout);
		return EXIT_NOTHING;
	}
	if (!rc && argc - operand > 1)
		rc = err_set(&err, ERR_USAGE,
			     "heddle explain: one word at a time, not '%s' and '%s'", argv[operand],
			     argv[operand + 1]);
	if (!rc && is_program && operand == argc)
		rc = err_set(&err, ERR_USAGE, "heddle explain: --program wants a kind of finding");
	if (!rc && operand == argc)
		print_kinds();
	else if (!rc)
		rc = explain(argv[operand], is_program, &err);
	if (!rc && fflush(stdout))
		rc = err_set(&err, ERR_IO, "standard output: %m");
	return rc ? cmd_fail(rc, &err) : EXIT_NOTHING;
}
