/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Properties of the oracle on random histories: props COUNT [FIRST-SEED].
 *
 *   closure   feasible only if brute force says so; infeasible only if brute force says so; never
 *             unknown for two threads
 *   solver    equal to brute force
 *   witness   accepted by the checker and by brute force; where guards are the next operation, the
 *             interpreter can run it
 *   windows   equal to brute force, too: a question that is asked of parts of the history first
 *   checker   says the same as brute force about witnesses that were damaged
 *
 * Prints how much was compared, or the first difference, and then fails.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "brute.h"
#include "generate.h"
#include "faults/choose.h"
#include "oracle/oracle.h"

#define STATES 60000

struct counts {
	uint64_t questions, feasible, infeasible, skipped, closure_decided, two_threads, replayed,
		damaged, in_window, ops;
};

struct trial {
	struct sim_program program;
	struct sim_run run;
	struct sim_random random;
	struct question q;
	bool with_branches;
	struct counts *counts;
};

static const char *check_witness(struct trial *t, const struct answer *a)
{
	const struct history *h = &t->run.history;
	if (witness_flaw(h, &t->q, a->witness.at, a->witness.len))
		return "a witness is not accepted by the checker";
	if (!brute_accepts(h, &t->q, a->witness.at, a->witness.len))
		return "a witness is not an execution";
	if (t->with_branches || t->q.loose.len)
		return NULL;
	t->counts->replayed++;
	return sim_replay(&t->program, &t->random, &t->run, a->witness.at, a->witness.len)
		       ? "a witness cannot be run"
		       : NULL;
}

/* The checker and brute force about a witness with a few operations moved, left out or added. */
static const char *check_damaged(struct trial *t, const struct answer *a)
{
	const struct history *h = &t->run.history;
	op_id damaged[BRUTE_OPS];
	size_t n = a->witness.len;
	for (int round = 0; round < 4 && n; round++) {
		memcpy(damaged, a->witness.at, n * sizeof(*damaged));
		size_t len = n, from = sim_random(&t->random, (uint32_t)n),
		       to = sim_random(&t->random, (uint32_t)n);
		op_id moved = damaged[from];
		switch (round) {
		case 0:
			memmove(&damaged[from], &damaged[from + 1],
				(len - from - 1) * sizeof(*damaged));
			memmove(&damaged[to + 1], &damaged[to], (len - to - 1) * sizeof(*damaged));
			damaged[to] = moved;
			break;
		case 1:
			len = to;
			break;
		case 2:
			damaged[to] = sim_random(&t->random, (uint32_t)h->ops.len);
			break;
		case 3:
			damaged[from] = damaged[to];
			damaged[to] = moved;
			break;
		}
		t->counts->damaged++;
		bool is_fine = !witness_flaw(h, &t->q, damaged, len);
		if (is_fine != brute_accepts(h, &t->q, damaged, len))
			return is_fine ? "the checker accepts what is no execution"
				       : "the checker rejects an execution";
	}
	return NULL;
}

/* The whole witness of an answer that begins as the trace does. */
static void unfold(struct answer *a)
{
	struct answer whole = { .verdict = a->verdict };
	for (size_t i = 0; i < answer_length(a); i++)
		vec_push(&whole.witness, answer_op(a, i));
	answer_release(a);
	*a = whole;
}

static const char *check_windows(struct trial *t, enum verdict truth)
{
	const struct oracle_limits limits = { .whole = 1, .margin = 1 + sim_random(&t->random, 6) };
	struct answer a = { 0 };
	oracle_ask_near(&t->run.history, &t->q, &limits, &a);
	t->counts->in_window += a.prefix != 0;
	unfold(&a);
	const char *flaw = a.verdict == truth		   ? NULL
			   : a.verdict == VERDICT_FEASIBLE ? "a window says feasible"
							   : "a window says infeasible";
	if (!flaw && truth == VERDICT_FEASIBLE)
		flaw = check_witness(t, &a);
	answer_release(&a);
	return flaw;
}

static const char *check_question(struct trial *t)
{
	static const struct oracle_limits limits;
	const struct history *h = &t->run.history;
	struct answer closure = { 0 }, solver = { 0 };
	const char *flaw = NULL;
	enum verdict truth = brute_ask(h, &t->q, STATES);
	if (truth == VERDICT_UNKNOWN) {
		t->counts->skipped++;
		return NULL;
	}
	t->counts->questions++;
	t->counts->ops += h->ops.len;
	*(truth == VERDICT_FEASIBLE ? &t->counts->feasible : &t->counts->infeasible) += 1;
	closure_ask(h, &t->q, &limits, &closure);
	solver_ask(h, &t->q, &limits, &solver);
	t->counts->closure_decided += closure.verdict != VERDICT_UNKNOWN;
	t->counts->two_threads += h->threads == 2;
	if (solver.verdict != truth)
		flaw = solver.verdict == VERDICT_FEASIBLE     ? "the solver says feasible"
		       : solver.verdict == VERDICT_INFEASIBLE ? "the solver says infeasible"
							      : "the solver does not know";
	else if (closure.verdict != VERDICT_UNKNOWN && closure.verdict != truth)
		flaw = closure.verdict == VERDICT_FEASIBLE ? "closure says feasible"
							   : "closure says infeasible";
	else if (closure.verdict == VERDICT_UNKNOWN && h->threads == 2)
		flaw = "closure does not know about two threads";
	if (!flaw && closure.verdict == VERDICT_FEASIBLE)
		flaw = check_witness(t, &closure);
	if (!flaw && solver.verdict == VERDICT_FEASIBLE)
		flaw = check_witness(t, &solver);
	if (!flaw && solver.verdict == VERDICT_FEASIBLE)
		flaw = check_damaged(t, &solver);
	if (!flaw)
		flaw = check_windows(t, truth);
	answer_release(&closure);
	answer_release(&solver);
	return flaw;
}

