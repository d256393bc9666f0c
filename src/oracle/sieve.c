/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two passes over a trace.  The first records for each cell the threads that use it and whether
 * it is written.  A free counts as a write, so that blocks that another thread frees are kept.
 * The second pass copies the events that are kept.  Reuse of memory is ignored: a cell counts as
 * shared if any of its lifetimes might be, which keeps more than necessary but omits nothing.
 *
 * Cells are found by page, and most accesses are to a recently used page, so that a cell takes a
 * few nanoseconds.  The first pass has four bytes for each cell, the second one bit, so they fit
 * into the caches.  An access to several cells is kept if one of them is.  Its reads of the other
 * cells may not follow from the copy.  Then outside-writes to these cells, which no other thread
 * uses, are inserted.
 */
#include "oracle/sieve.h"

#include <string.h>

#include "base/map.h"
#include "base/settings.h"
#include "base/stop.h"
#include "base/vec.h"
#include "trace/known.h"
#include "trace/touched.h"
#include "trace/trace.h"

#define CELL 8u
#define PAGE_CELLS 512u /* 4 KiB */
#define RECENT 1024u	/* size of the cache of pages */
#define WORTH 4		/* a copy is worth it if more than 1 / WORTH of the events is left out */

/* State of a cell: the only thread that used it, plus one, or SEVERAL; and whether it was written.
 */
#define SEVERAL 0x40000000u
#define WRITTEN 0x80000000u
#define MATTERS (SEVERAL | WRITTEN)

struct page {
	uint32_t cells[PAGE_CELLS];
};

/* The cells of a page that are kept. */
struct marks {
	uint64_t bits[PAGE_CELLS / 64];
};

static const struct marks no_marks;

struct sieve {
	struct map page_of; /* number of the page to its index, plus one */
	VEC(struct page *) pages;
	VEC(struct marks) marks; /* of the same pages */
	struct {
		uint64_t number;
		struct page *page;
	} recent[RECENT];
	struct {
		uint64_t number;
		const struct marks *marks;
	} recent_marks[RECENT];
	struct trace_reader *reader;
	struct trace_writer *writer;
	struct trace_copied copied;
	struct known known;
	/* by thread: the next event gets the branch mark of an omitted one */
	VEC(bool) passed;
	struct sieve_result *result;
	uint64_t limit;
};

static struct page *find_page(struct sieve *s, uint64_t number, bool is_made)
{
	uint64_t *index =
		is_made ? map_put(&s->page_of, number, NULL) : map_get(&s->page_of, number);
	if (!index)
		return NULL;
	if (!*index) {
		vec_push(&s->pages, (struct page *)mem_zero(1, sizeof(struct page)));
		*index = s->pages.len;
	}
	struct page *page = s->pages.at[*index - 1];
	s->recent[number % RECENT].number = number;
	s->recent[number % RECENT].page = page;
	return page;
}

static inline struct page *page_at(struct sieve *s, uint64_t number, bool is_made)
{
	struct page *recent = s->recent[number % RECENT].page;
	return recent && s->recent[number % RECENT].number == number
		       ? recent
		       : find_page(s, number, is_made);
}

static const struct marks *find_marks(struct sieve *s, uint64_t number)
{
	const uint64_t *index = map_get(&s->page_of, number);
	const struct marks *marks = index ? &s->marks.at[*index - 1] : &no_marks;
	s->recent_marks[number % RECENT].number = number;
	s->recent_marks[number % RECENT].marks = marks;
	return marks;
}

static inline bool is_kept_cell(struct sieve *s, uint64_t cell)
{
	uint64_t number = cell / PAGE_CELLS;
	const struct marks *m = s->recent_marks[number % RECENT].marks;
	if (!m || s->recent_marks[number % RECENT].number != number)
		m = find_marks(s, number);
	return m->bits[cell % PAGE_CELLS / 64] >> cell % 64 & 1;
}

static bool is_access(unsigned kind)
{
	return kind == EV_READ || kind == EV_WRITE || kind == EV_RMW || kind == EV_OUTSIDE_WRITE;
}

/* ---- the first pass ---- */

/* Update the state of a cell; returns whether it is known to matter now. */
static inline bool note(uint32_t *state, uint32_t who, bool writes)
{
	uint32_t was = *state, has = was & ~MATTERS;
	uint32_t is = was | (writes ? WRITTEN : 0) | (has == who ? 0 : has ? SEVERAL : who);
	if (is != was)
		*state = is;
	return (is & MATTERS) == MATTERS;
}

