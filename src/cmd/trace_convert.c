/* SPDX-License-Identifier: Apache-2.0 */
/* heddle trace convert: a trace in another form, ours or another program's (trace/convert.h). */
#include <stdio.h>
#include <string.h>

#include "cmd/trace_cmd.h"
#include "trace/convert.h"

/* In the order of enum convert_form. */
static const char *const forms[] = { "binary", "text", "std", "chrome", "csv", NULL };

enum from { FROM_AUTO, FROM_TRACE, FROM_STD };

static const char *const sources[] = { "auto", "trace", "std", NULL };

static const char *const begins[] = { "threads", "blocks", NULL };

static int convert_trace(const struct conversion *c)
{
	struct conversion_notes notes = { 0 };
	struct err err;
	int rc;
	if (c->to == FORM_STD && !strcmp(c->in, "-"))
		rc = err_set(&err, ERR_USAGE,
			     "heddle trace convert: --to=std reads the trace twice, so it cannot "
			     "come from standard input");
	else
		rc = trace_convert(c, &notes, &err);
	if (notes.cut.len)
		fprintf(stderr, "heddle: %s\n", notes.cut.at);
	fputs(notes.lost.len ? notes.lost.at : "", stderr);
	conversion_notes_release(&notes);
	return rc ? cmd_fail(rc, &err) : EXIT_NOTHING;
}

static int convert_std(const struct conversion *c)
{
	struct err err;
	int rc;
	if (c->to == FORM_BINARY || c->to == FORM_TEXT)
		rc = trace_convert_std(c, &err);
	else
		rc = err_set(&err, ERR_USAGE,
			     "heddle trace convert: STD is converted to a trace first, "
			     "--to=binary or --to=text, and that to other forms");
	return rc ? cmd_fail(rc, &err) : EXIT_NOTHING;
}

static int run(const struct conversion *c, enum from from)
{
	struct err err;
	bool is_std = from == FROM_STD;
	if (from == FROM_AUTO && strcmp(c->in, "-")) {
		int rc = std_detect(c->in, &is_std, &err);
		if (rc)
			return cmd_fail(rc, &err);
	}
	return is_std ? convert_std(c) : convert_trace(c);
}

int cmd_trace_convert(int argc, char **argv)
{
	struct conversion c = { .out = "-" };
	int to = FORM_BINARY, from = FROM_AUTO, begin = 0;
	const struct opt table[] = {
		{ 0, "to", OPT_CHOICE, &to, NULL,
		  "The form to write: binary (the default) or text, which hold everything; std, "
		  "the lines that RAPID reads; chrome, JSON for the trace viewers of Chrome and "
		  "Perfetto; csv, a line for each event.",
		  0, 0, forms },
		{ 0, "from", OPT_CHOICE, &from, NULL,
		  "The form to read: trace (binary or text), std, or auto, the default, which "
		  "looks at the first line of a file.",
		  0, 0, sources },
		{ 'o', "output", OPT_STRING, &c.out, "FILE",
		  "Where to write (default: standard output).", 0, 0, NULL },
		{ 0, "extended", OPT_FLAG, &c.is_extended, NULL,
		  "With --to=std, write branches as br and requests of locks as req, which RAPID "
		  "does not read.",
		  0, 0, NULL },
		{ 0, "begin", OPT_CHOICE, &begin, NULL,
		  "What begin and end delimit in STD: threads (the default), or atomic blocks "
		  "inside them.",
		  0, 0, begins },
		{ 0 },
	};
	const struct opt_spec spec = {
		.command = "trace convert",
		.operands = "TRACE",
		.summary = "Converts a trace from one form to another.",
		.table = table,
		.details = "TRACE is a trace in binary or text form, or STD; - is standard input. "
			   "What STD cannot express is counted in notes on standard error; "
			   "doc/FORMAT.md describes the rest. STD that could not have happened (a "
			   "lock with two owners, a thread that continues after its end) is "
			   "refused with the first wrong line and status 3.",
	};
	int status = trace_cmd_options(&spec, argc, argv, &c.in);
	c.to = (enum convert_form)to;
	c.begin = begin ? STD_BEGIN_BLOCKS : STD_BEGIN_THREADS;
	return status >= 0 ? status : run(&c, (enum from)from);
}