static void print_trial(const struct trial *t)
{
	static const char *const kinds[] = { "other", "access", "acquire", "release" };
	const struct history *h = &t->run.history;
	for (op_id i = 0; i < h->ops.len; i++) {
		const struct op *o = &h->ops.at[i];
		printf("# %2u T%u %-7s", i, o->thread, kinds[o->kind]);
		if (o->kind == OP_ACQUIRE || o->kind == OP_RELEASE)
			printf(" l%u%s match %d", o->lock, o->is_shared ? " shared" : "",
			       (int)o->match);
		for (uint32_t k = 0; k < o->accesses; k++) {
			const struct op_access *a = &h->accesses.at[o->first_access + k];
			printf(" %s%s x%u saw %d =%llu ->%llu", a->reads ? "r" : "",
			       a->writes ? "w" : "", a->variable, (int)a->seen,
			       (unsigned long long)a->value, (unsigned long long)a->written);
		}
		printf(" guard %d code %u\n", (int)o->guard, t->run.did[i].code);
	}
	for (size_t i = 0; i < h->causes.len; i++)
		printf("# cause %u -> %u\n", h->causes.at[i].before, h->causes.at[i].after);
	for (size_t i = 0; i < h->orders.len; i++)
		printf("# order %u -> %u\n", h->orders.at[i].before, h->orders.at[i].after);
	for (size_t i = 0; i < t->q.include.len; i++)
		printf("# include %u\n", t->q.include.at[i]);
	for (size_t i = 0; i < t->q.orders.len; i++)
		printf("# wanted %u -> %u\n", t->q.orders.at[i].before, t->q.orders.at[i].after);
	for (size_t i = 0; i < t->q.adjacent.len; i++)
		printf("# adjacent %u %u\n", t->q.adjacent.at[i].before, t->q.adjacent.at[i].after);
	for (size_t i = 0; i < t->q.pending.len; i++)
		printf("# pending %u\n", t->q.pending.at[i]);
	for (size_t i = 0; i < t->q.sights.len; i++)
		printf("# read %u of x%u sees %d, by value %d %llu\n", t->q.sights.at[i].read,
		       t->q.sights.at[i].variable, (int)t->q.sights.at[i].write,
		       t->q.sights.at[i].by_value, (unsigned long long)t->q.sights.at[i].value);
	for (size_t i = 0; i < t->q.loose.len; i++)
		printf("# loose %u\n", t->q.loose.at[i]);
	printf("# same values: %d\n", t->q.same_values);
}

static const char *check_seed(uint64_t seed, struct counts *counts, bool prints)
{
	struct trial *t = mem_zero(1, sizeof(*t));
	const char *flaw = NULL;
	t->counts = counts;
	t->random.state = seed * 0x9e3779b97f4a7c15ull + 1;
	sim_generate(&t->program, &t->random, 2 + (uint32_t)(seed % 4), 0);
	t->with_branches = sim_random(&t->random, 2);
	sim_run(&t->program, &t->random, t->with_branches, SIM_OPS, &t->run);
	for (int i = 0; i < 3 && !flaw; i++) {
		if (generate_question(&t->run.history, &t->random, &t->q))
			flaw = check_question(t);
		if (flaw && prints)
			print_trial(t);
		question_release(&t->q);
	}
	history_release(&t->run.history);
	mem_free(t);
	return flaw;
}

/* Where the oracle ended the process itself: an invariant that failed, or a fault that made it
 * crash. */
static uint64_t trace_now;

static void tell_trace(void)
{
	if (trace_now)
		printf("trace %llu: the oracle itself noticed\n", (unsigned long long)trace_now);
	fflush(stdout);
}

static void tell_crash(int signal)
{
	printf("trace %llu: signal %d\n", (unsigned long long)trace_now, signal);
	fflush(stdout);
	_exit(71);
}

int main(int argc, char **argv)
{
	struct counts c = { 0 };
	uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000,
		 first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	atexit(tell_trace);
	signal(SIGSEGV, tell_crash);
	for (uint64_t i = 0; i < count; i++) {
		trace_now = i + 1;
		const char *flaw = check_seed(first + i, &c, !fault_any_is_on());
		trace_now = 0;
		if (flaw) {
			printf("seed %llu, trace %llu: %s\n", (unsigned long long)(first + i),
			       (unsigned long long)i + 1, flaw);
			return 1;
		}
	}
	printf("%llu traces, %llu questions (%llu feasible, %llu infeasible, %llu too large), %llu "
	       "of two "
	       "threads, "
	       "closure decided %llu, %llu feasible in a window, %llu witnesses run, %llu damaged "
	       "ones "
	       "judged, %.1f operations on "
	       "average\n",
	       (unsigned long long)count, (unsigned long long)c.questions,
	       (unsigned long long)c.feasible, (unsigned long long)c.infeasible,
	       (unsigned long long)c.skipped, (unsigned long long)c.two_threads,
	       (unsigned long long)c.closure_decided, (unsigned long long)c.in_window,
	       (unsigned long long)c.replayed, (unsigned long long)c.damaged,
	       c.questions ? (double)c.ops / (double)c.questions : 0);
	return 0;
}
