/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading traces: detects the form and numbers the events.  The forms are in binary.c and
 * text_file.c.
 */
#include "trace/reader.h"

#include <stdlib.h>
#include <string.h>

#include "trace/text.h"

/* Detect the form.  A file shorter than a magic counts as the form whose first bytes it has. */
static int detect(struct trace_reader *r, struct err *err)
{
	const char *bytes;
	size_t got, magic = strlen(TRACE_MAGIC), text = strlen(TEXT_MAGIC);
	int rc = input_peek(&r->in, text, &bytes, &got, err);
	if (rc)
		return rc;
	if (!got)
		return err_set(err, ERR_CUT_OFF, "%s is empty: it is not a trace", r->in.path);
	bool is_binary = !memcmp(bytes, TRACE_MAGIC, got < magic ? got : magic);
	bool is_text = !memcmp(bytes, TEXT_MAGIC, got < text ? got : text);
	if (!is_binary && !is_text)
		return err_set(err, ERR_FORMAT, "%s, byte 0: this is not a trace", r->in.path);
	r->form = is_binary ? TRACE_BINARY : TRACE_TEXT;
	return 0;
}

int trace_reader_open(struct trace_reader **out, const char *path, struct err *err)
{
	struct trace_reader *r = mem_zero(1, sizeof(*r));
	int rc = input_open(&r->in, path, err);
	if (rc) {
		mem_free(r);
		return rc;
	}
	tables_init(&r->tables);
	decoder_init(&r->decoder);
	rc = detect(r, err);
	if (!rc)
		rc = r->form == TRACE_BINARY ? binary_open(r, err) : text_open(r, err);
	if (rc) {
		trace_reader_close(r);
		return rc;
	}
	*out = r;
	return 0;
}

void trace_reader_close(struct trace_reader *r)
{
	input_close(&r->in);
	trace_tables_release(&r->tables);
	vec_release(&r->own_events);
	decoder_release(&r->decoder);
	ZSTD_freeDCtx(r->zstd);
	mem_free(r->stored);
	mem_free(r->raw);
	mem_free(r->chunks);
	access_reader_free(r->accesses);
	buf_release(&r->data);
	mem_free(r->held_line);
	mem_free(r);
}

/* Get more events, and number them: 1; 0 at the end; or an error. */
static int fill(struct trace_reader *r, struct err *err)
{
	if (r->at_end)
		return 0;
	r->batch_at = r->batch_len = 0;
	int rc = r->form == TRACE_BINARY ? binary_fill(r, err) : text_fill(r, err);
	if (rc <= 0)
		return rc;
	for (size_t i = 0; i < r->batch_len; i++) {
		struct event *e = &r->batch[i];
		vec_grow_zeroed(&r->own_events, e->thread + 1ull);
		e->index = r->events++;
		e->own_index = r->own_events.at[e->thread]++;
	}
	return 1;
}

int trace_reader_next(struct trace_reader *r, struct event *e, struct err *err)
{
	if (r->batch_at == r->batch_len) {
		int rc = fill(r, err);
		if (rc <= 0)
			return rc;
	}
	*e = r->batch[r->batch_at++];
	return 1;
}

int trace_reader_batch(struct trace_reader *r, struct event **events, size_t *len, struct err *err)
{
	if (r->batch_at == r->batch_len) {
		int rc = fill(r, err);
		if (rc <= 0)
			return rc;
	}
	*events = &r->batch[r->batch_at];
	*len = r->batch_len - r->batch_at;
	r->batch_at = r->batch_len;
	return 1;
}

const char *reader_check_end(const struct trace_reader *r)
{
	const char *given = trace_fact(&r->tables, FACT_EVENTS);
	struct buf count = { 0 };
	buf_printf(&count, "%llu", (unsigned long long)r->events);
	bool agrees = given && !strcmp(given, count.at);
	buf_release(&count);
	if (!given)
		return "the closing facts do not say how many events there are";
	return agrees ? NULL : "the closing facts give another number of events than there are";
}

const struct trace_tables *trace_reader_tables(const struct trace_reader *r)
{
	return &r->tables;
}

bool trace_reader_is_complete(const struct trace_reader *r)
{
	return r->is_complete;
}

const char *trace_reader_cut_reason(const struct trace_reader *r)
{
	return r->cut.text;
}

uint64_t trace_reader_bytes(const struct trace_reader *r)
{
	return r->in.offset;
}

const char *trace_reader_path(const struct trace_reader *r)
{
	return r->in.path;
}
