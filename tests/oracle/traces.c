/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Predictions from whole tiny traces against all their executions: traces COUNT [FIRST-SEED].
 *
 *   sound      every race and deadlock that is claimed can happen
 *   complete   every race and deadlock that can happen is claimed for its places, unless the
 *              prediction says that it left something out
 *   STD        exporting an imported trace gives its lines again
 *
 * Prints how much was compared, or the first difference, and then fails.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "faults/choose.h"
#include "oracle/from_trace.h"
#include "oracle/sieve.h"
#include "predict/predict.h"
#include "tiny.h"
#include "trace/std.h"

struct counts {
	uint64_t traces, std, events, races, deadlocks, claims, left_out, large;
};

struct trial {
	struct tiny tiny;
	struct sim_random random;
	struct tiny_truth truth;
	struct buf lines, path, sieved;
	struct counts *counts;
};

static void check(int rc, const struct err *err)
{
	if (!rc)
		return;
	printf("%s\n", err->text);
	exit(1);
}

/* ---- the trace ---- */

static const char *check_round_trip(struct trial *t)
{
	struct std_export x = { .is_extended = true, .is_imported = true };
	struct trace_reader *r;
	struct event e;
	struct err err;
	struct buf out = { 0 };
	int rc;
	check(trace_reader_open(&r, t->path.at, &err), &err);
	while ((rc = trace_reader_next(r, &e, &err)) == 1)
		std_export_event(&x, trace_reader_tables(r), &e, &out);
	check(rc, &err);
	bool is_same = out.len == t->lines.len && !memcmp(out.at, t->lines.at, out.len);
	trace_reader_close(r);
	std_export_release(&x);
	buf_release(&out);
	return is_same ? NULL : "exporting the trace gives other lines";
}

static const char *write_trace(struct trial *t)
{
	struct trace_writer *w;
	struct err err;
	check(file_temporary(&t->path, &err), &err);
	check(file_temporary(&t->sieved, &err), &err);
	if (t->tiny.has_conditions) {
		check(trace_writer_open(&w, t->path.at, TRACE_BINARY, &err), &err);
		check(tiny_write(&t->tiny, w, &err), &err);
		return NULL;
	}
	tiny_std(&t->tiny, &t->lines);
	check(file_write(t->sieved.at, t->lines.at, t->lines.len, &err), &err);
	check(trace_writer_open(&w, t->path.at, TRACE_BINARY, &err), &err);
	check(std_import(t->sieved.at, STD_BEGIN_THREADS, w, &err), &err);
	t->counts->std++;
	return check_round_trip(t);
}

/* ---- claims ---- */

/*
 * The operation of each event.  Where each line is a place its location tells; otherwise all
 * events are there, and those that are no lines have no location.
 */
static void find_ops(const struct trial *t, const struct trace_index *x, uint8_t *op_of)
{
	uint32_t next = 0;
	for (uint64_t i = 0; i < x->count; i++) {
		bool is_line = x->events[i].loc;
		op_of[i] = !is_line				 ? UINT8_MAX
			   : t->tiny.places == TINY_BY_OPERATION ? (uint8_t)next
								 : (uint8_t)(x->events[i].loc - 1);
		next += is_line;
	}
}

static uint64_t ops_of(const struct history *h, const struct claim *c, const uint8_t *op_of)
{
	uint64_t ops = 0;
	for (size_t i = 0; i < c->ops.len; i++)
		ops |= 1ull << op_of[h->ops.at[c->ops.at[i]].event];
	return ops;
}

static bool is_deadlock(const struct tiny_truth *truth, uint64_t ops)
{
	for (size_t i = 0; i < truth->deadlocks.len; i++)
		if (truth->deadlocks.at[i] == ops)
			return true;
	return false;
}

/* Whether two sets of operations have the same places, each as often. */
static bool has_same_places(const struct tiny *t, uint64_t x, uint64_t y)
{
	if (__builtin_popcountll(x) != __builtin_popcountll(y))
		return false;
	for (; x; x &= x - 1) {
		uint32_t place = t->ops[__builtin_ctzll(x)].place;
		uint64_t other = 0;
		for (uint64_t rest = y; rest && !other; rest &= rest - 1)
			if (t->ops[__builtin_ctzll(rest)].place == place)
				other = rest & -rest;
		if (!other)
			return false;
		y &= ~other;
	}
	return true;
}

struct claimed {
	VEC(uint64_t) races, deadlocks; /* sets of operations */
};

static const char *tell_claim(uint64_t ops, const char *flaw)
{
	printf("# lines");
	for (; ops; ops &= ops - 1)
		printf(" %d", __builtin_ctzll(ops) + 1);
	printf("\n");
	return flaw;
}

static const char *check_sound(struct trial *t, const struct history *h, const struct prediction *p,
			       const uint8_t *op_of, struct claimed *claimed)
{
	for (size_t i = 0; i < p->claims.len; i++) {
		const struct claim *c = &p->claims.at[i];
		uint64_t ops = ops_of(h, c, op_of);
		if (c->kind == FINDING_RACE) {
			uint32_t first = (uint32_t)__builtin_ctzll(ops);
			if (!(t->truth.races[first] & ops & ~(1ull << first)))
				return tell_claim(ops, "a race is claimed that cannot happen");
			vec_push(&claimed->races, ops);
		}
		if (c->kind == FINDING_DEADLOCK) {
			if (!is_deadlock(&t->truth, ops))
				return tell_claim(ops, "a deadlock is claimed that cannot happen");
			vec_push(&claimed->deadlocks, ops);
		}
	}
	t->counts->claims += claimed->races.len + claimed->deadlocks.len;
	return NULL;
}

