/* SPDX-License-Identifier: Apache-2.0 */
/* heddle spec infer: proposes conditions from the models of a specification. */
#include <stdio.h>

#include "cmd/spec_cmd.h"
#include "commute/infer.h"

static int infer_file(const char *path, struct verify_limits limits, struct err *err)
{
	struct spec s;
	int rc = spec_read(&s, path, err);
	for (size_t i = 0; i < s.objects.len && !rc; i++) {
		const struct spec_object *o = &s.objects.at[i];
		struct buf lines = { 0 };
		rc = infer_conditions(o, path, limits, &lines, err);
		if (!rc)
			printf("    # object %s\n%s", o->name, lines.len ? lines.at : "");
		buf_release(&lines);
	}
	spec_release(&s);
	return rc;
}

int cmd_spec_infer(int argc, char **argv)
{
	uint64_t values = 3, calls = 6, tests = 10000000;
	const struct opt table[] = {
		{ 0, "values", OPT_NUMBER, &values, "N",
		  "Integer arguments are 0 up to N - 1 (default 3).", 1, 100, NULL },
		{ 0, "calls", OPT_NUMBER, &calls, "N",
		  "Look at states that at most N calls lead to (default 6).", 0, 1000, NULL },
		{ 0, "tests", OPT_NUMBER, &tests, "N",
		  "Try about N pairs of calls for each object (default 10000000).", 1, UINT64_MAX,
		  NULL },
		{ 0 },
	};
	const struct opt_spec spec = {
		"spec infer",
		"FILE",
		"Proposes conditions from the models of a specification.",
		"Prints a line 'commute' for each two methods of an object with calls that "
		"commute.  Conditions\n"
		"that the file has are not looked at.  What is proposed is right for the calls "
		"that were tried:\n"
		"put it into the file, and let 'heddle spec check' try more values.\n",
		table,
		NULL,
	};
	struct err err;
	int operand;
	bool help;
	int rc = cmd_parse(&spec, "specification", argc, argv, &operand, &help, &err);
	if (!rc && help)
		return EXIT_NOTHING;
	if (!rc && argc - operand != 1)
		rc = err_set(&err, ERR_USAGE, "heddle spec infer: give one specification");
	if (!rc) {
		struct verify_limits limits = { (int64_t)values, (unsigned)calls, tests };
		rc = infer_file(argv[operand], limits, &err);
	}
	if (!rc && fflush(stdout))
		rc = err_set(&err, ERR_IO, "standard output: %m");
	return rc ? cmd_fail(rc, &err) : EXIT_NOTHING;
}
