/* SPDX-License-Identifier: Apache-2.0 */
/* heddle trace convert: a trace in another form, ours or another program's. */
#include <fcntl.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "cmd/trace_cmd.h"
#include "trace/export.h"
#include "trace/std.h"

enum form { FORM_BINARY, FORM_TEXT, FORM_STD, FORM_CHROME, FORM_CSV };

static const char *const forms[] = { "binary", "text", "std", "chrome", "csv", NULL };

enum from { FROM_AUTO, FROM_TRACE, FROM_STD };

static const char *const sources[] = { "auto", "trace", "std", NULL };

static const char *const begins[] = { "threads", "blocks", NULL };

#define OUTPUT_CHUNK 65536 /* bytes gathered before they are written */

struct convert {
	int to, from, begin;
	bool is_extended;
	const char *in, *out;
	int fd;
	struct buf text; /* gathered, for the forms that are not ours */
	struct std_export std;
	struct chrome_export chrome;
};

static int put_out(struct convert *c, size_t at_least, struct err *err)
{
	if (c->text.len < at_least || !c->text.len)
		return 0;
	int failed = file_write_fd(c->fd, c->text.at, c->text.len);
	buf_clear(&c->text);
	return failed ? err_set(err, ERR_IO, "cannot write %s: %s", c->out, strerror(-failed)) : 0;
}

/* The first of the two passes that STD needs. */
static int survey(struct convert *c, struct err *err)
{
	struct trace_reader *r;
	struct event e;
	if (!strcmp(c->in, "-"))
		return err_set(err, ERR_USAGE,
			       "heddle trace convert: --to=std reads the trace twice, so it cannot "
			       "come from standard input");
	int rc = trace_reader_open(&r, c->in, err);
	if (rc)
		return rc;
	const char *source = trace_fact(trace_reader_tables(r), STD_FACT);
	c->std.is_extended = c->is_extended;
	c->std.is_imported = source && !strcmp(source, STD_FACT_VALUE);
	while ((rc = trace_reader_next(r, &e, err)) == 1)
		if ((rc = std_export_survey(&c->std, &e, err)))
			break;
	trace_reader_close(r);
	return rc;
}

static int export_events(struct convert *c, struct trace_reader *r, struct err *err)
{
	const struct trace_tables *t = trace_reader_tables(r);
	struct event e;
	int rc;
	if (c->to == FORM_CSV)
		csv_begin(&c->text);
	if (c->to == FORM_CHROME)
		chrome_begin(&c->chrome, &c->text);
	while ((rc = trace_reader_next(r, &e, err)) == 1) {
		if (c->to == FORM_STD)
			std_export_event(&c->std, t, &e, &c->text);
		else if (c->to == FORM_CSV)
			csv_event(t, &e, &c->text);
		else
			chrome_event(&c->chrome, t, &e);
		if ((rc = put_out(c, OUTPUT_CHUNK, err)))
			break;
	}
	if (c->to == FORM_CHROME)
		chrome_end(&c->chrome);
	return rc ? rc : put_out(c, 1, err);
}

/* What was written of a conversion that failed; a device or pipe stays. */
static void remove_file(const char *path)
{
	struct stat st;
	if (strcmp(path, "-") && !lstat(path, &st) && S_ISREG(st.st_mode))
		unlink(path);
}

/* One of the forms that are not ours.  Nothing is left behind if it does not work out. */
static int export_file(struct convert *c, struct trace_reader *r, struct err *err)
{
	bool is_stdout = !strcmp(c->out, "-");
	c->fd = is_stdout ? 1 : open(c->out, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (c->fd < 0)
		return err_set(err, ERR_IO, "cannot write %s: %s", c->out, strerror(errno));
	int rc = export_events(c, r, err);
	if (!is_stdout && close(c->fd) && !rc)
		rc = err_set(err, ERR_IO, "cannot write %s: %s", c->out, strerror(errno));
	if (rc)
		remove_file(c->out);
	return rc;
}

static int convert_trace(struct convert *c)
{
	struct trace_output none = { 0 };
	struct trace_reader *r;
	struct trace_writer *w;
	struct err err;
	int rc = c->to == FORM_STD ? survey(c, &err) : 0;
	if (!rc)
		rc = trace_reader_open(&r, c->in, &err);
	if (rc)
		return cmd_fail(rc, &err);
	if (c->to > FORM_TEXT) {
		rc = export_file(c, r, &err);
	} else {
		rc = trace_writer_open(&w, c->out, c->to == FORM_TEXT ? TRACE_TEXT : TRACE_BINARY,
				       &err);
		if (!rc)
			rc = trace_copy(r, w, &err);
	}
	int status = trace_cmd_finish(r, &none, rc, &err);
	trace_reader_close(r);
	if (!rc && c->to == FORM_STD) {
		std_export_note(&c->std, &c->text);
		fputs(c->text.len ? c->text.at : "", stderr);
	}
	return status;
}

static int convert_std(struct convert *c)
{
	struct trace_writer *w;
	struct err err;
	if (c->to > FORM_TEXT) {
		int rc = err_set(
			&err, ERR_USAGE,
			"heddle trace convert: STD is converted to a trace first, --to=binary or "
			"--to=text, and that to other forms");
		return cmd_fail(rc, &err);
	}
	int rc =
		trace_writer_open(&w, c->out, c->to == FORM_TEXT ? TRACE_TEXT : TRACE_BINARY, &err);
	if (!rc)
		rc = std_import(c->in, c->begin ? STD_BEGIN_BLOCKS : STD_BEGIN_THREADS, w, &err);
	if (!rc)
		return EXIT_NOTHING;
	remove_file(c->out);
	return cmd_fail(rc, &err);
}

static int run(struct convert *c)
{
	struct err err;
	bool is_std = c->from == FROM_STD;
	if (c->from == FROM_AUTO && strcmp(c->in, "-")) {
		int rc = std_detect(c->in, &is_std, &err);
		if (rc)
			return cmd_fail(rc, &err);
	}
	int status = is_std ? convert_std(c) : convert_trace(c);
	buf_release(&c->text);
	std_export_release(&c->std);
	return status;
}

int cmd_trace_convert(int argc, char **argv)
{
	struct convert c = { .out = "-" };
	const struct opt table[] = {
		{ 0, "to", OPT_CHOICE, &c.to, NULL,
		  "The form to write: binary (the default) or text, which hold everything; std, "
		  "the lines that RAPID reads; chrome, JSON for the trace viewers of Chrome and "
		  "Perfetto; csv, a line for each event.",
		  0, 0, forms },
		{ 0, "from", OPT_CHOICE, &c.from, NULL,
		  "The form to read: trace (binary or text), std, or auto, the default, which "
		  "looks at the first line of a file.",
		  0, 0, sources },
		{ 'o', "output", OPT_STRING, &c.out, "FILE",
		  "Where to write (default: standard output).", 0, 0, NULL },
		{ 0, "extended", OPT_FLAG, &c.is_extended, NULL,
		  "With --to=std, write branches as br and requests of locks as req, which RAPID "
		  "does not read.",
		  0, 0, NULL },
		{ 0, "begin", OPT_CHOICE, &c.begin, NULL,
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
	return status >= 0 ? status : run(&c);
}
