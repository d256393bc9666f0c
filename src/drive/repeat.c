/* SPDX-License-Identifier: Apache-2.0 */
/* An execution made again with all its events; see repeat.h. */
#include "drive/repeat.h"

#include <sys/wait.h>

#include "base/alloc.h"
#include "drive/recording.h"
#include "drive/streams.h"
#include "exec/worker.h"

static void ignore_warning(void *arg, const char *text)
{
	(void)arg;
	(void)text;
}

static void configure_plan(const struct repeat_request *q, struct session_explore *explore,
			   struct run_options *run)
{
	*explore = (struct session_explore){
		.restart = RESTART_EXEC,
		.step_limit = q->step_limit,
		.thread_limit = q->thread_limit,
		.round_limit = q->round_limit,
		.loop_limit = q->loop_limit,
		.counts_waits = q->counts_waits,
		.recorded = q->plan,
	};
	*run = (struct run_options){
		.session = {
			.path = q->target->path.at,
			.argv = q->argv,
			.policy = POLICY_EXPLORE,
			.step_limit = q->step_limit,
			.until_event = UINT64_MAX,
			.memory = q->memory,
			.heap = q->heap,
			.spurious_wakeups = q->spurious_wakeups,
			.backend = q->backend,
			.explore = explore,
			.divided = q->divided,
		},
	};
}

static void configure(const struct repeat_request *q, struct session_explore *explore,
		      struct run_options *run)
{
	if (q->plan) {
		configure_plan(q, explore, run);
	} else {
		struct recording recording = { .seed = q->seed, .steps = q->step_limit };
		recording_configure(&recording, q->target, q->argv, run);
	}
	run->session.mask = q->mask;
	run->timeout = q->timeout;
	run->end_by = q->end_by;
	run->is_dispensable = true;
	run->warn = ignore_warning; /* the first execution has warned */
}

/* By a signal from outside: what the program does to itself is a finding. */
static bool was_killed(const struct repeat *r)
{
	return (r->result.end == RUN_ENDED || r->result.end == RUN_UNCONTROLLED) &&
	       WIFSIGNALED(r->result.wait_status) && !r->observer.findings.list.len;
}

struct watching {
	const struct repeat_request *request;
	struct observer *observer;
};

static int pass_on(void *arg, const struct event *e, struct err *err)
{
	(void)err;
	struct watching *w = arg;
	w->request->watch(w->request->watch_arg, w->observer, e);
	return 0;
}

static int run_once(const struct repeat_request *q, struct repeat *r, struct err *err)
{
	struct watching watching = { q, &r->observer };
	struct streams streams;
	repeat_nothing(q->target, q->all_frames, r);
	if (q->watch) {
		q->watch(q->watch_arg, &r->observer, NULL);
		r->observer.judge = pass_on;
		r->observer.judge_arg = &watching;
	}
	streams_init(&streams);
	streams_hide_output(&streams);
	if (q->input == REPEAT_INPUT_GIVEN)
		streams_give_input(&streams, q->input_bytes, q->input_size);
	else if (q->input == REPEAT_INPUT_REWOUND)
		streams_rewind_input(&streams);
	int rc = observer_run(&r->observer, &r->run, &r->result, err);
	streams_restore(&streams);
	r->observer.judge = NULL;
	return rc;
}

int repeat_execution(const struct repeat_request *q, struct repeat *r, struct err *err)
{
	struct session_explore explore;
	configure(q, &explore, &r->run);
	int rc = run_once(q, r, err);
	/* As in the search (exec/worker.h). */
	for (int tries = 1; tries < WORKER_TRIES && !rc && was_killed(r); tries++) {
		observer_release(&r->observer);
		rc = run_once(q, r, err);
	}
	r->run.session.explore = NULL;
	return rc;
}

void repeat_nothing(const struct target *target, bool all_frames, struct repeat *r)
{
	observer_init(&r->observer, target->path.at, true);
	r->observer.names.all_frames = all_frames;
}

void repeat_release(struct repeat *r)
{
	observer_release(&r->observer);
}

int repeat_write_witness(const struct repeat_request *q, const struct repeat_shows *shows,
			 const char *path, bool *is_written, struct err *err)
{
	struct repeat r;
	int rc = repeat_execution(q, &r, err);
	struct observer *o = &r.observer;
	*is_written = !rc && r.result.end == RUN_ENDED && (o->findings.list.len || !shows->fails);
	if (*is_written && !o->findings.list.len) {
		o->witness.kind = mem_strdup(shows->kind);
		o->witness.message = mem_strdup(shows->message);
	}
	if (*is_written)
		rc = observer_write_witness(o, q->target, q->argv, &r.run, path, err);
	repeat_release(&r);
	return rc;
}
