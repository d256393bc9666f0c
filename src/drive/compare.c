/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Comparison of a replay with its reference; see compare.h.
 *
 * Ids of locations and stacks are given in order of first use, so as long as all events were
 * equal an id means the same on both sides, and each needs to be looked at only once, when it
 * first appears.
 */
#include "drive/compare.h"

#include <string.h>

#include "base/alloc.h"

static void add_event(struct names *n, const struct event *e, struct buf *out)
{
	names_thread(n, e->thread, out);
	buf_str(out, ": ");
	names_event(n, e, out);
	if (e->kind == EV_READ || e->kind == EV_WRITE || e->kind == EV_RMW)
		buf_printf(out, " (%llu byte%s)", (unsigned long long)e->size,
			   e->size == 1 ? "" : "s");
	if (e->loc) {
		buf_str(out, " at ");
		names_place(n, e->loc, out);
	}
}

static struct names reference_names(const struct compare *c)
{
	return (struct names){ .tables = trace_reader_tables(c->trace),
			       .scene = &c->run->scene,
			       .source = c->run->source };
}

/* In what two events differ that read alike. */
static void add_detail(const struct event *x, const struct event *y, struct buf *out)
{
	if (x->a != y->a)
		buf_printf(out, "; first operand %llu and %llu", (unsigned long long)x->a,
			   (unsigned long long)y->a);
	if (x->b != y->b)
		buf_printf(out, "; second operand %llu and %llu", (unsigned long long)x->b,
			   (unsigned long long)y->b);
	if (x->flags != y->flags)
		buf_printf(out, "; flags 0x%x and 0x%x", x->flags, y->flags);
	if (x->mode != y->mode)
		buf_printf(out, "; mode %u and %u", x->mode, y->mode);
	if (x->data_len != y->data_len || (x->data_len && memcmp(x->data, y->data, x->data_len)))
		buf_str(out, "; other bytes");
	if (!out->len)
		buf_str(out, "; another instruction of that line, or other calls that led there");
}

static int diverged(const struct compare *c, const struct event *expected, const struct event *got,
		    struct err *err)
{
	struct names theirs = reference_names(c);
	struct buf wanted = { 0 }, found = { 0 }, detail = { 0 };
	uint64_t at = got ? got->index : expected->index;
	if (expected)
		add_event(&theirs, expected, &wanted);
	else
		buf_str(&wanted, "the end of the run");
	if (got)
		add_event(&c->run->names, got, &found);
	else
		buf_str(&found, "the end of the run");
	if (expected && got && !strcmp(wanted.at, found.at))
		add_detail(expected, got, &detail);
	int rc = err_set(err, ERR_DIVERGED,
			 "the replay diverged at event %llu: expected %s; got %s%s",
			 (unsigned long long)at, wanted.at, found.at, detail.len ? detail.at : "");
	buf_release(&wanted);
	buf_release(&found);
	buf_release(&detail);
	names_release(&theirs);
	return rc;
}

/* Places that appear for the first time are the same on both sides. */
static bool places_are_equal(struct compare *c, const struct event *e)
{
	const struct trace_tables *mine = &c->run->decoder->tables,
				  *theirs = trace_reader_tables(c->trace);
	for (; c->stacks_checked < e->stack; c->stacks_checked++) {
		stack_id s = c->stacks_checked + 1;
		if (s >= mine->stacks.len || s >= theirs->stacks.len ||
		    mine->stacks.at[s].parent != theirs->stacks.at[s].parent ||
		    mine->stacks.at[s].loc != theirs->stacks.at[s].loc)
			return false;
	}
	for (; c->locations_checked < e->loc; c->locations_checked++) {
		loc_id l = c->locations_checked + 1;
		if (l >= mine->locations.len || l >= theirs->locations.len ||
		    mine->locations.at[l].region != theirs->locations.at[l].region ||
		    mine->locations.at[l].offset != theirs->locations.at[l].offset)
			return false;
	}
	return true;
}

