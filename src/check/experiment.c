/* SPDX-License-Identifier: Apache-2.0 */
/* Executions with another content of unwritten memory; see check/experiment.h. */
#include "check/experiment.h"

#include <string.h>

#include "base/alloc.h"
#include "base/map.h"

/* ---- comparing executions ---- */

static bool is_value(const struct wire_op *op)
{
	return op->kind == EV_READ || op->kind == EV_WRITE || op->kind == EV_RMW ||
	       op->kind == EV_FLUSH || op->kind == EV_OUTSIDE_WRITE || op->kind == EV_INITIAL ||
	       op->kind == OP_POLL;
}

static void run_log_of(struct run_log *c, const struct execution *x)
{
	c->end = x->end;
	c->exit_status = x->end == EXPLORE_EXIT ? x->exit_status : 0;
	c->failure = x->end == EXPLORE_FAILURE ? x->failure : 0;
	c->ops.len = 0;
	OPS_EACH (seen, x->ops, x->ops_count) {
		struct wire_op op = *seen;
		if (is_value(&op))
			op.value = 0;
		/* Which of its own bytes a loop awaits depends on what they were (rt/await.c). */
		if (op.kind == OP_AWAIT)
			op.size = 0;
		vec_push(&c->ops, op);
		for (uint64_t i = 1; i <= op_data(&op); i++)
			vec_push(&c->ops, seen[i]);
	}
}

/* The place of the last operation up to there; data of an output belongs to the output. */
static uint64_t pc_near(const struct run_log *c, size_t i)
{
	uint64_t pc = c->ops.len ? c->ops.at[0].pc : 0;
	OPS_EACH (op, c->ops.at, i < c->ops.len ? i + 1 : c->ops.len)
		if (op->kind != OP_STEP && op->pc)
			pc = op->pc;
	return pc;
}

static bool is_await(const struct run_log *c, size_t i)
{
	return i < c->ops.len && c->ops.at[i].kind == OP_AWAIT;
}

/* The thread whose step it is. */
static uint64_t thread_at(const struct run_log *c, size_t i)
{
	for (size_t k = i < c->ops.len ? i + 1 : c->ops.len; k-- > 0;)
		if (c->ops.at[k].kind == OP_STEP)
			return c->ops.at[k].object;
	return 0;
}

/* The instructions of a thread, and whether it has awaited something. */
struct trail {
	struct map instructions;
	bool has_awaited;
};

static struct trail trail_of(const struct run_log *c, uint64_t thread)
{
	struct trail t = { 0 };
	uint64_t now = 0;
	OPS_EACH (op, c->ops.at, c->ops.len) {
		if (op->kind == OP_STEP)
			now = op->object;
		else if (now == thread && op->kind == OP_AWAIT)
			t.has_awaited = true;
		else if (now == thread && op->pc)
			map_put(&t.instructions, op->pc, NULL);
	}
	return t;
}

static bool is_part(const struct run_log *c, uint64_t thread, const struct trail *whole)
{
	uint64_t now = 0;
	OPS_EACH (op, c->ops.at, c->ops.len) {
		if (op->kind == OP_STEP)
			now = op->object;
		else if (now == thread && op->kind != OP_AWAIT && op->pc &&
			 !map_get(&whole->instructions, op->pc))
			return false;
	}
	return true;
}

static bool differs_by_rounds(const struct run_log *a, const struct run_log *b, uint64_t thread)
{
	struct trail x = trail_of(a, thread), y = trail_of(b, thread);
	bool is_so = (x.has_awaited || y.has_awaited) && is_part(a, thread, &y) &&
		     is_part(b, thread, &x);
	map_release(&x.instructions);
	map_release(&y.instructions);
	return is_so;
}

/*
 * A loop counts as waiting when a round of it has left the thread's stack as it was (rt/await.c).
 * So the content of a variable that the loop writes decides in which round that is seen, although
 * the program does not depend on it.  A difference that begins with such a wait proves nothing,
 * nor does one of a thread that has waited so and that executes the same instructions with both
 * contents, only more or less often.
 */
static bool is_difference_of_rounds(const struct run_log *a, const struct run_log *b, size_t i)
{
	return is_await(a, i) != is_await(b, i) || differs_by_rounds(a, b, thread_at(a, i)) ||
	       differs_by_rounds(a, b, thread_at(b, i));
}

bool run_logs_differ(const struct run_log *a, const struct run_log *b, struct divergence *out)
{
	size_t shared = a->ops.len < b->ops.len ? a->ops.len : b->ops.len, i = 0;
	while (i < shared && !memcmp(&a->ops.at[i], &b->ops.at[i], sizeof(a->ops.at[i])))
		i++;
	*out = (struct divergence){ 0 };
	if ((i < a->ops.len || i < b->ops.len) && is_difference_of_rounds(a, b, i))
		return false;
	if (i < a->ops.len)
		out->first = pc_near(a, i);
	if (i < b->ops.len)
		out->second = pc_near(b, i);
	return i < a->ops.len || i < b->ops.len || a->end != b->end ||
	       a->exit_status != b->exit_status || a->failure != b->failure;
}

