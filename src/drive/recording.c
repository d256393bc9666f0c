/* SPDX-License-Identifier: Apache-2.0 */
/* How a run is recorded; see recording.h. */
#include "drive/recording.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/settings.h"
#include "drive/streams.h"
#include "heddle/version.h"

const char *const recording_schedules[] = { "random", "pct", "roundrobin", NULL };
const char *const recording_accesses[] = { "chunks", "records", TRACE_ACCESSES_SHARED, NULL };
const char *const recording_branches[] = { "path", TRACE_BRANCHES_FULL, NULL };

/*
 * Some bugs need many preemptions in a row, others one at the right place in a long run: without
 * a wish of the user, seeds that follow each other try both.
 */
static uint32_t preempt_of(const struct recording *r)
{
	static const uint32_t by_seed[] = { 100, 3, 10, 30 };
	static const uint32_t by_schedule[] = { 0, 3, 20 };
	if (r->preempt)
		return (uint32_t)r->preempt;
	return r->schedule ? by_schedule[r->schedule] : by_seed[r->seed % 4];
}

void recording_configure(const struct recording *r, const struct target *p, char *const *argv,
			 struct run_options *run)
{
	static const enum wire_policy policies[] = { POLICY_RANDOM, POLICY_PCT, POLICY_ROUNDROBIN };
	*run = (struct run_options){
		.session = {
			.path = p->path.at,
			.argv = argv,
			.policy = policies[r->schedule],
			.preempt = preempt_of(r),
			.length = r->length,
			.seed = r->seed,
			.step_limit = r->steps,
			.until_event = UINT64_MAX,
			.plain_accesses = r->accesses == ACCESSES_RECORDS,
			.branch_events = r->branches == 1,
			.memory = (enum wire_memory)r->memory,
			.heap = (enum wire_heap)r->heap,
		},
	};
}

static void number_fact(struct trace_writer *w, const char *name, uint64_t n)
{
	char digits[24];
	snprintf(digits, sizeof(digits), "%llu", (unsigned long long)n);
	trace_writer_fact(w, name, digits);
}

/* Nothing here depends on when and with which randomisation the program ran; its environment is
 * an input like any. */
void recording_write_facts(struct trace_writer *w, const struct recording *r,
			   const struct run_options *run, const struct target *p)
{
	trace_writer_fact(w, "tool", "heddle " HEDDLE_VERSION);
	trace_writer_fact(w, "program", p->path.at);
	trace_writer_fact(w, "build-id", p->info.build_id);
	for (size_t i = 1; run->session.argv[i]; i++) {
		char name[32];
		snprintf(name, sizeof(name), "arg.%zu", i - 1);
		trace_writer_fact(w, name, run->session.argv[i]);
	}
	if (strcmp(run->session.argv[0], p->path.at))
		trace_writer_fact(w, "name", run->session.argv[0]);
	for (size_t i = 0; environ[i]; i++) {
		char name[32];
		snprintf(name, sizeof(name), "env.%zu", i);
		trace_writer_fact(w, name, environ[i]);
	}
	if (!environ[0]) /* so that it is not taken for unknown */
		trace_writer_fact(w, "env.0", "");
	number_fact(w, "seed", r->seed);
	trace_writer_fact(w, "schedule", recording_schedules[r->schedule]);
	number_fact(w, "preempt", run->session.preempt);
	if (r->length)
		number_fact(w, "length", r->length);
	number_fact(w, "steps", r->steps);
	trace_writer_fact(w, TRACE_FACT_BRANCHES, recording_branches[r->branches]);
	if (r->accesses == ACCESSES_SHARED)
		trace_writer_fact(w, TRACE_FACT_ACCESSES, TRACE_ACCESSES_SHARED);
	trace_writer_fact(w, "memory-model", memory_names[r->memory]);
	trace_writer_fact(w, "heap", heap_names[r->heap]);
	trace_writer_fact(w, "clock", "causal");
	trace_writer_fact(w, "addresses", "canonical");
}

/* ---- a run for the tool itself ---- */

/* The run ended for a reason that lies in the tool or the machine. */
static int judge(const struct run_result *result, const char *program, struct err *err)
{
	switch (result->end) {
	case RUN_DAMAGED:
	case RUN_ASLEEP:
	case RUN_UNCONTROLLED:
	case RUN_UNSUPPORTED:
		return err_set(err, ERR_SUPPORT, "%s: %.800s", program, result->text.text);
	default:
		return 0;
	}
}

int record_run(const struct record_request *q, const char *trace, bool *is_interrupted,
	       struct err *err)
{
	struct target p;
	struct recording recording = { .seed = q->seed, .steps = q->steps };
	struct run_options run;
	struct run_result result;
	struct observer o;
	struct streams streams;
	int rc = target_find(&p, q->argv[0], err);
	if (rc) {
		target_release(&p);
		return rc;
	}
	recording_configure(&recording, &p, q->argv, &run);
	if (q->nanoseconds)
		run.end_by = clock_now_ns() + q->nanoseconds;
	run.session.mask = q->mask;
	observer_init(&o, p.path.at, false);
	rc = trace_writer_open(&o.writer, trace, TRACE_BINARY, err);
	if (!rc) {
		trace_writer_expect_chunks(o.writer);
		recording_write_facts(o.writer, &recording, &run, &p);
		o.trace_path = trace;
		streams_init(&streams);
		streams_hide_output(&streams);
		streams_rewind_input(&streams);
		rc = observer_run(&o, &run, &result, err);
		streams_restore(&streams);
	}
	if (!rc)
		rc = judge(&result, p.path.at, err);
	*is_interrupted = !rc && result.end == RUN_INTERRUPTED;
	observer_release(&o);
	target_release(&p);
	return rc;
}
