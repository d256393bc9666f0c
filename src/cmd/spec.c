/* SPDX-License-Identifier: Apache-2.0 */
/* heddle spec: checks specifications of shared objects (src/commute). */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "cmd/spec_cmd.h"
#include "commute/verify.h"

static void print_usage(FILE *out)
{
	fprintf(out, "usage: heddle spec SUBCOMMAND [options] FILE...\n"
		     "\n"
		     "Checks specifications of shared objects.\n"
		     "\n"
		     "subcommands:\n"
		     "  check      compare the conditions of a specification with its model\n"
		     "  history    check whether a history of calls is linearizable\n"
		     "  infer      propose conditions from the models of a specification\n"
		     "\n'heddle spec SUBCOMMAND --help' explains one of them.\n");
}

struct spec_options {
	uint64_t values, calls, tests;
};

static void print_note(const struct spec *s, const struct verify_note *n)
{
	printf("%s:%u:%u: %s: %s\n", s->path, n->place.line, n->place.column,
	       n->kind == VERIFY_WRONG ? "wrong" : "could be weaker", n->text);
}

/* Gives whether a condition is wrong. */
static int check_object(const struct spec *s, const struct spec_object *o,
			const struct spec_options *options, bool *is_wrong, struct err *err)
{
	struct verify_result r;
	struct verify_limits limits = { (int64_t)options->values, (unsigned)options->calls,
					options->tests };
	size_t notes[2] = { 0 };
	int rc = verify_object(o, s->path, limits, &r, err);
	for (size_t i = 0; i < r.notes.len; i++) {
		print_note(s, &r.notes.at[i]);
		notes[r.notes.at[i].kind]++;
	}
	*is_wrong |= notes[VERIFY_WRONG] > 0;
	if (!rc && notes[VERIFY_WRONG])
		printf("%s: object %s: the conditions of %zu pair%s of methods are wrong.\n",
		       s->path, o->name, notes[VERIFY_WRONG], notes[VERIFY_WRONG] == 1 ? "" : "s");
	else if (!rc)
		printf("%s: object %s: no condition is wrong in %zu states with %zu calls.\n",
		       s->path, o->name, r.states, r.calls);
	verify_release(&r);
	return rc;
}

static int check_file(const char *path, const struct spec_options *options, bool *is_wrong,
		      struct err *err)
{
	struct spec s;
	int rc = spec_read(&s, path, err);
	for (size_t i = 0; i < s.objects.len && !rc; i++)
		rc = check_object(&s, &s.objects.at[i], options, is_wrong, err);
	spec_release(&s);
	return rc;
}

int cmd_spec_check(int argc, char **argv)
{
	struct spec_options options = { 3, 6, 10000000 };
	const struct opt table[] = {
		{ 0, "values", OPT_NUMBER, &options.values, "N",
		  "Integer arguments are 0 up to N - 1 (default 3).", 1, 100, NULL },
		{ 0, "calls", OPT_NUMBER, &options.calls, "N",
		  "Look at states that at most N calls lead to (default 6).", 0, 1000, NULL },
		{ 0, "tests", OPT_NUMBER, &options.tests, "N",
		  "Try about N pairs of calls for each object, those in the nearest states first "
		  "(default 10000000).",
		  1, UINT64_MAX, NULL },
		{ 0 },
	};
	const struct opt_spec spec = {
		"spec check",
		"FILE...",
		"Compares the conditions of specifications with their models.",
		"In every state that a few calls with small arguments lead to, each two calls are "
		"tried in\n"
		"both orders.  A condition is wrong if it holds and the orders differ: in a "
		"result, in the\n"
		"state that is left, or because a call is not enabled.  A condition could be "
		"weaker if it\n"
		"does not hold for calls that were never seen to differ.\n",
		table,
		NULL,
	};
	struct err err;
	int operand;
	bool help, is_wrong = false;
	int rc = cmd_parse(&spec, "specification", argc, argv, &operand, &help, &err);
	if (!rc && help)
		return EXIT_NOTHING;
	for (int i = operand; !rc && i < argc; i++)
		rc = check_file(argv[i], &options, &is_wrong, &err);
	if (!rc && fflush(stdout))
		rc = err_set(&err, ERR_IO, "standard output: %m");
	if (rc)
		return cmd_fail(rc, &err);
	return is_wrong ? EXIT_FINDING : EXIT_NOTHING;
}

int cmd_spec(int argc, char **argv)
{
	if (argc < 2) {
		print_usage(stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		print_usage(stdout);
		return EXIT_NOTHING;
	}
	if (!strcmp(argv[1], "check"))
		return cmd_spec_check(argc - 1, argv + 1);
	if (!strcmp(argv[1], "history"))
		return cmd_spec_history(argc - 1, argv + 1);
	if (!strcmp(argv[1], "infer"))
		return cmd_spec_infer(argc - 1, argv + 1);
	fprintf(stderr, "heddle spec: unknown subcommand '%s'; 'heddle spec --help' lists them\n",
		argv[1]);
	return EXIT_USAGE;
}
