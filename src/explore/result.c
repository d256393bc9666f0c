/* SPDX-License-Identifier: Apache-2.0 */
/* What an exploration has shown so far; see explore.h. */
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "explore/explore.h"
#include "explore/loops.h"

#define CHOICES_MAX 1024 /* alternatives of one choice: more are not all tried */

static void collect_output(struct outcome *o, const struct execution *x)
{
	OPS_EACH (op, x->ops, x->ops_count) {
		if (op->kind == OP_OUTPUT)
			buf_add(op->object == 2 ? &o->errors : &o->output, op + 1, op->size);
	}
}

static void outcome_release(struct outcome *o)
{
	buf_release(&o->output);
	buf_release(&o->errors);
	schedule_release(&o->schedule);
}

/* Of the lines as a multiset: a sum does not depend on their order.  What follows the last
 * newline is a line that differs from the same text with a newline. */
static uint64_t hash_lines(uint64_t seed, const struct buf *b)
{
	uint64_t sum = 0;
	for (size_t at = 0; at < b->len;) {
		const char *newline = memchr(b->at + at, '\n', b->len - at);
		size_t end = newline ? (size_t)(newline - b->at) + 1 : b->len;
		sum += hash_mix(seed, hash_bytes(seed, b->at + at, end - at));
		at = end;
	}
	return hash_mix(seed, sum);
}

static uint64_t outcome_key(const struct explore_config *c, const struct outcome *o)
{
	uint64_t h = c->ignores_output_order
			     ? hash_mix(hash_lines(1, &o->output), hash_lines(2, &o->errors))
			     : hash_bytes(hash_bytes(1, o->output.at, o->output.len), o->errors.at,
					  o->errors.len);
	return hash_mix(hash_mix(h, (uint64_t)o->end << 32 | (uint32_t)o->exit_status), o->failure);
}

static void note_outcome(const struct explore_config *c, struct explore_result *r,
			 const struct execution *x, bool is_drawn)
{
	struct outcome o = { .end = x->end,
			     .exit_status = x->end == EXPLORE_EXIT ? x->exit_status : 0,
			     .failure = x->end == EXPLORE_FAILURE ? x->failure : 0,
			     .failure_detail = x->end == EXPLORE_FAILURE ? x->failure_detail : 0 };
	collect_output(&o, x);
	bool is_new;
	o.key = outcome_key(c, &o);
	uint64_t *at = map_put(&r->outcome_of, o.key, &is_new);
	if (is_new) {
		*at = r->outcomes.len;
		schedule_of(&o.schedule, x);
		vec_push(&r->outcomes, o);
	} else {
		outcome_release(&o);
	}
	*(is_drawn ? &r->outcomes.at[*at].drawn : &r->outcomes.at[*at].executions) += 1;
}

/* A deadlock has no place in the code: which threads wait where distinguishes several. */
static uint64_t failure_key(const struct explore_failure *f)
{
	return hash_mix(hash_mix(1, f->failure), f->pc);
}

static void note_failure(const struct explore_config *c, struct explore_result *r,
			 const struct execution *x, bool is_drawn)
{
	struct explore_failure f = { .divided = c->divided ? c->divided->count : 0,
				     .signals = c->divided ? c->divided->signals : 0,
				     .cancels = c->divided ? c->divided->cancels : 0,
				     .loops = loops_age(c->divided) };
	if (!explore_failure_of(x, &f.failure, &f.pc))
		return;
	bool is_new;
	uint64_t *at = map_put(&r->failure_of, failure_key(&f), &is_new);
	if (is_new) {
		*at = r->failures.len;
		schedule_of(&f.schedule, x);
		vec_push(&r->failures, f);
	}
	r->failures.at[*at].executions++;
	r->failures.at[*at].drawn += is_drawn;
}

/* A drawn execution that was cut or lost leaves no gap: nothing follows from it.  What was wrong
 * with the program in it is. */