/* ---- making executions ---- */

/* Each execution has a process of its own: what it finds in memory is what the session says. */
static int start(struct experiments *l, struct err *err)
{
	const struct check_options *o = &l->c->options;
	struct worker_config config = {
		.path = l->c->program.path.at,
		.argv = l->c->argv,
		.memory = (enum wire_memory)o->memory,
		.heap = (enum wire_heap)o->heap,
		.spurious_wakeups = (uint32_t)o->spurious,
		.divided = &l->c->divided,
		.backend = (enum wire_backend)o->backend,
		.restart = RESTART_EXEC,
		.step_limit = o->steps,
		.thread_limit = o->threads,
		.memory_limit = o->memory_limit << 20,
		.workers = 1,
		.stop = &check_is_interrupted,
		.end_by = &l->c->end_by,
	};
	l->has_worker = true;
	int rc = worker_start(&l->worker, &config, err);
	if (!rc && l->c->outside)
		session_copy_inputs(&l->worker.session, l->c->outside);
	return rc;
}

static void set_fill(struct wire_session *s, const struct experiment_fill *fill)
{
	static const struct experiment_fill none;
	fill = fill ? fill : &none;
	s->fill_from = fill->from;
	s->fill_to = fill->to;
	s->fill_byte = fill->byte;
	s->frame_fills.count = fill->frames_count;
	for (size_t i = 0; i < fill->frames_count; i++)
		s->frame_fills.at[i] = fill->frames[i];
}

static int run(struct experiments *l, const struct plan *plan, const struct experiment_fill *fill,
	       struct execution *x, struct err *err)
{
	int rc = l->has_worker ? 0 : start(l, err);
	if (rc)
		return rc;
	set_fill(l->worker.session.shared, fill);
	rc = worker_run(&l->worker, plan, x, err);
	set_fill(l->worker.session.shared, NULL);
	return rc;
}

int experiment_usual(struct experiments *l, const struct plan *plan, bool *is_usable,
		     struct err *err)
{
	struct execution x = { 0 };
	*is_usable = false;
	l->worker.executions = 0; /* so that it is made twice (worker.c) */
	int rc = run(l, plan, NULL, &x, err);
	if (rc || x.is_unstable || (x.end != EXPLORE_EXIT && x.end != EXPLORE_FAILURE))
		return rc;
	run_log_of(&l->usual, &x);
	*is_usable = true;
	return 0;
}

int experiment(struct experiments *l, const struct plan *plan, const struct experiment_fill *fill,
	       struct run_log *out, bool *is_made, struct err *err)
{
	struct execution x = { 0 };
	*is_made = false;
	if (l->experiments >= EXPERIMENTS_MAX || check_is_enough(l->c))
		return 0;
	l->experiments++;
	l->worker.executions = 1; /* it is made once */
	int rc = run(l, plan, fill, &x, err);
	if (rc || x.end == EXPLORE_GONE || x.end == EXPLORE_UNSUPPORTED)
		return rc;
	run_log_of(out, &x);
	*is_made = true;
	return 0;
}

int experiment_confirm(struct experiments *l, const struct plan *plan,
		       const struct experiment_fill *fill, const struct run_log *before,
		       bool *is_confirmed, struct err *err)
{
	struct execution x = { 0 };
	struct divergence divergence;
	l->worker.executions = 1;
	int rc = run(l, plan, fill, &x, err);
	if (rc)
		return rc;
	run_log_of(&l->again, &x);
	*is_confirmed = !run_logs_differ(before, &l->again, &divergence);
	return 0;
}

void experiments_release(struct experiments *l)
{
	if (l->has_worker)
		worker_release(&l->worker);
	vec_release(&l->usual.ops);
	vec_release(&l->other.ops);
	vec_release(&l->again.ops);
}

/* ---- what is said of them ---- */

void experiment_place(struct observer *o, uint64_t pc, struct buf *out)
{
	struct location at = { 0 };
	if (!pc || !observer_locate(o, pc, &at))
		return;
	if (at.function[0])
		buf_printf(out, " in %s()", at.function);
	if (at.file[0])
		buf_printf(out, " %s:%u", names_path(&o->names, at.file), at.line);
	mem_free(at.function);
	mem_free(at.file);
}

void experiment_end(const struct run_log *c, const struct run_log *instead_of, struct buf *out)
{
	if (c->end == EXPLORE_EXIT && instead_of->end == EXPLORE_EXIT &&
	    c->exit_status != instead_of->exit_status)
		buf_printf(out, " and exits with %d instead of %d", c->exit_status,
			   instead_of->exit_status);
	else if (c->end == EXPLORE_FAILURE && c->failure != instead_of->failure)
		buf_printf(out, " and fails (%s)",
			   finding_kind_name(finding_kind_of_failure(c->failure)));
}