static const char *check_complete(struct trial *t, const struct claimed *claimed)
{
	for (uint32_t i = 0; i < t->tiny.count; i++)
		for (uint32_t k = 0; k < i; k++) {
			bool found = !(t->truth.races[i] & 1ull << k);
			t->counts->races += !found;
			for (size_t n = 0; n < claimed->races.len && !found; n++)
				found = has_same_places(&t->tiny, claimed->races.at[n],
							1ull << i | 1ull << k);
			if (!found)
				return tell_claim(1ull << i | 1ull << k, "a race is not claimed");
		}
	for (size_t i = 0; i < t->truth.deadlocks.len; i++) {
		bool found = false;
		t->counts->deadlocks++;
		for (size_t n = 0; n < claimed->deadlocks.len && !found; n++)
			found = has_same_places(&t->tiny, claimed->deadlocks.at[n],
						t->truth.deadlocks.at[i]);
		if (!found)
			return tell_claim(t->truth.deadlocks.at[i], "a deadlock is not claimed");
	}
	return NULL;
}

static const char *check_prediction(struct trial *t)
{
	struct trace_index x;
	struct history_source s;
	struct prediction p;
	struct sieve_result sieve = { 0 };
	struct claimed claimed = { 0 };
	struct err err;
	const char *path = t->path.at;
	struct predict_options o = { .kinds = PREDICT_RACE | PREDICT_DEADLOCK };
	if (t->tiny.places != TINY_BY_OPERATION && sim_random(&t->random, 2)) {
		check(sieve_trace(path, t->sieved.at, &(struct sieve_options){ .always = true },
				  &sieve, &err),
		      &err);
		path = sieve.is_written ? t->sieved.at : path;
	}
	check(index_build(&x, path, NULL, &err), &err);
	check(history_from_trace(&s, path, &x, GUARDS_ALL, &err), &err);
	uint8_t *op_of = mem_alloc(x.count + 1);
	find_ops(t, &x, op_of);
	predict(&s.h, &x, &o, &p);
	const char *flaw = check_sound(t, &s.h, &p, op_of, &claimed);
	bool is_whole = !p.unknown && !p.left_out;
	t->counts->left_out += !is_whole;
	if (!flaw && is_whole)
		flaw = check_complete(t, &claimed);
	mem_free(op_of);
	vec_release(&claimed.races);
	vec_release(&claimed.deadlocks);
	prediction_release(&p);
	history_source_release(&s);
	index_close(&x);
	return flaw;
}

static void print_trial(struct trial *t)
{
	static const char *const kinds[] = { "r",    "w",      "acq",	   "rel", "fork",
					     "join", "begin",  "end",	   "br",  "wait",
					     "wake", "signal", "broadcast" };
	for (uint32_t i = 0; i < t->tiny.count; i++) {
		const struct tiny_op *o = &t->tiny.ops[i];
		printf("# T%u|%s(%u)|%u  value %u saw %d\n", o->thread, kinds[o->kind], o->object,
		       o->place, o->value, o->saw + 1);
	}
	printf("%s", t->lines.len ? t->lines.at : "");
}

static const char *check_seed(uint64_t seed, struct counts *counts, bool prints)
{
	struct trial *t = mem_zero(1, sizeof(*t));
	t->counts = counts;
	t->random.state = seed * 0x9e3779b97f4a7c15ull + 7;
	tiny_generate(&t->tiny, &t->random, 8 + (uint32_t)(seed % 34));
	tiny_truth(&t->tiny, &t->truth);
	counts->traces++;
	counts->events += t->tiny.count;
	const char *flaw = t->tiny.count ? write_trace(t) : NULL;
	if (t->truth.is_full)
		counts->large++;
	else if (!flaw && t->tiny.count)
		flaw = check_prediction(t);
	if (flaw && prints)
		print_trial(t);
	struct buf *all[] = { &t->path, &t->sieved, &t->lines };
	for (size_t i = 0; i < 3; i++) {
		if (all[i]->len && i < 2)
			unlink(all[i]->at);
		buf_release(all[i]);
	}
	vec_release(&t->truth.deadlocks);
	mem_free(t);
	return flaw;
}

static void tell_crash(int signal)
{
	printf("signal %d\n", signal);
	fflush(stdout);
	_exit(71);
}

int main(int argc, char **argv)
{
	struct counts c = { 0 };
	uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000,
		 first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	signal(SIGSEGV, tell_crash);
	for (uint64_t i = 0; i < count; i++) {
		const char *flaw = check_seed(first + i, &c, !fault_any_is_on());
		if (flaw) {
			printf("seed %llu, trace %llu: %s\n", (unsigned long long)(first + i),
			       (unsigned long long)i + 1, flaw);
			return 1;
		}
	}
	printf("%llu traces, %llu of them STD, %llu too large, %.1f events on average; %llu "
	       "claims, of %llu races and "
	       "%llu deadlocks in all executions; %llu left something out\n",
	       (unsigned long long)c.traces, (unsigned long long)c.std, (unsigned long long)c.large,
	       (double)c.events / (double)(c.traces ? c.traces : 1), (unsigned long long)c.claims,
	       (unsigned long long)c.races, (unsigned long long)c.deadlocks,
	       (unsigned long long)c.left_out);
	return 0;
}