static void note_gap(struct explore_result *r, const struct execution *x, const struct taken *t)
{
	struct explore_gaps *g = &r->gaps;
	bool is_lost = x->end == EXPLORE_UNSUPPORTED || (x->end == EXPLORE_GONE && !t->is_drawn);
	g->step_limit += x->end == EXPLORE_STEP_LIMIT && !t->is_drawn;
	g->thread_limit += x->end == EXPLORE_THREAD_LIMIT && !t->is_drawn;
	g->round_limit += x->is_round_cut && !t->is_drawn;
	g->full += x->end == EXPLORE_FULL && !t->is_drawn;
	g->diverged += x->end == EXPLORE_DIVERGED && !t->was_test;
	g->lost += is_lost;
	g->outside_writes += x->has_outside_writes;
	g->unstable += x->is_unstable;
	g->is_unsupported |= x->end == EXPLORE_UNSUPPORTED;
	if (is_lost && !g->text[0])
		snprintf(g->text, sizeof(g->text), "%s", x->text);
	OPS_EACH (op, x->ops, x->ops_count) {
		g->open_choices += (op->kind == EV_CHOICE && op->size > CHOICES_MAX) ||
				   (op->kind == OP_STEP && op->flags & OPF_BOUNDED);
		if (op->kind == EV_HIDDEN && op->mode == HIDDEN_PENDING &&
		    op->value >= PENDING_SENT)
			r->signalled |= wire_signals_bit(op->object - PENDING_OF(0));
		g->interruptible += op->kind == OP_STEP && op->flags & OPF_INTERRUPTIBLE;
		if (op->kind == EV_CANCEL && op->object != UINT64_MAX)
			r->cancelled |= wire_signals_bit(op->object);
		g->asynchronous += op->kind == OP_STEP && op->flags & OPF_ASYNCHRONOUS;
	}
}

static void note_poll(struct explore_result *r, const struct explore_poll *poll)
{
	size_t i = 0;
	while (i < r->polls.len && r->polls.at[i].pc < poll->pc)
		i++;
	if (i == r->polls.len || r->polls.at[i].pc != poll->pc) {
		if (r->polls.len == EXPLORE_POLLS_MAX)
			return;
		vec_add(&r->polls);
		memmove(r->polls.at + i + 1, r->polls.at + i,
			(r->polls.len - 1 - i) * sizeof(*poll));
		r->polls.at[i] = *poll;
		return;
	}
	r->polls.at[i].cut += poll->cut;
	if (poll->rounds > r->polls.at[i].rounds)
		r->polls.at[i].rounds = poll->rounds;
}

uint64_t explore_polled(const struct execution *x)
{
	uint64_t most = 0;
	for (size_t i = 0; i < x->polls_count; i++)
		most = x->polls[i].rounds > most ? x->polls[i].rounds : most;
	return most >= WIRE_POLL_ROUNDS ? most - WIRE_POLL_ROUNDS + 1 : 0;
}

static void note_polls(struct explore_result *r, const struct execution *x, const struct taken *t)
{
	for (size_t i = 0; i < x->polls_count; i++) {
		const struct wire_poll *p = &x->polls[i];
		note_poll(r, &(struct explore_poll){ p->pc, p->rounds, p->is_cut && !t->is_drawn });
	}
	for (size_t i = 0; i < x->loop_hooks_count; i++)
		loops_note(r, &x->loop_hooks[i]);
	r->polled += t->is_drawn ? 0 : explore_polled(x);
}

void result_note(const struct explore_config *c, struct explore_result *r,
		 const struct execution *x, const struct taken *t)
{
	note_gap(r, x, t);
	note_polls(r, x, t);
	r->most_hooks = x->hooks > r->most_hooks ? x->hooks : r->most_hooks;
	r->gaps.failed_plans += t->failed_plans;
	r->bounded += t->is_bounded;
	if (t->is_redundant) {
		r->redundant++;
		r->given_up += x->end == EXPLORE_REDUNDANT;
		return;
	}
	*(t->is_drawn ? &r->drawn : &r->executions) += 1;
	r->dropped += x->end == EXPLORE_ASSUMED && !t->is_drawn;
	/* What is not divided must be known, whether races are wanted or not. */
	if (c->finds_races || wide_is_in(x))
		races_find(&r->races, x, t->is_drawn);
	note_failure(c, r, x, t->is_drawn);
	if (c->keeps_outcomes && (x->end == EXPLORE_EXIT || x->end == EXPLORE_FAILURE))
		note_outcome(c, r, x, t->is_drawn);
}

/* ---- several into one ---- */