static inline bool note_access(struct sieve *s, const struct event *e)
{
	bool writes = e->kind != EV_READ && !(e->kind == EV_RMW && e->flags & EVF_FAILED),
	     matters = false;
	uint64_t last = (e->obj + (e->size ? e->size - 1 : 0)) / CELL;
	for (uint64_t cell = e->obj / CELL; cell <= last; cell++)
		matters |= note(&page_at(s, cell / PAGE_CELLS, true)->cells[cell % PAGE_CELLS],
				e->thread + 1, writes);
	return matters;
}

/* Cells that were not used before are skipped. */
static void note_free(struct sieve *s, const struct event *e)
{
	uint64_t end = (e->obj + (e->size ? e->size - 1 : 0)) / CELL + 1;
	for (uint64_t cell = e->obj / CELL; cell < end;) {
		uint64_t next = (cell / PAGE_CELLS + 1) * PAGE_CELLS;
		struct page *p = page_at(s, cell / PAGE_CELLS, false);
		for (; p && cell < end && cell < next; cell++)
			if (p->cells[cell % PAGE_CELLS])
				note(&p->cells[cell % PAGE_CELLS], e->thread + 1, true);
		cell = next;
	}
}

/* Convert the states of cells to marks for the second pass. */
static void mark_cells(struct sieve *s)
{
	vec_grow_zeroed(&s->marks, s->pages.len);
	for (size_t i = 0; i < s->pages.len; i++) {
		for (unsigned k = 0; k < PAGE_CELLS; k++)
			if ((s->pages.at[i]->cells[k] & MATTERS) == MATTERS)
				s->marks.at[i].bits[k / 64] |= 1ull << k % 64;
		mem_free(s->pages.at[i]);
	}
	vec_release(&s->pages);
}

/*
 * The first pass.  result->kept becomes an estimate: accesses to a cell before it was known to
 * matter are missing.  It is good enough to decide whether a copy is worth it.
 */
static int survey(struct sieve *s, struct err *err)
{
	struct event *events;
	size_t len;
	int rc;
	uint64_t kept = 0;
	while ((rc = trace_reader_batch(s->reader, &events, &len, err)) == 1) {
		if (stop_is_requested())
			return err_set(err, ERR_STOPPED, "stopped while the trace was read");
		for (const struct event *e = events; e < events + len; e++) {
			if (e->size > UINT64_MAX / 2 || e->obj > UINT64_MAX / 2)
				return err_set(err, ERR_FORMAT,
					       "event %llu: the address is invalid",
					       (unsigned long long)e->index);
			if (is_access(e->kind)) {
				kept += note_access(s, e);
				continue;
			}
			if (e->kind == EV_FREE)
				note_free(s, e);
			kept++;
		}
		s->result->events += len;
	}
	s->result->kept = kept;
	s->result->is_incomplete = !trace_reader_is_complete(s->reader);
	mark_cells(s);
	return rc;
}

/* ---- the second pass ---- */

/* Whether some of its cells are kept, and whether some are not. */
static inline bool is_kept(struct sieve *s, const struct event *e, bool *is_mixed)
{
	*is_mixed = false;
	if (!is_access(e->kind) && e->kind != EV_INITIAL)
		return true;
	uint64_t first = e->obj / CELL, last = (e->obj + (e->size ? e->size - 1 : 0)) / CELL,
		 kept = 0;
	if (first == last)
		return is_kept_cell(s, first);
	for (uint64_t cell = first; cell <= last; cell++)
		kept += is_kept_cell(s, cell);
	*is_mixed = kept && kept <= last - first;
	return kept;
}

/* Process an access to a cell that is not kept: insert an outside-write if the read needs one,
 * and update the known content. */
static int explain_cell(struct sieve *s, const struct event *e, uint64_t from, uint64_t size,
			struct err *err)
{
	unsigned char small[8], has;
	uint64_t where, offset = from - e->obj;
	bool reads = e->kind == EV_READ || e->kind == EV_RMW;
	const unsigned char *old = event_bytes(e, false, small);
	int rc = 0;
	if (reads && old && !known_read(&s->known, from, old + offset, size, &where, &has)) {
		struct event outside = { .thread = e->thread,
					 .kind = EV_OUTSIDE_WRITE,
					 .loc = e->loc,
					 .stack = e->stack,
					 .flags = e->flags & EVF_STACK,
					 .obj = from,
					 .size = size };
		memcpy(&outside.a, old + offset, size);
		known_write(&s->known, from, old + offset, size);
		rc = trace_writer_event(s->writer, &outside, err);
	}
	if (e->kind != EV_READ && !(e->kind == EV_RMW && e->flags & EVF_FAILED)) {
		const unsigned char *new = event_bytes(e, e->kind == EV_RMW, small);
		known_write(&s->known, from, new ? new + offset : NULL, size);
	}
	return rc;
}

