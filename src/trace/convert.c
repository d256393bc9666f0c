/* SPDX-License-Identifier: Apache-2.0 */
/* Conversion of whole traces; see convert.h.  One pass over the events, for STD two. */
#include "trace/convert.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "trace/export.h"

#define OUTPUT_CHUNK 65536 /* bytes gathered before they are written */

/* An export for another program. */
struct export
{
	const struct conversion *c;
	int fd;
	struct buf text; /* gathered */
	struct std_export std;
	struct chrome_export chrome;
};

static int put_out(struct export *x, size_t at_least, struct err *err)
{
	if (x->text.len < at_least || !x->text.len)
		return 0;
	int failed = file_write_fd(x->fd, x->text.at, x->text.len);
	buf_clear(&x->text);
	return failed ? err_set(err, ERR_IO, "cannot write %s: %s", x->c->out, strerror(-failed))
		      : 0;
}

/* The first of the two passes that STD needs. */
static int survey(struct export *x, struct err *err)
{
	struct trace_reader *r;
	struct event e;
	int rc = trace_reader_open(&r, x->c->in, err);
	if (rc)
		return rc;
	x->std.is_extended = x->c->is_extended;
	x->std.is_imported = std_is_source(trace_reader_tables(r));
	while ((rc = trace_reader_next(r, &e, err)) == 1)
		if ((rc = std_export_survey(&x->std, &e, err)))
			break;
	trace_reader_close(r);
	return rc;
}

static int export_events(struct export *x, struct trace_reader *r, struct err *err)
{
	const struct trace_tables *t = trace_reader_tables(r);
	enum convert_form to = x->c->to;
	struct event e;
	int rc;
	if (to == FORM_CSV)
		csv_begin(&x->text);
	if (to == FORM_CHROME)
		chrome_begin(&x->chrome, &x->text);
	while ((rc = trace_reader_next(r, &e, err)) == 1) {
		if (to == FORM_STD)
			std_export_event(&x->std, t, &e, &x->text);
		else if (to == FORM_CSV)
			csv_event(t, &e, &x->text);
		else
			chrome_event(&x->chrome, t, &e);
		if ((rc = put_out(x, OUTPUT_CHUNK, err)))
			break;
	}
	if (to == FORM_CHROME)
		chrome_end(&x->chrome);
	return rc ? rc : put_out(x, 1, err);
}

/* The output of a conversion that failed; a device or pipe stays. */
static void remove_output(const char *path)
{
	struct stat st;
	if (strcmp(path, "-") && !lstat(path, &st) && S_ISREG(st.st_mode))
		unlink(path);
}

static int export_file(struct export *x, struct trace_reader *r, struct err *err)
{
	const char *out = x->c->out;
	bool is_stdout = !strcmp(out, "-");
	x->fd = is_stdout ? 1 : open(out, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (x->fd < 0)
		return err_set(err, ERR_IO, "cannot write %s: %s", out, strerror(errno));
	int rc = export_events(x, r, err);
	if (!is_stdout && close(x->fd) && !rc)
		rc = err_set(err, ERR_IO, "cannot write %s: %s", out, strerror(errno));
	if (rc)
		remove_output(out);
	return rc;
}

static bool is_own_form(enum convert_form form)
{
	return form == FORM_BINARY || form == FORM_TEXT;
}

static int open_writer(const struct conversion *c, struct trace_writer **w, struct err *err)
{
	return trace_writer_open(w, c->out, c->to == FORM_TEXT ? TRACE_TEXT : TRACE_BINARY, err);
}

int trace_convert(const struct conversion *c, struct conversion_notes *notes, struct err *err)
{
	struct export x = { .c = c };
	struct trace_reader *r = NULL;
	struct trace_writer *w;
	int rc = c->to == FORM_STD ? survey(&x, err) : 0;
	if (!rc)
		rc = trace_reader_open(&r, c->in, err);
	if (!rc && is_own_form(c->to)) {
		rc = open_writer(c, &w, err);
		if (!rc)
			rc = trace_copy(r, w, err);
	} else if (!rc) {
		rc = export_file(&x, r, err);
	}
	if (!rc && !trace_reader_is_complete(r))
		buf_str(&notes->cut, trace_reader_cut_reason(r));
	if (!rc && c->to == FORM_STD)
		std_export_note(&x.std, &notes->lost);
	if (r)
		trace_reader_close(r);
	buf_release(&x.text);
	std_export_release(&x.std);
	return rc;
}

int trace_convert_std(const struct conversion *c, struct err *err)
{
	struct trace_writer *w;
	int rc = open_writer(c, &w, err);
	if (!rc)
		rc = std_import(c->in, c->begin, w, err);
	if (rc)
		remove_output(c->out);
	return rc;
}

void conversion_notes_release(struct conversion_notes *n)
{
	buf_release(&n->cut);
	buf_release(&n->lost);
}
