/* SPDX-License-Identifier: Apache-2.0 */
/* Results in bytes, for the ledger; see ledger.h. */
#include "explore/ledger.h"

/* ---- writing ---- */

static void save_schedule(const struct schedule *s, struct buf *out)
{
	buf_varint(out, s->preemptions);
	buf_varint(out, s->turns.len);
	for (size_t i = 0; i < s->turns.len; i++) {
		buf_varint(out, (uint64_t)s->turns.at[i].thread << 1 | (s->turns.at[i].kind == TURN_FLUSH));
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
	save_schedule(&o->schedule, out);
}

static void save_race(const struct race *race, struct buf *out)
{
	buf_varint(out, race->first_pc);
	buf_varint(out, race->second_pc);
	buf_varint(out, race->address);
	buf_varint(out, race->first_thread);
	buf_varint(out, race->second_thread);
	buf_varint(out, race->first_kind);
	buf_varint(out, race->second_kind);
	buf_varint(out, race->second_hook);
	save_schedule(&race->schedule, out);
}

void result_save_found(const struct explore_result *r, size_t failures, size_t outcomes, size_t races,
		       struct buf *out)
{
	buf_varint(out, r->failures.len - failures);
	for (size_t i = failures; i < r->failures.len; i++) {
		buf_varint(out, r->failures.at[i].failure);
		buf_varint(out, r->failures.at[i].pc);
		save_schedule(&r->failures.at[i].schedule, out);
	}
	buf_varint(out, r->outcomes.len - outcomes);
	for (size_t i = outcomes; i < r->outcomes.len; i++)
		save_outcome(&r->outcomes.at[i], out);
	buf_varint(out, r->races.found.len - races);
	for (size_t i = races; i < r->races.found.len; i++)
		save_race(&r->races.found.at[i], out);
}

void result_save_counts(const struct explore_result *r, struct buf *out)
{
	const struct explore_gaps *g = &r->gaps;
	const uint64_t counts[] = { r->executions,    r->redundant,	 r->dropped,	  r->bounded,
				    g->step_limit,    g->lost,		 g->diverged,	  g->failed_plans,
				    g->full,	      g->outside_writes, g->open_choices, g->unstable,
				    (uint64_t)g->is_unsupported | (uint64_t)(r->stop == STOP_FOUND) << 1 |
					    (uint64_t)(r->races.left_out > 0) << 2 };
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		buf_varint(out, counts[i]);
	buf_add(out, g->text, sizeof(g->text));
	buf_add(out, &r->seconds, sizeof(r->seconds));
	for (size_t i = 0; i < r->failures.len; i++)
		buf_varint(out, r->failures.at[i].executions);
	for (size_t i = 0; i < r->outcomes.len; i++)
		buf_varint(out, r->outcomes.at[i].executions);
	for (size_t i = 0; i < r->races.found.len; i++)
		buf_varint(out, r->races.found.at[i].executions);
}

/* ---- reading ---- */

static void load_schedule(struct bytes *in, struct schedule *s)
{
	s->preemptions = bytes_varint(in);
	for (size_t n = bytes_count(in, 2); n-- && !in->is_bad;) {
		uint64_t thread = bytes_varint(in);
		struct wire_turn turn = { (uint32_t)(thread >> 1), thread & 1 ? TURN_FLUSH : TURN_STEP,
					  bytes_varint(in) };
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
	load_schedule(in, &o->schedule);
}

static void load_race(struct bytes *in, struct race *race)
{
	race->first_pc = bytes_varint(in);
	race->second_pc = bytes_varint(in);
	race->address = bytes_varint(in);
	race->first_thread = (uint32_t)bytes_varint(in);
	race->second_thread = (uint32_t)bytes_varint(in);
	race->first_kind = (uint8_t)bytes_varint(in);
	race->second_kind = (uint8_t)bytes_varint(in);
	race->second_hook = bytes_varint(in);
	load_schedule(in, &race->schedule);
}

bool result_load_found(struct explore_result *r, struct bytes *in)
{
	struct explore_result read = {0};
	for (size_t n = bytes_count(in, 4); n-- && !in->is_bad;) {
		struct explore_failure *f = vec_add(&read.failures);
		f->failure = (uint32_t)bytes_varint(in);
		f->pc = bytes_varint(in);
		load_schedule(in, &f->schedule);
	}
	for (size_t n = bytes_count(in, 9); n-- && !in->is_bad;)
		load_outcome(in, vec_add(&read.outcomes));
	for (size_t n = bytes_count(in, 11); n-- && !in->is_bad;)
		load_race(in, vec_add(&read.races.found));
	result_merge(r, &read);
	explore_result_release(&read);
	return !in->is_bad && !in->left;
}

bool result_load_counts(struct explore_result *r, struct bytes *in)
{
	struct explore_gaps *g = &r->gaps;
	uint64_t flags;
	uint64_t *const counts[] = { &r->executions, &r->redundant,	 &r->dropped,	   &r->bounded,
				     &g->step_limit, &g->lost,		 &g->diverged,	   &g->failed_plans,
				     &g->full,	     &g->outside_writes, &g->open_choices, &g->unstable,
				     &flags };
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		*counts[i] = bytes_varint(in);
	g->is_unsupported = flags & 1;
	if (flags & 2)
		r->stop = STOP_FOUND;
	r->races.left_out = flags >> 2 & 1;
	bytes_read(in, g->text, sizeof(g->text));
	g->text[sizeof(g->text) - 1] = 0;
	bytes_read(in, &r->seconds, sizeof(r->seconds));
	in->is_bad |= !(r->seconds >= 0 && r->seconds < 1e12);
	for (size_t i = 0; i < r->failures.len; i++)
		r->failures.at[i].executions = bytes_varint(in);
	for (size_t i = 0; i < r->outcomes.len; i++)
		r->outcomes.at[i].executions = bytes_varint(in);
	for (size_t i = 0; i < r->races.found.len; i++)
		r->races.found.at[i].executions = bytes_varint(in);
	return !in->is_bad;
}
