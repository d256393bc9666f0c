/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The verdict of heddle check: all schedules were checked, or not all of them, and then always
 * why; whether something was found; and what that rests on.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/settings.h"
#include "check/check.h"
#include "check/progress.h"
#include "check/unseen.h"

#define POLLS_NAMED 4

static unsigned long long count(uint64_t n)
{
	return n;
}

bool check_is_vacuous(const struct check *c)
{
	return c->result.executions && c->result.dropped == c->result.executions;
}

/* ---- why the result says less than it should ---- */

static void add_reason(struct buf *out, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void add_reason(struct buf *out, const char *fmt, ...)
{
	char text[768];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	buf_printf(out, "%s%s", out->len ? "; " : "", text);
}

static const char *executions(uint64_t n)
{
	return n == 1 ? "execution" : "executions";
}

static void add_stop(const struct check *c, struct buf *out)
{
	const struct explore_result *r = &c->result;
	switch (r->stop) {
	case STOP_EXECUTIONS:
		add_reason(out, "the limit of executions was reached");
		break;
	case STOP_SECONDS:
		add_reason(out, "the time was over");
		break;
	case STOP_INTERRUPTED:
		add_reason(out, "it was interrupted");
		break;
	case STOP_UNSUPPORTED:
		add_reason(out, "%s", r->gaps.text);
		break;
	case STOP_DIVERGED:
		add_reason(out, "the program does not do the same twice");
		break;
	case STOP_ENDLESS:
	case STOP_POLLS:
	case STOP_GROWS:
		break;	 /* the limits say it */
	case STOP_FOUND: /* as it was to */
		if (!c->findings.len)
			add_reason(out, "a failure ended it");
		break;
	case STOP_AGAIN:
		break;
	case STOP_DONE:
		if (c->is_cut)
			add_reason(out, "it was interrupted before everything was shown");
		if (r->is_partial)
			add_reason(out, "parts that would have taken too long were left out");
		break;
	}
}

static void add_open_choices(const struct check *c, struct buf *out)
{
	add_reason(out, "not all choices were tried");
	if (check_has_sampled_values(c)) {
		buf_str(out, " (");
		check_add_values(c, out);
		buf_char(out, ')');
	}
}

static void add_places(struct buf *out, const struct check *c, bool is_cut)
{
	size_t more = 0, named = 0;
	for (size_t i = 0; i < c->polls.len; i++) {
		if (c->polls.at[i].is_cut != is_cut)
			continue;
		if (named == POLLS_NAMED) {
			more++;
			continue;
		}
		buf_printf(out, "%s%s", named++ ? ", " : "", c->polls.at[i].place);
	}
	if (more)
		buf_printf(out, " and %zu more", more);
}

/* Loops that poll, by place: those that were cut, or, of a search that did not end, those that
 * were seen. */
static void add_polls(const struct check *c, struct buf *out)
{
	struct buf places = { 0 };
	const struct explore_gaps *g = &c->result.gaps;
	uint64_t rounds = c->loops ? c->loops : c->rounds;
	bool is_given = c->loops ? c->options.has_loops : c->options.has_rounds;
	add_places(&places, c, g->round_limit > 0);
	size_t loops = 0;
	for (size_t i = 0; i < c->polls.len; i++)
		loops += c->polls.at[i].is_cut == (g->round_limit > 0);
	if (g->round_limit)
		add_reason(out, "the %sloop%s%s%s %s cut after %llu round%s%s",
			   c->loops ? "" : "polling ", loops > 1 ? "s" : "", loops ? " at " : "",
			   loops ? places.at : "", loops > 1 ? "were" : "was", count(rounds),
			   rounds == 1 ? "" : "s",
			   is_given ? "" : ", because the search had no end in sight");
	else if (loops && c->result.stop != STOP_DONE && c->result.stop != STOP_FOUND)
		add_reason(out,
			   "every number of rounds of the polling loop%s at %s is a schedule of "
			   "its own (--rounds=N bounds it)",
			   loops > 1 ? "s" : "", places.at);
	buf_release(&places);
}

static void add_gaps(const struct check *c, struct buf *out)
{
	const struct explore_result *r = &c->result;
	const struct explore_gaps *g = &r->gaps;
	uint64_t failed = g->diverged > g->failed_plans ? g->diverged : g->failed_plans;
	if (check_is_vacuous(c))
		add_reason(
			out,
			"vacuous: in every execution an assumption of the program does not hold");
	if (c->is_endless)
		add_reason(
			out,
			"the program has no end in sight, so executions were cut after %llu steps",
			count(c->options.steps));
	else if (g->step_limit)
		add_reason(out, "%llu %s reached the limit of steps", count(g->step_limit),
			   executions(g->step_limit));
	if (g->thread_limit)
		add_reason(out, "%llu %s reached the limit of threads", count(g->thread_limit),
			   executions(g->thread_limit));
	add_polls(c, out);
	if (r->bounded)
		add_reason(out, "%llu %s had more than %llu preemptions", count(r->bounded),
			   executions(r->bounded), count(c->options.preemptions));
	if (g->full)
		add_reason(out, "%llu %s had more operations than fit", count(g->full),
			   executions(g->full));
	if (g->lost && r->stop != STOP_UNSUPPORTED)
		add_reason(out, "%llu %s %s lost (%s)", count(g->lost), executions(g->lost),
			   g->lost == 1 ? "was" : "were", g->text);
	if (failed)
		add_reason(out, "%llu %s did not follow %s plan", count(failed), executions(failed),
			   failed == 1 ? "its" : "their");
	if (g->outside_writes)
		add_reason(out, "memory changed out of heddle's sight");
	if (g->unstable)
		add_reason(out, "the same schedule did not do the same again");
	if (g->open_choices)
		add_open_choices(c, out);
	if (explore_cancels_at_any_time(r, &c->divided))
		add_reason(out,
			   "a thread may be cancelled at any time (PTHREAD_CANCEL_ASYNCHRONOUS), "
			   "which is not explored");
	if (g->interruptible)
		add_reason(out, "not all places at which a signal can interrupt a wait for a "
				"descriptor were tried");
	if (c->unrepeated)
		add_reason(out, "%zu of what was found did not show again", c->unrepeated);
	if (r->races.left_out)
		add_reason(out, "races of others than the first %d threads were not looked for",
			   RACES_THREADS);
	if (r->races.more)
		add_reason(out, "more than %d pairs of instructions race, and others were not kept",
			   RACES_MAX);
}

/* One execution that was seen to its end; NULL: there is none. */
static struct check_repeat *whole_one(const struct check *c)
{
	for (size_t i = 0; i < c->repeats.len; i++)
		if (c->repeats.at[i]->is_whole)
			return c->repeats.at[i];
	return NULL;
}

const char *check_gap(const struct check *c, struct buf *out)
{
	if (c->summary.is_complete)
		return NULL;
	add_stop(c, out);
	add_gaps(c, out);
	for (size_t i = c->model_words; i < c->gap_words; i++)
		add_reason(out, "%s", c->summary.assumptions.at[i]);
	if (!out->len && !c->is_exhaustive)
		add_reason(out, "the strategy draws schedules and does not know when it has all");
	if (!out->len && !whole_one(c))
		add_reason(out, "no execution could be recorded");
	return out->len ? out->at : NULL;
}

/* ---- what it rests on ---- */

/* Copies that race and were one step each.  A source line may have several; each line is named
 * once. */
static void add_undivided(struct check *c, struct observer *o)
{
	const struct wide_places *wide = &c->result.races.wide;
	for (size_t i = 0; i < wide->list.len; i++) {
		struct location l = { 0 };
		if (!wide_place_is_torn(&wide->list.at[i]))
			continue;
		bool is_known =
			o && observer_locate(o, wide->list.at[i].pc, &l) && l.file && l.file[0];
		if (is_known)
			report_assume_of(&c->summary, ASSUMES_UNDIVIDED_COPY, "%s:%u", l.file,
					 l.line);
		else
			report_assume_of(&c->summary, ASSUMES_UNDIVIDED_COPY, "%#llx",
					 count(wide->list.at[i].pc));
		mem_free(l.function);
		mem_free(l.file);
	}
}

/* Where loops were seen to poll.  Several hooks of one line, or of one inlined function, are one
 * place. */
static void locate_polls(struct check *c, struct observer *o)
{
	bool has_cut = c->result.gaps.round_limit;
	for (size_t i = 0; i < c->result.polls.len; i++) {
		const struct explore_poll *p = &c->result.polls.at[i];
		struct location l = { 0 };
		struct check_poll poll = { .is_cut = p->cut > 0 };
		if (has_cut && !poll.is_cut)
			continue;
		bool is_known = o && observer_locate(o, p->pc, &l);
		if (is_known && l.file && l.file[0])
			snprintf(poll.place, sizeof(poll.place), "%s%s%s:%u",
				 l.function ? l.function : "", l.function ? "() " : "", l.file,
				 l.line);
		else if (is_known && l.function && l.function[0])
			snprintf(poll.place, sizeof(poll.place), "%s()", l.function);
		else
			snprintf(poll.place, sizeof(poll.place), "%#llx", count(p->pc));
		bool is_there = false;
		for (size_t k = 0; k < c->polls.len; k++)
			is_there |= !strcmp(c->polls.at[k].place, poll.place);
		if (!is_there)
			vec_push(&c->polls, poll);
		mem_free(l.function);
		mem_free(l.file);
	}
}

static void collect_assumptions(struct check *c)
{
	struct check_repeat *whole = whole_one(c);
	c->summary.is_complete &= whole != NULL;
	locate_polls(c, whole ? &whole->made.observer : NULL);
	report_assume_of(&c->summary, ASSUMES_MEMORY_MODEL, "%s", memory_names[c->options.memory]);
	report_assume_of(&c->summary, ASSUMES_HEAP, "%s", heap_names[c->options.heap]);
	report_assume(&c->summary, ASSUMES_CLOCK_CAUSAL);
	report_assume_of(&c->summary, ASSUMES_SPURIOUS_WAKEUPS, "%llu", count(c->options.spurious));
	c->model_words = c->summary.assumptions.len;
	if (c->result.bounded)
		report_assume_of(&c->summary, ASSUMES_PREEMPTIONS, "%llu",
				 count(c->options.preemptions));
	if (c->result.gaps.step_limit)
		report_assume_of(&c->summary, ASSUMES_STEPS, "%llu", count(c->options.steps));
	if (c->result.gaps.thread_limit)
		report_assume_of(&c->summary, ASSUMES_THREADS, "%llu", count(c->options.threads));
	if (c->result.gaps.round_limit)
		report_assume_of(&c->summary, c->loops ? ASSUMES_LOOPS : ASSUMES_ROUNDS, "%llu",
				 count(c->loops ? c->loops : c->rounds));
	if (whole)
		c->summary.is_complete &=
			observer_assume_unseen(&whole->made.observer, &c->summary);
	for (size_t i = 0; i < c->program.info.unclassified.list.len; i++)
		report_assume_of(&c->summary, ASSUMES_UNCLASSIFIED, "%s",
				 c->program.info.unclassified.list.at[i]);
	c->summary.is_complete &= !c->program.info.unclassified.list.len;
	c->gap_words = c->summary.assumptions.len;
	if (c->divided.signals)
		report_assume(&c->summary, ASSUMES_SIGNALS_PROMPT);
	if (check_has_sampled_values(c))
		report_assume(&c->summary, ASSUMES_VALUES_SAMPLED);
	unseen_add_assumptions(&c->program.info.unseen, c->program.path.at, &c->summary);
	add_undivided(c, whole ? &whole->made.observer : NULL);
	/* A program that reads parts of the stack that it has not written could find their
	 * values there. */
	if (c->unused.list.len)
		report_assume_of(&c->summary, ASSUMES_UNUSED_READS, "%zu", c->unused.list.len);
	if (c->options.memory != MEMORY_SC) {
		report_assume(&c->summary, ASSUMES_OWN_TLS);
		report_assume(&c->summary, ASSUMES_STACK_BY_LIBC);
	}
}

/* ---- in words ---- */

static void add_schedules(const struct check *c, struct buf *out)
{
	const struct explore_result *r = &c->result;
	if (c->summary.is_complete)
		buf_str(out, r->executions == 1 ? "The only schedule was" : "All ");
	if (!c->summary.is_complete || r->executions != 1) {
		check_add_count(out, r->executions);
		buf_str(out, r->executions == 1 ? " schedule was" : " schedules were");
	}
	buf_printf(out, " checked (%s", memory_titles[c->options.memory]);
	if (r->classes_are)
		buf_printf(out, ", one of each class %s", r->classes_are);
	if (r->classes) {
		buf_str(out, ", of ");
		check_add_count(out, r->classes);
		buf_str(out, r->classes == 1 ? " class" : " classes");
	}
	buf_char(out, ')');
	if (r->drawn && !c->summary.is_complete) {
		buf_str(out, " and ");
		check_add_count(out, r->drawn);
		buf_str(out, " more drawn at random");
	}
	if (r->dropped) {
		buf_str(out, ", of which assumptions left out ");
		check_add_count(out, r->dropped);
	}
}

static void add_found(const struct check *c, struct buf *out)
{
	if (c->findings.len)
		buf_printf(out, " %zu finding%s.", c->findings.len,
			   c->findings.len == 1 ? "" : "s");
	else
		buf_str(out, " Nothing found.");
}

static void add_stats(const struct check *c, struct buf *out)
{
	const struct explore_result *r = &c->result;
	buf_printf(out, "heddle: %llu execution%s", count(r->executions),
		   r->executions == 1 ? "" : "s");
	if (r->drawn)
		buf_printf(out, " and %llu drawn", count(r->drawn));
	buf_printf(out, " (and %llu redundant, %llu dropped) in %.2f s, %.0f/s",
		   count(r->redundant), count(r->dropped), r->seconds,
		   r->seconds > 0 ? (double)(r->executions + r->redundant) / r->seconds : 0);
	if (r->classes_are && r->seconds > 0)
		buf_printf(out, ", %.0f%% of the time for orders",
			   100 * r->order_seconds / r->seconds);
	if (c->options.depend)
		buf_printf(out, ", nothing depends on the reads of %zu place%s", c->unused.list.len,
			   c->unused.list.len == 1 ? "" : "s");
	buf_char(out, '\n');
}

void check_verdict(const struct check *c, struct buf *out)
{
	struct buf gap = { 0 };
	const char *why = check_gap(c, &gap);
	if (c->options.has_stats)
		add_stats(c, out);
	buf_str(out, "heddle: ");
	if (check_is_vacuous(c)) {
		buf_str(out, "Nothing was checked: ");
		buf_str(out, c->result.executions == 1 ? "the only execution" : "all ");
		if (c->result.executions != 1) {
			check_add_count(out, c->result.executions);
			buf_str(out, " executions");
		}
		buf_str(out, " ended at an assumption that does not hold");
		buf_str(out,
			c->result.gaps.open_choices ? ", and not all choices were tried." : ".");
	} else {
		add_schedules(c, out);
		if (c->result.stop == STOP_FOUND && c->findings.len)
			buf_str(out, ", up to the first failure");
		if (why)
			buf_printf(out, ", not all: %s", why);
		buf_char(out, '.');
	}
	add_found(c, out);
	buf_char(out, '\n');
	if (c->summary.is_complete) {
		buf_str(out, "heddle: This assumes");
		for (size_t i = 0; i < c->summary.assumptions.len; i++)
			buf_printf(out, "%s %s", i ? "," : "", c->summary.assumptions.at[i]);
		buf_str(out, ".\n");
	}
	buf_release(&gap);
}

void check_judge(struct check *c)
{
	collect_assumptions(c);
	c->summary.executions = c->result.executions;
	c->summary.is_complete &= !c->unrepeated && !check_is_vacuous(c);
}
