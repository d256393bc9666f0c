/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Executions that findings and outcomes are shown by, made again under the options of the search.
 */
#include <string.h>

#include "base/alloc.h"
#include "check/check.h"

/* ---- kinds ---- */

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

bool check_wants_failure(const struct check_options *o, uint32_t failure)
{
	int kind = finding_kind_of_failure(failure);
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

/* What the search read from standard input is given again. */
static void set_input(const struct check *c, struct repeat_request *q)
{
	const struct wire_explore *x = c->outside ? c->outside->explore : NULL;
	size_t count = x && x->input_count <= x->input_room ? (size_t)x->input_count : 0;
	if (!x || (!count && !x->input_has_ended))
		return;
	q->input = REPEAT_INPUT_GIVEN;
	q->input_bytes = (const char *)x + x->input_offset;
	q->input_size = count;
}

int check_repeat(struct check *c, const struct plan *plan, repeat_watch *watch, void *watch_arg,
		 size_t *index, struct err *err)
{
	struct repeat_request request = {
		.target = &c->program,
		.argv = c->argv,
		.plan = plan,
		.step_limit = c->options.steps,
		.thread_limit = c->options.threads,
		.round_limit = c->options.rounds,
		.loop_limit = c->options.loops,
		.memory = (enum wire_memory)c->options.memory,
		.heap = (enum wire_heap)c->options.heap,
		.spurious_wakeups = (uint32_t)c->options.spurious,
		.backend = (enum wire_backend)c->options.backend,
		.divided = &c->divided,
		.end_by = c->end_by,
		.all_frames = c->options.all_frames,
		.watch = watch,
		.watch_arg = watch_arg,
	};
	/* An execution that was given up because it had more operations than fit is not longer now.
	 */
	if (!c->options.steps && c->result.most_hooks)
		request.step_limit = 2 * c->result.most_hooks + 1000;
	set_input(c, &request);
	struct check_repeat *r = add_repeat(c, index);
	int rc = repeat_execution(&request, &r->made, err);
	if (rc)
		return rc;
	r->is_done = true;
	r->is_whole = r->made.result.end != RUN_TIMEOUT && r->made.result.end != RUN_INTERRUPTED;
	c->is_cut |= !r->is_whole;
	return 0;
}

struct check_repeat *check_repeat_none(struct check *c)
{
	size_t index;
	struct check_repeat *r = add_repeat(c, &index);
	repeat_nothing(&c->program, c->options.all_frames, &r->made);
	r->is_done = true;
	return r;
}

bool check_write_witness(struct check *c, struct check_repeat *r, const struct finding *f,
			 const char *path)
{
	if (!path || !r->is_whole)
		return false;
	if (!r->is_identified)
		observer_identify_witness(&r->made.observer, &c->program, c->argv, &r->made.run);
	r->is_identified = true;
	/* A finding is reported even if its witness cannot be written. */
	struct err why;
	if (!observer_save_witness(&r->made.observer, f, path, &why))
		return true;
	if (!c->no_witness.text[0])
		c->no_witness = why;
	return false;
}

void check_repeats_release(struct check *c)
{
	for (size_t i = 0; i < c->repeats.len; i++) {
		repeat_release(&c->repeats.at[i]->made);
		buf_release(&c->repeats.at[i]->witness);
		mem_free(c->repeats.at[i]);
	}
	vec_release(&c->repeats);
	vec_release(&c->outcome_repeat);
	vec_release(&c->findings);
}
