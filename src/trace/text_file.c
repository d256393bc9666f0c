/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The text form as a file: the first line, the facts before the first event, the end.  Lines are
 * parsed in text_read.c.
 */
#include <string.h>

#include "trace/reader.h"
#include "trace/text.h"

static int reject(struct trace_reader *r, const char *flaw, struct err *err)
{
	r->at_end = true;
	return err_set(err, ERR_FORMAT, "%s, line %llu: %s", r->in.path,
		       (unsigned long long)r->in.line, flaw);
}

/* Next line: 1; 0 if the file ends without an end mark; or an error. */
static int next_line(struct trace_reader *r, char **line, struct err *err)
{
	size_t len;
	int rc = input_line(&r->in, TEXT_LINE_MAX, line, &len, err);
	if (rc < 0)
		r->at_end = true;
	if (rc == 1 && strlen(*line) != len)
		return reject(r, "the line contains a zero byte", err);
	if (rc)
		return rc;
	r->at_end = true;
	err_set(&r->cut, ERR_CUT_OFF,
		"%s is cut off %s line %llu, without an end mark; the complete part has %llu "
		"event%s",
		r->in.path, len ? "inside" : "after", (unsigned long long)r->in.line + (len != 0),
		(unsigned long long)r->events, r->events == 1 ? "" : "s");
	return 0;
}

int text_open(struct trace_reader *r, struct err *err)
{
	char *line;
	const char *flaw;
	struct event none;
	int rc = next_line(r, &line, err);
	if (rc < 0)
		return rc;
	if (!rc)
		return err_set(err, ERR_CUT_OFF, "%s is cut off inside its first line", r->in.path);
	struct buf want = { 0 };
	buf_printf(&want, TEXT_MAGIC "%d", TRACE_VERSION);
	bool is_this_version = !strcmp(line, want.at);
	buf_release(&want);
	if (!is_this_version)
		return err_set(
			err, ERR_VERSION,
			"%s, line 1: '%.40s' is not a trace of version %d, which this heddle reads",
			r->in.path, line, TRACE_VERSION);
	for (;;) {
		rc = next_line(r, &line, err);
		if (rc <= 0)
			return rc;
		if (line[strspn(line, " \t")] && strncmp(line, "fact", 4) && line[0] != '#')
			break;
		if (text_parse(line, &r->tables, &none, &r->data, &flaw) < 0)
			return reject(r, flaw, err);
	}
	r->held_line = mem_strdup(line);
	return 0;
}

static int finish(struct trace_reader *r, struct err *err)
{
	const char *ignored;
	size_t more;
	const char *flaw = reader_check_end(r);
	if (flaw)
		return reject(r, flaw, err);
	int rc = input_peek(&r->in, 1, &ignored, &more, err);
	if (rc)
		return rc;
	if (more)
		return reject(r, "there is something after the end mark", err);
	r->at_end = true;
	r->is_complete = true;
	return 0;
}

int text_fill(struct trace_reader *r, struct err *err)
{
	for (;;) {
		char *line = r->held_line;
		const char *flaw;
		int rc = line ? 1 : next_line(r, &line, err);
		if (rc <= 0)
			return rc;
		rc = text_parse(line, &r->tables, &r->batch[0], &r->data, &flaw);
		mem_free(r->held_line);
		r->held_line = NULL;
		if (rc < 0)
			return reject(r, flaw, err);
		if (rc == TEXT_END)
			return finish(r, err);
		if (rc == TEXT_EVENT) {
			r->batch_len = 1;
			return 1;
		}
	}
}