static void merge_gaps(struct explore_gaps *to, struct explore_gaps *from)
{
	to->step_limit += from->step_limit;
	to->thread_limit += from->thread_limit;
	to->round_limit += from->round_limit;
	to->lost += from->lost;
	to->diverged += from->diverged;
	to->failed_plans += from->failed_plans;
	to->full += from->full;
	to->outside_writes += from->outside_writes;
	to->unstable += from->unstable;
	to->open_choices += from->open_choices;
	to->interruptible += from->interruptible;
	to->asynchronous += from->asynchronous;
	to->is_unsupported |= from->is_unsupported;
	if (!to->text[0])
		memcpy(to->text, from->text, sizeof(to->text));
	*from = (struct explore_gaps){ 0 };
}

void result_merge(struct explore_result *to, struct explore_result *from)
{
	bool is_new;
	for (size_t i = 0; i < from->failures.len; i++) {
		struct explore_failure *f = &from->failures.at[i];
		uint64_t *at = map_put(&to->failure_of, failure_key(f), &is_new);
		if (is_new) {
			*at = to->failures.len;
			vec_push(&to->failures, *f);
		} else {
			to->failures.at[*at].executions += f->executions;
			to->failures.at[*at].drawn += f->drawn;
			schedule_release(&f->schedule);
		}
	}
	for (size_t i = 0; i < from->outcomes.len; i++) {
		struct outcome *o = &from->outcomes.at[i];
		uint64_t *at = map_put(&to->outcome_of, o->key, &is_new);
		if (is_new) {
			*at = to->outcomes.len;
			vec_push(&to->outcomes, *o);
		} else {
			to->outcomes.at[*at].executions += o->executions;
			to->outcomes.at[*at].drawn += o->drawn;
			outcome_release(o);
		}
	}
	from->failures.len = from->outcomes.len = 0;
	map_clear(&from->failure_of);
	map_clear(&from->outcome_of);
	for (size_t i = 0; i < from->polls.len; i++)
		note_poll(to, &from->polls.at[i]);
	from->polls.len = 0;
	to->polled += from->polled;
	from->polled = 0;
	races_merge(&to->races, &from->races);
	merge_gaps(&to->gaps, &from->gaps);
	to->signalled |= from->signalled;
	for (size_t i = 0; i < from->loops.len; i++)
		loops_note(to, &from->loops.at[i]);
	from->loops.len = 0;
	to->cancelled |= from->cancelled;
	to->most_hooks = from->most_hooks > to->most_hooks ? from->most_hooks : to->most_hooks;
	to->executions += from->executions;
	to->drawn += from->drawn;
	to->redundant += from->redundant;
	to->given_up += from->given_up;
	to->dropped += from->dropped;
	to->bounded += from->bounded;
	from->drawn = from->executions = from->redundant = from->given_up = from->dropped =
		from->bounded = 0;
}

void explore_result_release(struct explore_result *r)
{
	for (size_t i = 0; i < r->failures.len; i++)
		schedule_release(&r->failures.at[i].schedule);
	for (size_t i = 0; i < r->outcomes.len; i++)
		outcome_release(&r->outcomes.at[i]);
	vec_release(&r->failures);
	vec_release(&r->outcomes);
	vec_release(&r->spaces);
	vec_release(&r->polls);
	vec_release(&r->loops);
	map_release(&r->outcome_of);
	map_release(&r->failure_of);
	races_release(&r->races);
}

bool explore_cancels_at_any_time(const struct explore_result *r, const struct wire_divided *d)
{
	return r->gaps.asynchronous && (r->cancelled || (d && d->cancels));
}

bool explore_is_complete(const struct explore_config *c, const struct explore_result *r)
{
	const struct explore_gaps *g = &r->gaps;
	return r->stop == STOP_DONE && c->strategy->is_exhaustive && !r->is_partial &&
	       !r->bounded && !g->step_limit && !g->thread_limit && !g->round_limit && !g->lost &&
	       !g->diverged && !g->failed_plans && !g->full && !g->outside_writes &&
	       !g->open_choices && !g->interruptible && !g->unstable &&
	       !explore_cancels_at_any_time(r, c->divided) &&
	       !(r->cancelled & ~(c->divided ? c->divided->cancels : 0)) && !r->races.left_out &&
	       !r->races.more;
}
