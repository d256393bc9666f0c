/* SPDX-License-Identifier: Apache-2.0 */
/* One replay: a forced schedule, and every event compared; see replay.h. */
#include "drive/replay.h"

#include "base/alloc.h"

/* Compare, and take the two accesses of a race that the witness is of. */
static int judge_event(void *arg, const struct event *e, struct err *err)
{
	struct replay *r = arg;
	const struct witness *w = r->compare.witness;
	struct observer *o = r->compare.run;
	int rc = compare_event(&r->compare, e, err);
	if (rc || !witness_has_race(w))
		return rc;
	if (e->index == w->race[0])
		race_side_take(&r->first, e, &o->scene);
	if (e->index == w->race[1] && r->first.is_taken) {
		race_side_take(&r->second, e, &o->scene);
		struct finding f = finding_of_race(&r->first, &r->second, &o->scene, &o->names);
		f.status = FINDING_CONFIRMED;
		vec_push(&o->findings.list, f);
	}
	return 0;
}

/* Whether the run is the recorded one, after it ended. */
static int judge_end(struct replay *replay, uint64_t until, struct err *err)
{
	struct compare *c = &replay->compare;
	const struct reference *ref = replay->reference;
	const struct run_result *r = &replay->result;
	if (r->diverged)
		return compare_explain(c, r, err);
	if (r->end == RUN_UNTIL && witness_has_race(&ref->witness))
		return 0;
	if (r->end == RUN_UNTIL) {
		/* What a sparse trace has of the last events is not compared yet. */
		if (ref->is_sparse && until >= ref->witness.events &&
		    !reference_ends_by_itself(ref))
			return compare_end(c, err);
		if (until < ref->witness.events || !reference_ends_by_itself(ref))
			return 0;
		return err_set(
			err, ERR_DIVERGED,
			"the replay diverged: the program goes on after event %llu, where the "
			"recorded run ended",
			(unsigned long long)ref->witness.events);
	}
	return r->end == RUN_ENDED ? compare_end(c, err) : 0;
}

static void configure(struct replay *r, const struct target *p, char *const *argv, int inputs)
{
	const struct witness *w = &r->reference->witness;
	uint64_t end = reference_end(r->reference);
	r->run = (struct run_options){
		.session = {
			.path = p->path.at,
			.argv = argv,
			.environment = w->environment.len ? w->environment.at : NULL,
			.policy = POLICY_REPLAY,
			.memory = w->memory,
			.heap = w->heap,
			.spurious_wakeups = (uint32_t)w->spurious_wakeups,
			.awaits = w->awaits,
			.divided = &w->divided,
			.waits_for_stores = w->waits_for_stores,
			.step_limit = w->step_limit,
			.until_event = r->until < end ? r->until : end,
			.schedule = r->schedule.steps.at,
			.schedule_count = r->schedule.steps.len,
			.choices = r->schedule.choices.at,
			.choices_count = r->schedule.choices.len,
			.inputs_fd = inputs,
			.inputs_size = w->inputs.size,
			.branch_events = w->has_branches,
		},
	};
}

int replay_prepare(struct replay *r, struct reference *ref, const struct target *p,
		   char *const *argv, uint64_t until, struct err *err)
{
	*r = (struct replay){ .reference = ref, .until = until };
	if (ref->witness.environment.len)
		vec_push(&ref->witness.environment, NULL); /* as execve wants it */
	witness_schedule(&ref->witness, &r->schedule);
	observer_init(&r->observer, p->path.at, true);
	r->compare.run = &r->observer;
	r->compare.witness = &ref->witness;
	r->observer.judge = judge_event;
	r->observer.judge_arg = r;
	r->observer.status = FINDING_CONFIRMED;
	int inputs;
	int rc = inputs_file(&ref->witness.inputs, &inputs, err);
	if (!rc)
		configure(r, p, argv, inputs);
	return rc;
}

void replay_use_debugger(struct replay *r, const struct debugger_config *debugger)
{
	r->run.session.has_debugger = true;
	r->run.session.plain_accesses = true;
	r->compare.ignores_hashes = true;
	r->run.debugger = debugger;
}

static int open_output(struct replay *r, const char *path, struct err *err)
{
	struct observer *o = &r->observer;
	int rc = trace_writer_open(&o->writer, path, TRACE_BINARY, err);
	if (rc)
		return rc;
	trace_writer_expect_chunks(o->writer);
	reference_write_facts(r->reference, o->writer);
	return 0;
}

int replay_run(struct replay *r, const char *output, struct err *err)
{
	int rc = 0;
	if (r->reference->is_trace)
		rc = trace_reader_open(&r->compare.trace, r->reference->path, err);
	if (!rc && r->reference->is_sparse)
		compare_only_shared(&r->compare);
	if (!rc && output)
		rc = open_output(r, output, err);
	if (!rc)
		rc = observer_run(&r->observer, &r->run, &r->result, err);
	if (!rc)
		rc = judge_end(r, r->until, err);
	if (rc == -ERR_DIVERGED) {
		r->result.end = RUN_DIVERGED;
		r->result.text = *err;
		rc = 0;
	}
	return rc;
}

void replay_release(struct replay *r)
{
	compare_release(&r->compare);
	race_side_release(&r->first);
	race_side_release(&r->second);
	observer_release(&r->observer);
	witness_schedule_release(&r->schedule);
}
