/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The event stream of a program under test, which may have damaged it: decoded in two pieces,
 * with and without the single accesses, and what comes out is sometimes written as a trace.
 */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "exec/decode.h"

#define EVENTS_MAX 200000 /* a chunk of few bytes can stand for many accesses */

struct receiver {
	struct trace_writer *writer; /* NULL: only this looks at what comes */
	const struct decoder *decoder;
	uint64_t events;
};

static int on_region(void *arg, const struct region *r, struct err *err)
{
	struct receiver *to = arg;
	return to->writer ? trace_writer_region(to->writer, r, err) : 0;
}

static int on_location(void *arg, const struct location *l, struct err *err)
{
	struct receiver *to = arg;
	if (l->region >= to->decoder->tables.regions.len)
		abort();
	return to->writer ? trace_writer_location(to->writer, l, err) : 0;
}

static int on_stack(void *arg, const struct stack_node *s, struct err *err)
{
	struct receiver *to = arg;
	if (s->parent >= to->decoder->tables.stacks.len ||
	    s->loc >= to->decoder->tables.locations.len)
		abort();
	return to->writer ? trace_writer_stack(to->writer, s, err) : 0;
}

static int on_site(void *arg, const struct trace_site *s, struct err *err)
{
	struct receiver *to = arg;
	return to->writer ? trace_writer_site(to->writer, s, err) : 0;
}

static void look_at(const struct receiver *to, const struct event *e)
{
	const struct trace_tables *t = &to->decoder->tables;
	if (e->loc >= t->locations.len || e->stack >= t->stacks.len || !event_kind_exists[e->kind])
		abort();
}

static int on_event(void *arg, const struct event *e, struct err *err)
{
	struct receiver *to = arg;
	look_at(to, e);
	return to->writer ? trace_writer_event(to->writer, e, err) : 0;
}

static int on_chunk(void *arg, const struct access_chunk *c, struct err *err)
{
	struct receiver *to = arg;
	return to->writer ? trace_writer_chunk(to->writer, c, err) : 0;
}

static int on_access(void *arg, const struct event *e, struct err *err)
{
	struct receiver *to = arg;
	look_at(to, e);
	return to->events++ < EVENTS_MAX ? 0 : err_set(err, ERR_SUPPORT, "enough");
}

static void on_note(void *arg, const char *text)
{
	(void)arg;
	if (strlen(text) > 1u << 20)
		abort();
}

static void run(const uint8_t *bytes, size_t len)
{
	struct err err;
	struct decoder *d = mem_alloc(sizeof(*d));
	struct receiver r = { .decoder = d };
	const struct decode_sink sink = { &r,	       on_region,
					  on_location, on_stack,
					  on_site,     on_event,
					  on_chunk,    len & 8 ? on_access : NULL,
					  on_note };
	size_t count = len / 8, used, first = count / 2;
	uint64_t *words = mem_alloc(len + 8);
	memcpy(words, bytes, len);
	/* A writer takes longer to make than the rest. */
	if (hash_bytes(0, bytes, len) % 32 == 0) {
		if (trace_writer_open(&r.writer, "/dev/null", TRACE_BINARY, &err))
			abort();
		trace_writer_expect_chunks(r.writer);
	}
	decode_init(d, &sink, NULL);
	if (!decode_words(d, words, first, &used, &err))
		decode_words(d, words + used, count - used, &used, &err);
	decode_release(d);
	if (r.writer)
		trace_writer_abandon(r.writer);
	mem_free(words);
	mem_free(d);
}

const struct fuzz_target fuzz_ring = { "ring", run, NULL };
