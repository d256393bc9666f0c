/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An execution that matters is made again with all its events, so that a report can show it and a witness can
 * have it replayed.  What the program writes is not shown.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "cmd/check.h"
#include "cmd/cmd.h"
#include "cmd/hidden_output.h"

#define INPUT_PIPE_MAX (1 << 20)	/* what the system allows anybody */

/* ---- kinds ---- */

static const struct {
	uint32_t number;
	enum finding_kind kind;
} failure_kinds[] = {
#define FAILURE(number, NAME, KIND, sentence) { number, FINDING_##KIND },
#include "wire/failure.def"
};

bool check_wants_kind(const struct check_options *o, enum finding_kind kind)
{
	if (!o->kinds)
		return true;
	for (const char *at = o->kinds; *at; at += *at == ',') {
		size_t len = strcspn(at, ",");
		if (finding_kind_named(at, len) == (int)kind)
			return true;
		at += len;
	}
	return false;
}

int check_failure_kind(uint32_t failure)
{
	for (size_t i = 0; i < sizeof(failure_kinds) / sizeof(failure_kinds[0]); i++)
		if (failure_kinds[i].number == failure)
			return (int)failure_kinds[i].kind;
	return -1;
}

bool check_wants_failure(const struct check_options *o, uint32_t failure)
{
	int kind = check_failure_kind(failure);
	return kind < 0 || check_wants_kind(o, (enum finding_kind)kind);
}

/* ---- the execution ---- */

static struct check_repeat *add_repeat(struct check *c, size_t *index)
{
	struct check_repeat *r = mem_zero(1, sizeof(*r));
	*index = c->repeats.len;
	vec_push(&c->repeats, r);
	return r;
}

/* By a signal from outside: what the program does to itself is a finding. */
static bool was_killed(const struct check_repeat *r)
{
	return (r->result.end == RUN_ENDED || r->result.end == RUN_UNCONTROLLED) &&
	       WIFSIGNALED(r->result.wait_status) && !r->observer.findings.list.len;
}

/* What the watchdog says in passing was said while the search ran. */
static void ignore(void *arg, const char *text)
{
	(void)arg;
	(void)text;
}

/*
 * What the search read from standard input is there again, through a pipe, as it was for the search; gives
 * what it was before.  -1: nothing is known of it, or it does not fit, and it stays.
 */
static int give_input(const struct check *c)
{
	const struct wire_explore *x = c->outside ? c->outside->explore : NULL;
	size_t count = x && x->input_count <= x->input_room ? (size_t)x->input_count : 0;
	int ends[2], kept = -1;
	if (!x || (!count && !x->input_has_ended) || pipe2(ends, O_CLOEXEC | O_NONBLOCK))
		return -1;
	fcntl(ends[1], F_SETPIPE_SZ, (int)(count < INPUT_PIPE_MAX ? count + 1 : INPUT_PIPE_MAX));
	bool fits = !file_write_fd(ends[1], (const char *)x + x->input_offset, count);
	if (fits && !fcntl(ends[0], F_SETFL, 0)) {
		kept = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
		if (kept >= 0)
			dup2(ends[0], STDIN_FILENO);
	}
	close(ends[0]);
	close(ends[1]);
	return kept;
}

struct watching {
	check_watch *watch;
	void *arg;
	struct check_repeat *repeat;
};

static int pass_on(void *arg, const struct event *e, struct err *err)
{
	(void)err;
	struct watching *w = arg;
	w->watch(w->arg, w->repeat, e);
	return 0;
}

static int run_once(struct check *c, struct check_repeat *r, struct watching *w, struct err *err)
{
	observer_init(&r->observer, c->program.path.at, true);
	r->observer.names.all_frames = c->options.all_frames;
	if (w->watch) {
		w->watch(w->arg, r, NULL);
		r->observer.judge = pass_on;
		r->observer.judge_arg = w;
	}
	struct hidden_output kept;
	hide_output(&kept);
	int input = give_input(c);
	int rc = observer_run(&r->observer, &r->run, &r->result, err);
	if (input >= 0) {
		dup2(input, STDIN_FILENO);
		close(input);
	}
	show_output(&kept);
	r->observer.judge = NULL;
	return rc;
}

int check_repeat(struct check *c, const struct plan *plan, check_watch *watch, void *watch_arg, size_t *index,
		 struct err *err)
{
	struct session_explore explore = {
		.restart = RESTART_EXEC,
		.step_limit = c->options.steps,
		.thread_limit = c->options.threads,
		.round_limit = c->options.rounds,
		.recorded = plan,
	};
	struct check_repeat *r = add_repeat(c, index);
	r->run = (struct run_options){
		.session = {
			.path = c->program.path.at,
			.argv = c->argv,
			.policy = POLICY_EXPLORE,
			.step_limit = c->options.steps,
			.until_event = UINT64_MAX,
			.memory = (enum wire_memory)c->options.memory,
			.heap = (enum wire_heap)c->options.heap,
			.spurious_wakeups = (uint32_t)c->options.spurious,
			.backend = (enum wire_backend)c->options.backend,
			.explore = &explore,
			.divided = &c->divided,
		},
		.end_by = c->end_by,
		.is_dispensable = true,
		.warn = ignore,
	};
	/* One that was given up, because it had more operations than fit, is not longer now. */
	if (!c->options.steps && c->result.most_hooks)
		explore.step_limit = r->run.session.step_limit = 2 * c->result.most_hooks + 1000;
	struct watching w = { watch, watch_arg, r };
	int rc = run_once(c, r, &w, err);
	/* As in the search (worker.h). */
	for (int tries = 1; tries < WORKER_TRIES && !rc && was_killed(r); tries++) {
		observer_release(&r->observer);
		rc = run_once(c, r, &w, err);
	}
	r->run.session.explore = NULL;
	if (rc)
		return rc;
	r->is_done = true;
	r->is_whole = r->result.end != RUN_TIMEOUT && r->result.end != RUN_INTERRUPTED;
	c->is_cut |= !r->is_whole;
	return 0;
}

struct check_repeat *check_repeat_none(struct check *c)
{
	size_t index;
	struct check_repeat *r = add_repeat(c, &index);
	observer_init(&r->observer, c->program.path.at, true);
	r->observer.names.all_frames = c->options.all_frames;
	r->is_done = true;
	return r;
}

bool check_write_witness(struct check *c, struct check_repeat *r, const struct finding *f, const char *path)
{
	if (!path || !r->is_whole)
		return false;
	if (!r->is_identified)
		execution_identify_witness(&r->observer, &c->program, c->argv, &r->run);
	r->is_identified = true;
	/* What was found is told also where no witness can be written. */
	struct err why;
	if (!execution_save_witness(&r->observer, f, path, &why))
		return true;
	if (!c->no_witness.text[0])
		c->no_witness = why;
	return false;
}

void check_repeats_release(struct check *c)
{
	for (size_t i = 0; i < c->repeats.len; i++) {
		observer_release(&c->repeats.at[i]->observer);
		buf_release(&c->repeats.at[i]->witness);
		mem_free(c->repeats.at[i]);
	}
	vec_release(&c->repeats);
	vec_release(&c->outcome_repeat);
	vec_release(&c->findings);
}
