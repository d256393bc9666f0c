/* SPDX-License-Identifier: Apache-2.0 */
/* Record, predict, confirm, one run after the other, within the time that is given. */
#include <stdio.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/stop.h"
#include "drive/recording.h"
#include "prediction/prediction.h"

#define RECORDING_SHARE 4 /* a recorded run may take one in so many parts of the time */
/* hooks of a recorded run for each second that is left: a slow machine analyses so many */
#define HOOKS_PER_SECOND 100000
#define HOOKS_LEAST 50000

void prediction_stage(const struct prediction_request *q, const char *stage)
{
	if (q->stage)
		q->stage(q->arg, stage);
}

/* ---- time ---- */

/* Nanoseconds that are left; UINT64_MAX: there is no limit. */
static uint64_t time_left(const struct prediction_request *q)
{
	if (!q->end_ns)
		return UINT64_MAX;
	uint64_t now = clock_now_ns();
	return q->end_ns > now ? q->end_ns - now : 0;
}

bool prediction_is_over(const struct prediction_request *q)
{
	stop_watch(q->is_interrupted, q->end_ns);
	return stop_is_requested();
}

/*
 * How many hooks a recorded run may pass.  A program that does not end passes many in a short
 * time, since recording costs less than analysis.
 */
static uint64_t recording_steps(const struct prediction_request *q)
{
	uint64_t left = time_left(q);
	uint64_t steps =
		left == UINT64_MAX ? RECORDING_STEPS : left / (1000000000 / HOOKS_PER_SECOND);
	steps = steps < HOOKS_LEAST ? HOOKS_LEAST : steps;
	return steps < RECORDING_STEPS ? steps : RECORDING_STEPS;
}

/*
 * How long a recorded run may take: what it shows is to be analysed, too, so a program that does
 * not end gets a part of the time that is left.  Nanoseconds; 0: no limit.
 */
static uint64_t recording_time(const struct prediction_request *q)
{
	uint64_t wanted = q->timeout * 1000000000ull, left = time_left(q);
	uint64_t share = left == UINT64_MAX ? 0 : left / RECORDING_SHARE + 1;
	return wanted && share ? (wanted < share ? wanted : share) : wanted + share;
}

/* ---- traces ---- */

static int predict_trace(struct prediction_request *q, const char *trace, uint64_t seed,
			 bool has_little_time, struct prediction_result *r, struct err *err)
{
	struct predicted *p = mem_zero(1, sizeof(*p));
	p->shows_failures = q->runs != 0;
	p->seed = seed;
	p->has_little_time = has_little_time;
	int rc = predicted_make(p, q, trace, err);
	if (!rc) {
		prediction_result_take(r, p);
		return 0;
	}
	predicted_release(p);
	mem_free(p);
	return rc;
}

/* Record, predict, confirm, one seed after the other. */
static int predict_runs(struct prediction_request *q, struct prediction_result *r, struct err *err)
{
	struct buf trace = { 0 };
	int rc = file_temporary(&trace, err);
	if (rc)
		return rc;
	for (uint64_t i = 0; i < q->runs && !rc && !prediction_is_over(q); i++) {
		char stage[64];
		snprintf(stage, sizeof(stage), "run %llu of %llu", (unsigned long long)(i + 1),
			 (unsigned long long)q->runs);
		prediction_stage(q, stage);
		const struct record_request how = { q->program_argv, q->seed + i, recording_time(q),
						    recording_steps(q), q->mask };
		bool was_interrupted = false;
		rc = record_run(&how, trace.at, &was_interrupted, err);
		if (was_interrupted)
			*q->is_interrupted = 1;
		if (rc || was_interrupted)
			break;
		r->runs++;
		rc = predict_trace(q, trace.at, how.seed, how.steps < RECORDING_STEPS, r, err);
	}
	r->is_cut_off |= r->runs < q->runs;
	unlink(trace.at);
	buf_release(&trace);
	return rc;
}

/* Why there may be more than was found. */
static const char *gap_of(const struct prediction_request *q, const struct prediction_result *r)
{
	if (*q->is_interrupted)
		return "it was interrupted";
	if (r->is_cut_off)
		return "the time is over";
	if (r->is_short_of_memory)
		return "the memory is not enough for the whole trace";
	if (r->is_incomplete)
		return "the trace is cut off";
	if (r->unknown)
		return "some questions were too large";
	return r->left_out ? "too many instances of the same places to ask about all of them"
			   : NULL;
}

int prediction_make(struct prediction_request *q, const char *trace, struct prediction_result *r,
		    struct err *err)
{
	int rc = q->runs ? predict_runs(q, r, err) : predict_trace(q, trace, 0, false, r, err);
	r->gap = gap_of(q, r);
	return rc ? rc : prediction_write_witnesses(r, q, trace, err);
}