static bool events_are_equal(const struct event *x, const struct event *y)
{
	return x->thread == y->thread && x->kind == y->kind && x->obj == y->obj && x->a == y->a &&
	       x->b == y->b && x->size == y->size && x->mode == y->mode && x->flags == y->flags &&
	       x->loc == y->loc && x->stack == y->stack && x->data_len == y->data_len &&
	       (!x->data_len || !memcmp(x->data, y->data, x->data_len));
}

static int compare_with_trace(void *arg, const struct event *e, struct err *err)
{
	struct compare *c = arg;
	struct event expected;
	int got = trace_reader_next(c->trace, &expected, err);
	if (got < 0)
		return got;
	if (!got) {
		c->is_at_end = true;
		return diverged(c, NULL, e, err);
	}
	if (!events_are_equal(&expected, e) || !places_are_equal(c, e))
		return diverged(c, &expected, e, err);
	return 0;
}

static void add_segment(struct names *n, const struct witness *w, const struct witness_segment *s,
			struct buf *out)
{
	const char *kind = event_kind_name(s->last_kind);
	buf_printf(out, "T%u ", s->thread);
	if (s->hooks == WITNESS_TO_END)
		buf_str(out, "runs to the end");
	else
		buf_printf(out, "passes %llu hooks", (unsigned long long)s->hooks);
	buf_printf(out, " up to event %llu", (unsigned long long)s->events);
	if (kind)
		buf_printf(out, ", the last a %s at %s", kind, names_path(n, witness_place(w, s)));
}

/* Segment k of both sides; the run's must have been pushed already. */
static int compare_segments(const struct compare *c, size_t k, struct err *err)
{
	const struct witness *mine = &c->run->witness, *theirs = c->witness;
	const struct witness_segment *x = &mine->segments.at[k];
	const struct witness_segment *y = k < theirs->segments.len ? &theirs->segments.at[k] : NULL;
	if (y && (c->ignores_hashes || x->hash == y->hash) && x->events == y->events &&
	    x->thread == y->thread && x->hooks == y->hooks)
		return 0;
	struct buf text = { 0 };
	uint64_t from = k ? mine->segments.at[k - 1].events : 0;
	struct names *n = &c->run->names;
	buf_printf(&text,
		   "the replay diverged between events %llu and %llu, in segment %zu of %zu: ",
		   (unsigned long long)from, (unsigned long long)x->events, k + 1,
		   theirs->segments.len);
	if (y && x->events == y->events && x->thread == y->thread && x->hooks == y->hooks) {
		add_segment(n, mine, x, &text);
		buf_str(&text,
			", as expected, but with other values or places; a trace in place of the "
			"witness would show which");
	} else {
		buf_str(&text, "expected that ");
		if (y)
			add_segment(n, theirs, y, &text);
		else
			buf_str(&text, "the run has ended");
		buf_str(&text, "; got that ");
		add_segment(n, mine, x, &text);
	}
	int rc = err_set(err, ERR_DIVERGED, "%s", text.at);
	buf_release(&text);
	return rc;
}

void compare_only_shared(struct compare *c)
{
	c->sparse = sparse_new(compare_with_trace, c);
}

void compare_release(struct compare *c)
{
	sparse_free(c->sparse);
	if (c->trace)
		trace_reader_close(c->trace);
}

int compare_event(void *arg, const struct event *e, struct err *err)
{
	struct compare *c = arg;
	if (c->sparse)
		return sparse_event(c->sparse, e, err);
	if (c->trace)
		return compare_with_trace(c, e, err);
	/* The segment that this switch ends is pushed when the observer has seen it: judge the
	 * one before. */
	if ((e->kind == EV_SWITCH || e->kind == EV_FLUSH_TURN) && c->run->witness.segments.len)
		return compare_segments(c, c->run->witness.segments.len - 1, err);
	return 0;
}

