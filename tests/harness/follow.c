/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Follows a recorded schedule as a plan: a thread's own hooks have the same numbers in a
 * recording and in an execution for an explorer, so every access must come again in the same
 * order.  One hook counted too often or not at all makes a thread stop one hook early or late for
 * the rest of the run.
 *
 *   follow TRACE PROGRAM [ARGUMENT...]
 *
 * Prints how many turns and accesses there were; status 1 and the first difference if there is one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "exec/worker.h"
#include "trace/trace.h"

/*
 * Addresses of modules differ by whole pages.  Those on stacks are not compared: where a handler
 * of a signal has its frame depends on how deep the runtime is in.
 */
static uint64_t place_of(uint64_t address)
{
	return address - ARENA_STACKS < ARENA_ARGS - ARENA_STACKS ? 0 : address & 0xfff;
}

struct seen {
	uint32_t thread;
	uint8_t kind;
	uint64_t size, place;
};

struct recorded {
	VEC(struct wire_turn) turns;
	VEC(uint32_t) choices;
	VEC(struct seen) accesses;
	VEC(uint64_t) own; /* hooks of each thread */
	uint64_t hooks;	   /* of all */
};

static bool is_access(unsigned kind)
{
	return kind == EV_READ || kind == EV_WRITE || kind == EV_RMW;
}

/* The thread has come to its hook of that number, or is blocked after it. */
static void add_turn(struct recorded *r, uint64_t thread, uint64_t hooks, bool is_blocked)
{
	while (r->own.len <= thread)
		vec_push(&r->own, 0);
	r->own.at[thread] += hooks - r->hooks;
	r->hooks = hooks;
	if (is_blocked || r->own.at[thread])
		vec_push(&r->turns, ((struct wire_turn){ (uint32_t)thread, TURN_STEP,
							 r->own.at[thread] - !is_blocked }));
}

static int read_trace(const char *path, struct recorded *r, struct err *err)
{
	struct trace_reader *reader;
	struct event e;
	int rc = trace_reader_open(&reader, path, err);
	if (rc)
		return rc;
	while ((rc = trace_reader_next(reader, &e, err)) == 1) {
		if (e.kind == EV_CHOICE)
			vec_push(&r->choices, (uint32_t)e.a);
		else if (e.kind == EV_SWITCH)
			add_turn(r, e.b, e.a, e.mode == SWITCH_BLOCK);
		else if (is_access(e.kind))
			vec_push(&r->accesses,
				 ((struct seen){ e.thread, e.kind, e.size, place_of(e.obj) }));
	}
	trace_reader_close(reader);
	return rc;
}

/* What comes after the last turn is up to the explorer. */
static size_t accesses_before(const struct recorded *r, const char *path, struct err *err)
{
	struct trace_reader *reader;
	struct event e;
	size_t seen = 0, before = 0;
	if (trace_reader_open(&reader, path, err))
		return 0;
	while (trace_reader_next(reader, &e, err) == 1) {
		seen += is_access(e.kind);
		if (e.kind == EV_SWITCH)
			before = seen;
	}
	trace_reader_close(reader);
	return before < r->accesses.len ? before : r->accesses.len;
}

static int compare(const struct recorded *r, size_t wanted, const struct execution *x)
{
	size_t at = 0;
	uint32_t thread = 0;
	uint64_t step = 0;
	OPS_EACH (op, x->ops, x->ops_count) {
		if (at == wanted)
			break;
		if (op->kind == OP_STEP) {
			thread = (uint32_t)op->object;
			step = op->value;
		} else if (is_access(op->kind)) {
			const struct seen *s = &r->accesses.at[at];
			if (s->thread != thread || s->kind != op->kind || s->size != op->size ||
			    s->place != place_of(op->object)) {
				printf("access %zu of %zu is %u.%llu kind %u at %llx, and was %u "
				       "kind %u at %llx\n",
				       at, wanted, thread, (unsigned long long)step, op->kind,
				       (unsigned long long)op->object, s->thread, s->kind,
				       (unsigned long long)s->place);
				return 1;
			}
			at++;
		}
	}
	if (at < wanted) {
		printf("only %zu of %zu accesses, end %d at turn %llu of %zu\n", at, wanted,
		       (int)x->end, (unsigned long long)x->diverged_turn, r->turns.len);
		return 1;
	}
	printf("%zu turns, %zu accesses\n", r->turns.len, wanted);
	return 0;
}

int main(int argc, char **argv)
{
	struct recorded r = { 0 };
	struct worker w;
	struct execution x;
	struct err err = { 0 };
	if (argc < 3) {
		fprintf(stderr, "usage: follow TRACE PROGRAM [ARGUMENT...]\n");
		return 2;
	}
	struct worker_config config = { .path = argv[2],
					.argv = argv + 2,
					.restart = RESTART_EXEC,
					.counts_waits = true,
					.is_trusted = true };
	int rc = read_trace(argv[1], &r, &err);
	size_t wanted = rc ? 0 : accesses_before(&r, argv[1], &err);
	struct plan plan = { .turns = r.turns.at,
			     .turns_count = r.turns.len,
			     .choices = r.choices.at,
			     .choices_count = r.choices.len };
	if (!rc)
		rc = worker_start(&w, &config, &err);
	if (!rc)
		rc = worker_run(&w, &plan, &x, &err);
	if (rc) {
		fprintf(stderr, "follow: %s\n", err.text);
		return 3;
	}
	int differs = compare(&r, wanted, &x);
	worker_release(&w);
	vec_release(&r.turns);
	vec_release(&r.choices);
	vec_release(&r.accesses);
	vec_release(&r.own);
	return differs;
}
