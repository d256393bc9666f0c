/* SPDX-License-Identifier: Apache-2.0 */
/* heddle bitcode: the bitcode that a program carries. */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "cmd/cmd.h"
#include "ir/program.h"
#include "ir/write.h"

struct counts {
	size_t functions, instructions, sites;
};

static struct counts count(const struct ir_module *m)
{
	struct counts c = { 0 };
	for (size_t i = 0; i < m->funcs.len; i++) {
		const struct ir_func *f = &m->funcs.at[i];
		c.functions += f->is_defined;
		c.instructions += f->insts.len;
		for (size_t k = 0; k < f->insts.len; k++)
			c.sites += f->insts.at[k].site != IR_NONE;
	}
	return c;
}

static void print_list(const char *title, const struct words *w)
{
	if (!w->list.len)
		return;
	printf("%s:", title);
	for (size_t i = 0; i < w->list.len; i++)
		printf(" %s", w->list.at[i]);
	putchar('\n');
}

static void print_summary(const struct ir_module *m, const struct ir_missing *missing)
{
	struct counts c = count(m);
	printf("%zu %s, %zu functions, %zu instructions, %zu sites\n", m->units.len,
	       m->units.len == 1 ? "unit" : "units", c.functions, c.instructions, c.sites);
	for (size_t i = 0; i < m->units.len; i++)
		printf("  %s\n", m->units.at[i]);
	print_list("without bitcode, in the program", &missing->in_program);
	print_list("in libraries", &missing->in_libraries);
	for (size_t i = 0; i < missing->assembly.list.len; i++)
		printf("inline assembly: %s\n", missing->assembly.list.at[i]);
}

static void add_list(struct json *j, const char *key, const struct words *w)
{
	json_key(j, key);
	json_begin_array(j);
	for (size_t i = 0; i < w->list.len; i++)
		json_string(j, w->list.at[i]);
	json_end_array(j);
}

static void print_json(const struct ir_module *m, const struct ir_missing *missing)
{
	struct buf out = { 0 };
	struct json j;
	struct counts c = count(m);
	json_init(&j, &out);
	json_begin_object(&j);
	json_key(&j, "units");
	json_begin_array(&j);
	for (size_t i = 0; i < m->units.len; i++)
		json_string(&j, m->units.at[i]);
	json_end_array(&j);
	json_key(&j, "functions");
	json_number(&j, c.functions);
	json_key(&j, "instructions");
	json_number(&j, c.instructions);
	json_key(&j, "sites");
	json_number(&j, c.sites);
	add_list(&j, "without_bitcode", &missing->in_program);
	add_list(&j, "in_libraries", &missing->in_libraries);
	add_list(&j, "assembly", &missing->assembly);
	json_end_object(&j);
	puts(out.at);
	buf_release(&out);
}

static int show(const char *program, bool is_text, bool is_json, struct err *err)
{
	struct ir_module m;
	struct ir_missing missing = { 0 };
	int rc = ir_program_load(program, &m, err);
	rc = rc ? rc : ir_program_missing(program, &m, &missing, err);
	if (!rc && is_text) {
		struct buf text = { 0 };
		ir_write(&m, &text);
		fwrite(text.at, 1, text.len, stdout);
		buf_release(&text);
	} else if (!rc && is_json) {
		print_json(&m, &missing);
	} else if (!rc) {
		print_summary(&m, &missing);
	}
	ir_missing_release(&missing);
	ir_module_release(&m);
	return rc;
}

int cmd_bitcode(int argc, char **argv)
{
	const char *output = NULL;
	bool help, is_text = false, is_json = false;
	const struct opt table[] = {
		{ 'o', "output", OPT_STRING, &output, "FILE",
		  "Write the linked bitcode to FILE and print nothing.", 0, 0, NULL },
		{ 0, "print", OPT_FLAG, &is_text, NULL,
		  "Print the code in the form that heddle's analyses use.", 0, 0, NULL },
		{ 0, "json", OPT_FLAG, &is_json, NULL, "Print what is there and missing as JSON.",
		  0, 0, NULL },
		{ 0 },
	};
	const struct opt_spec spec = {
		"bitcode",
		"PROG",
		"Shows the bitcode that a program carries, and what it lacks.",
		"PROG is a program, a shared library or an object that was built with 'heddle cc "
		"--bitcode'.\n"
		"The translation units are linked.  Functions that the bitcode needs and that have "
		"none\n"
		"are named: those in the machine code of the program itself (assembly, objects "
		"and\n"
		"archives that were built otherwise), and those in shared libraries.  A site is an "
		"access\n"
		"to memory, a branch or a call; it has a number that is unique in its unit.\n",
		table,
		NULL,
	};
	struct err err;
	int operand;
	int rc = cmd_parse(&spec, "program", argc, argv, &operand, &help, &err);
	if (!rc && help)
		return EXIT_NOTHING;
	if (!rc && argc - operand > 1)
		rc = err_set(&err, ERR_USAGE,
			     "heddle bitcode: one program at a time, not '%s' and '%s'",
			     argv[operand], argv[operand + 1]);
	if (!rc && !!output + is_text + is_json > 1)
		rc = err_set(&err, ERR_USAGE,
			     "heddle bitcode: only one of --output, --print and --json");
	if (!rc && output)
		rc = ir_program_link(argv[operand], output, &err);
	else if (!rc)
		rc = show(argv[operand], is_text, is_json, &err);
	if (!rc && fflush(stdout))
		rc = err_set(&err, ERR_IO, "standard output: %m");
	return rc ? cmd_fail(rc, &err) : EXIT_NOTHING;
}