int compare_end(struct compare *c, struct err *err)
{
	int rc = c->sparse ? sparse_finish(c->sparse, err) : 0;
	if (rc)
		return rc;
	if (c->trace) {
		struct event expected;
		int got = trace_reader_next(c->trace, &expected, err);
		return got > 0 ? diverged(c, &expected, NULL, err) : got;
	}
	const struct witness *mine = &c->run->witness, *theirs = c->witness;
	for (size_t k = mine->segments.len > 1 ? mine->segments.len - 2 : 0; k < mine->segments.len;
	     k++) {
		rc = compare_segments(c, k, err);
		if (rc)
			return rc;
	}
	if (mine->segments.len != theirs->segments.len || mine->events != theirs->events ||
	    (!c->ignores_hashes && mine->hash != theirs->hash))
		return err_set(err, ERR_DIVERGED,
			       "the replay ended after %llu events; the witness has %llu",
			       (unsigned long long)mine->events,
			       (unsigned long long)theirs->events);
	return 0;
}

/* The program asked the outside for something else than in the recorded run. */
static int explain_input(const struct compare *c, const struct run_result *r, struct err *err)
{
	struct buf where = { 0 }, wanted = { 0 };
	const char *got = call_name(r->diverged_call), *name = call_name(r->diverged_wanted);
	names_thread(&c->run->names, c->run->decoder->thread, &where);
	buf_str(&where, " at ");
	names_place(&c->run->names, c->run->decoder->last_loc, &where);
	if (r->diverged_wanted == WIRE_NO_CALL)
		buf_str(&wanted, "has no further input");
	else if (r->diverged_reason == DIVERGED_INPUT_SIZE)
		buf_str(&wanted, "got another number of bytes from it");
	else
		buf_printf(&wanted, "next has %s by T%u", name ? name : "another",
			   r->diverged_thread);
	int rc = err_set(
		err, ERR_DIVERGED,
		"the replay diverged after %llu events, with %s: the program makes the system call "
		"%s, but the recorded run %s",
		(unsigned long long)c->run->decoder->events, where.at, got ? got : "", wanted.at);
	buf_release(&where);
	buf_release(&wanted);
	return rc;
}

int compare_explain(const struct compare *c, const struct run_result *r, struct err *err)
{
	if (r->diverged_reason == DIVERGED_INPUT || r->diverged_reason == DIVERGED_INPUT_SIZE)
		return explain_input(c, r, err);
	static const char *const reasons[] = {
		[DIVERGED_NOT] = "the program gave no reason",
		[DIVERGED_THREAD_BLOCKED] = "but that thread cannot run",
		[DIVERGED_NO_THREAD] = "but there is no such thread",
		[DIVERGED_RAN_PAST] = "but the running thread went past that point",
		[DIVERGED_CHOICE] = "but the program asked for a choice that was not recorded",
		[DIVERGED_BLOCKED_EARLY] = "but the running thread blocked before",
		[DIVERGED_NO_STORE] =
			"but the store that is to reach memory there is not in its buffer",
	};
	const char *reason = r->diverged_reason < sizeof(reasons) / sizeof(reasons[0])
				     ? reasons[r->diverged_reason]
				     : "";
	const struct witness *w = c->witness;
	size_t next = r->diverged_step + 1; /* step k switches to segment k + 1 */
	struct buf wanted = { 0 }, where = { 0 };
	if (next < w->segments.len)
		buf_printf(&wanted, "the schedule lets T%u go on at step %llu of %zu",
			   w->segments.at[next].thread, (unsigned long long)r->diverged_step + 1,
			   w->segments.len - 1);
	else
		buf_str(&wanted, "the schedule has no further switch");
	names_thread(&c->run->names, c->run->decoder->thread, &where);
	buf_str(&where, " at ");
	names_place(&c->run->names, c->run->decoder->last_loc, &where);
	int rc = err_set(err, ERR_DIVERGED,
			 "the replay diverged after %llu events and %llu hooks, with %s: %s, %s",
			 (unsigned long long)c->run->decoder->events,
			 (unsigned long long)r->diverged_hooks, where.at, wanted.at, reason);
	buf_release(&wanted);
	buf_release(&where);
	return rc;
}