static int explain(struct sieve *s, const struct event *e, struct err *err)
{
	int rc = 0;
	for (uint64_t at = e->obj, end = e->obj + e->size; at < end && !rc;) {
		uint64_t next = (at / CELL + 1) * CELL < end ? (at / CELL + 1) * CELL : end;
		if (!is_kept_cell(s, at / CELL))
			rc = explain_cell(s, e, at, next - at, err);
		at = next;
	}
	return rc;
}

static int copy_event(struct sieve *s, struct event *e, bool is_mixed, struct err *err)
{
	struct event none;
	int rc = trace_copy_tables(trace_reader_tables(s->reader), &s->copied, s->writer, err);
	if (!rc && is_mixed)
		rc = explain(s, e, err);
	if (event_is_of_block(e->kind))
		known_follow(&s->known, e, &none); /* the content becomes unknown */
	if (e->thread < s->passed.len && s->passed.at[e->thread]) {
		e->flags |= EVF_BRANCH;
		s->passed.at[e->thread] = false;
	}
	s->result->kept++;
	return rc ? rc : trace_writer_event(s->writer, e, err);
}

static int copy(struct sieve *s, struct err *err)
{
	struct event *events;
	size_t len;
	int rc = 0;
	s->result->kept = 0;
	while (!rc && !s->result->is_cut_off &&
	       (rc = trace_reader_batch(s->reader, &events, &len, err)) == 1) {
		rc = stop_is_requested()
			     ? err_set(err, ERR_STOPPED, "stopped while the trace was copied")
			     : 0;
		for (struct event *e = events; e < events + len && !rc && !s->result->is_cut_off;
		     e++) {
			bool is_mixed;
			if (!is_kept(s, e, &is_mixed)) {
				if (e->flags & EVF_BRANCH) {
					vec_grow_zeroed(&s->passed, e->thread + 1ull);
					s->passed.at[e->thread] = true;
				}
			} else if (s->limit && s->result->kept >= s->limit) {
				s->result->is_cut_off = true;
			} else {
				rc = copy_event(s, e, is_mixed, err);
			}
		}
	}
	return rc ? rc
		  : trace_copy_tables(trace_reader_tables(s->reader), &s->copied, s->writer, err);
}

/* ---- */

static bool is_sequential(const struct trace_reader *r)
{
	const char *model = trace_fact(trace_reader_tables(r), "memory-model");
	return !model || !strcmp(model, memory_names[MEMORY_SC]);
}

static int pass(struct sieve *s, const char *trace, int (*work)(struct sieve *s, struct err *err),
		struct err *err)
{
	int rc = trace_reader_open(&s->reader, trace, err);
	if (rc)
		return rc;
	s->result->is_written = is_sequential(s->reader);
	if (s->result->is_written)
		rc = work(s, err);
	trace_reader_close(s->reader);
	return rc;
}

int sieve_trace(const char *trace, const char *to, const struct sieve_options *o,
		struct sieve_result *result, struct err *err)
{
	struct sieve *s = mem_zero(1, sizeof(*s));
	*result = (struct sieve_result){ 0 };
	s->result = result;
	s->limit = o->limit;
	int rc = pass(s, trace, survey, err);
	uint64_t left_out = result->events - result->kept;
	result->is_written &= o->always || left_out > result->events / WORTH ||
			      (o->limit && result->events > o->limit);
	if (!rc && result->is_written &&
	    !(rc = trace_writer_open(&s->writer, to, TRACE_BINARY, err))) {
		rc = pass(s, trace, copy, err);
		if (!rc)
			rc = trace_writer_close(s->writer, err);
		else
			trace_writer_abandon(s->writer);
	}
	for (size_t i = 0; i < s->pages.len; i++)
		mem_free(s->pages.at[i]);
	vec_release(&s->pages);
	vec_release(&s->marks);
	vec_release(&s->passed);
	map_release(&s->page_of);
	known_release(&s->known);
	mem_free(s);
	return rc;
}
