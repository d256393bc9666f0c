/* SPDX-License-Identifier: Apache-2.0 */
/* Results in bytes, for the ledger; see ledger.h. */
#include "explore/ledger.h"

#include "base/alloc.h"

/* ---- writing ---- */

static void save_schedule(const struct schedule *s, struct buf *out)
{
	buf_varint(out, s->preemptions);
	buf_varint(out, s->turns.len);
	for (size_t i = 0; i < s->turns.len; i++) {
		buf_varint(out, (uint64_t)s->turns.at[i].thread << 1 |
					(s->turns.at[i].kind == TURN_FLUSH));
		buf_varint(out, s->turns.at[i].hook);
	}
	buf_varint(out, s->choices.len);
	for (size_t i = 0; i < s->choices.len; i++)
		buf_varint(out, s->choices.at[i]);
}

static void save_bytes(const void *bytes, size_t len, struct buf *out)
{
	buf_varint(out, len);
	buf_add(out, bytes, len);
}

static void save_outcome(const struct outcome *o, struct buf *out)
{
	save_bytes(o->output.at, o->output.len, out);
	save_bytes(o->errors.at, o->errors.len, out);
	buf_varint(out, o->end);
	buf_varint(out, (uint32_t)o->exit_status);
	buf_varint(out, o->failure);
	buf_varint(out, o->failure_detail);
	buf_varint(out, o->key);
	save_schedule(&o->schedule, out);
}

static void save_access(const struct race_access *a, struct buf *out)
{
	buf_varint(out, (uint64_t)a->thread << 8 | a->kind);
	buf_varint(out, a->pc);
	buf_varint(out, a->address);
	buf_varint(out, a->size);
	buf_varint(out, a->occurrence);
}

/* Races of one execution stand one after the other: its schedule comes with the first of them. */
static void save_race(const struct race *race, const struct race_schedule *before, struct buf *out)
{
	save_access(&race->first, out);
	save_access(&race->second, out);
	buf_varint(out, race->by == before);
	if (race->by != before)
		save_schedule(&race->by->schedule, out);
}

void result_save_found(const struct explore_result *r, size_t failures, size_t outcomes,
		       size_t races, struct buf *out)
{
	buf_varint(out, r->failures.len - failures);
	for (size_t i = failures; i < r->failures.len; i++) {
		buf_varint(out, r->failures.at[i].failure);
		buf_varint(out, r->failures.at[i].pc);
		buf_varint(out, r->failures.at[i].divided);
		buf_varint(out, r->failures.at[i].loops);
		buf_varint(out, r->failures.at[i].signals);
		buf_varint(out, r->failures.at[i].cancels);
		save_schedule(&r->failures.at[i].schedule, out);
	}
	buf_varint(out, r->outcomes.len - outcomes);
	for (size_t i = outcomes; i < r->outcomes.len; i++)
		save_outcome(&r->outcomes.at[i], out);
	buf_varint(out, r->races.found.len - races);
	for (size_t i = races; i < r->races.found.len; i++)
		save_race(&r->races.found.at[i], i > races ? r->races.found.at[i - 1].by : NULL,
			  out);
}

void result_save_counts(const struct explore_result *r, struct buf *out)
{
	const struct explore_gaps *g = &r->gaps;
	const uint64_t counts[] = { r->executions,
				    r->redundant,
				    r->given_up,
				    r->dropped,
				    r->bounded,
				    g->step_limit,
				    g->lost,
				    g->diverged,
				    g->failed_plans,
				    g->full,
				    g->outside_writes,
				    g->open_choices,
				    g->unstable,
				    g->interruptible,
				    g->thread_limit,
				    g->round_limit,
				    r->drawn,
				    g->asynchronous,
				    (uint64_t)g->is_unsupported |
					    (uint64_t)(r->stop == STOP_FOUND) << 1 |
					    (uint64_t)(r->races.left_out > 0) << 2 |
					    (uint64_t)(r->races.more > 0) << 3 };
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		buf_varint(out, counts[i]);
	buf_add(out, g->text, sizeof(g->text));
	buf_add(out, &r->seconds, sizeof(r->seconds));
	for (size_t i = 0; i < r->failures.len; i++) {
		buf_varint(out, r->failures.at[i].executions);
		buf_varint(out, r->failures.at[i].drawn);
	}
	for (size_t i = 0; i < r->outcomes.len; i++) {
		buf_varint(out, r->outcomes.at[i].executions);
		buf_varint(out, r->outcomes.at[i].drawn);
	}
	for (size_t i = 0; i < r->races.found.len; i++) {
		buf_varint(out, r->races.found.at[i].executions);
		buf_varint(out, r->races.found.at[i].drawn);
	}
	buf_varint(out, r->polled);
	buf_varint(out, r->polls.len);
	for (size_t i = 0; i < r->polls.len; i++) {
		buf_varint(out, r->polls.at[i].pc);
		buf_varint(out, r->polls.at[i].rounds);
		buf_varint(out, r->polls.at[i].cut);
	}
	wide_save(&r->races.wide, out);
}

/* ---- reading ---- */

static void load_schedule(struct bytes *in, struct schedule *s)
{
	s->preemptions = bytes_varint(in);
	for (size_t n = bytes_count(in, 2); n-- && !in->is_bad;) {
		uint64_t thread = bytes_varint(in);
		struct wire_turn turn = { (uint32_t)(thread >> 1),
					  thread & 1 ? TURN_FLUSH : TURN_STEP, bytes_varint(in) };
		vec_push(&s->turns, turn);
	}
	for (size_t n = bytes_count(in, 1); n-- && !in->is_bad;)
		vec_push(&s->choices, (uint32_t)bytes_varint(in));
}

static void load_bytes(struct bytes *in, struct buf *to)
{
	size_t len = bytes_count(in, 1);
	buf_add(to, in->at, len);
	in->at += len;
	in->left -= len;
}

static void load_outcome(struct bytes *in, struct outcome *o)
{
	load_bytes(in, &o->output);
	load_bytes(in, &o->errors);
	uint64_t end = bytes_varint(in);
	in->is_bad |= end > EXPLORE_GONE;
	o->end = (enum explore_end)end;
	o->exit_status = (int)(uint32_t)bytes_varint(in);
	o->failure = (uint32_t)bytes_varint(in);
	o->failure_detail = bytes_varint(in);
	o->key = bytes_varint(in);
	load_schedule(in, &o->schedule);
}

static void load_access(struct bytes *in, struct race_access *a)
{
	uint64_t first = bytes_varint(in);
	a->thread = (uint32_t)(first >> 8);
	a->kind = (uint8_t)first;
	a->pc = bytes_varint(in);
	a->address = bytes_varint(in);
	a->size = bytes_varint(in);
	a->occurrence = bytes_varint(in);
}

static void load_race(struct bytes *in, struct race *race, struct race_schedule *before)
{
	load_access(in, &race->first);
	load_access(in, &race->second);
	bool is_same = bytes_varint(in);
	in->is_bad |= is_same && !before;
	race->by = is_same && before ? before : mem_zero(1, sizeof(*race->by));
	race->by->users++;
	if (!is_same)
		load_schedule(in, &race->by->schedule);
}

bool result_load_found(struct explore_result *r, struct bytes *in)
{
	struct explore_result read = { 0 };
	for (size_t n = bytes_count(in, 6); n-- && !in->is_bad;) {
		struct explore_failure *f = vec_add(&read.failures);
		f->failure = (uint32_t)bytes_varint(in);
		f->pc = bytes_varint(in);
		f->divided = bytes_varint(in);
		f->loops = bytes_varint(in);
		f->signals = bytes_varint(in);
		f->cancels = bytes_varint(in);
		in->is_bad |= f->divided > WIRE_DIVIDED_MAX;
		load_schedule(in, &f->schedule);
	}
	for (size_t n = bytes_count(in, 9); n-- && !in->is_bad;)
		load_outcome(in, vec_add(&read.outcomes));
	struct race_schedule *by = NULL;
	for (size_t n = bytes_count(in, 11); n-- && !in->is_bad;) {
		load_race(in, vec_add(&read.races.found), by);
		by = vec_last(&read.races.found).by;
	}
	result_merge(r, &read);
	explore_result_release(&read);
	return !in->is_bad && !in->left;
}

bool result_load_counts(struct explore_result *r, struct bytes *in)
{
	struct explore_gaps *g = &r->gaps;
	uint64_t flags;
	uint64_t *const counts[] = { &r->executions,  &r->redundant,	  &r->given_up,
				     &r->dropped,     &r->bounded,	  &g->step_limit,
				     &g->lost,	      &g->diverged,	  &g->failed_plans,
				     &g->full,	      &g->outside_writes, &g->open_choices,
				     &g->unstable,    &g->interruptible,  &g->thread_limit,
				     &g->round_limit, &r->drawn,	  &g->asynchronous,
				     &flags };
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		*counts[i] = bytes_varint(in);
	g->is_unsupported = flags & 1;
	if (flags & 2)
		r->stop = STOP_FOUND;
	r->races.left_out = flags >> 2 & 1;
	r->races.more = flags >> 3 & 1;
	bytes_read(in, g->text, sizeof(g->text));
	g->text[sizeof(g->text) - 1] = 0;
	bytes_read(in, &r->seconds, sizeof(r->seconds));
	in->is_bad |= !(r->seconds >= 0 && r->seconds < 1e12);
	for (size_t i = 0; i < r->failures.len; i++) {
		r->failures.at[i].executions = bytes_varint(in);
		r->failures.at[i].drawn = bytes_varint(in);
	}
	for (size_t i = 0; i < r->outcomes.len; i++) {
		r->outcomes.at[i].executions = bytes_varint(in);
		r->outcomes.at[i].drawn = bytes_varint(in);
	}
	for (size_t i = 0; i < r->races.found.len; i++) {
		r->races.found.at[i].executions = bytes_varint(in);
		r->races.found.at[i].drawn = bytes_varint(in);
	}
	r->polled = bytes_varint(in);
	for (size_t n = bytes_count(in, 3); n-- && !in->is_bad;) {
		struct explore_poll *p = vec_add(&r->polls);
		p->pc = bytes_varint(in);
		p->rounds = bytes_varint(in);
		p->cut = bytes_varint(in);
	}
	in->is_bad |= r->polls.len > EXPLORE_POLLS_MAX;
	wide_load(&r->races.wide, in);
	return !in->is_bad;
}
