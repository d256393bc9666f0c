/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reduction against search without it, on random programs: the same outcomes, and every class of executions exactly
 * once.  Prints TAP.
 *
 *   explore_check PROGRAMS [FIRST-SEED]    so many programs
 *   explore_check deepen PROGRAMS [SEED]   iterative deepening: the same outcomes, its last space no larger
 *   explore_check mcr PROGRAMS [SEED]      maximal causality reduction
 *   explore_check mcr-show SEED            one program
 *   explore_check faults PROGRAMS          each deliberate fault must be seen within so many programs
 *   explore_check estimate                 how the estimate of the part that is behind grows on trees of known shape
 *   explore_check show SEED                one program, with what was found
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explore/deepen.h"
#include "explore/fault.h"
#include "reduction/tests.h"

#ifdef HEDDLE_FAULT
int explore_fault;
#define FAULTS 38
#endif

struct found {
	struct map outcomes, classes;
	uint64_t executions, redundant, twice, diverged, missed;
	bool is_cut;
};

static void found_release(struct found *f)
{
	map_release(&f->outcomes);
	map_release(&f->classes);
}

static bool reduce(const struct sim_program *p, bool is_total, uint64_t limit, struct found *f)
{
	struct dpor d;
	dpor_init(&d, is_total);
	static struct sim sim;
	sim.program = p;
	const struct plan *plan;
	while ((plan = dpor_plan(&d)) && !f->is_cut) {
		struct execution x;
		struct err err;
		bool is_redundant, is_new;
		sim.has_diverged = false;
		sim_run(&sim, plan, &x, &err);
		if (dpor_take(&d, &x, &is_redundant, &err))
			abort();
		f->diverged += sim.has_diverged;
		if (is_redundant) {
			f->redundant++;
		} else {
			f->executions++;
			map_put(&f->outcomes, sim_outcome(p, &sim.last, true), NULL);
			map_put(&f->classes, reference_class(x.ops, x.ops_count), &is_new);
			/* Where a failure ends it, what others had done by then makes no class. */
			bool is_cut = x.end == EXPLORE_ASSUMED || (x.end == EXPLORE_FAILURE && !failure_is_of_all(x.failure));
			f->twice += !is_new && !is_cut;
		}
		f->missed = d.missed;
		f->is_cut = f->executions + f->redundant >= limit;
		/* What is wrong already need not become more so. */
		if (f->diverged || f->missed || f->twice)
			break;
	}
	f->diverged += d.diverged;
	dpor_release(&d);
	return !f->is_cut;
}

/* The same by iterative deepening; *last becomes the number of executions of its last space. */
static bool deepen(const struct sim_program *p, uint64_t limit, struct found *f, uint64_t *last, size_t *rounds)
{
	struct deepen d;
	deepen_init(&d, 0, true);
	static struct sim sim;
	sim.program = p;
	const struct plan *plan;
	while (!f->is_cut && (plan = deepen_plan(&d))) {
		struct execution x;
		struct err err;
		bool is_redundant;
		sim.has_diverged = false;
		sim_run(&sim, plan, &x, &err);
		if (deepen_take(&d, &x, &is_redundant, &err))
			abort();
		f->diverged += sim.has_diverged;
		f->redundant += is_redundant;
		if (!is_redundant) {
			f->executions++;
			map_put(&f->outcomes, sim_outcome(p, &sim.last, true), NULL);
		}
		f->is_cut = f->executions + f->redundant >= limit;
	}
	*rounds = d.spaces.len;
	*last = d.spaces.len ? vec_last(&d.spaces).executions : 0;
	bool is_complete = deepen_is_complete(&d);
	deepen_release(&d);
	return is_complete && !f->is_cut;
}

size_t missing(const struct map *all, const struct map *some)
{
	size_t n = 0;
	for (size_t i = 0; i < all->cap; i++)
		n += all->slots[i].used && !map_get(some, all->slots[i].key);
	return n;
}

/* Where a move may do something else in another place, what it will do is guessed, and a guess may lead to nothing. */
static bool has_guesses(const struct sim_program *p)
{
	for (int t = 0; t < p->threads; t++)
		for (int i = 0; i < p->length[t]; i++)
			switch (p->code[t][i].kind) {
			case DO_COMPARE: case DO_TRY_LOCK: case DO_TIMED_LOCK: case DO_TRY_READ_LOCK: case DO_SEM_TRY:
			case DO_SEM_TIMED: case DO_TIMED_WAIT:
				return true;
			}
	return false;
}

/* What is wrong with what was found; NULL: nothing. */
static const char *judge(const struct sim_program *p, const struct found *f, uint64_t *orders)
{
	struct map outcomes = {0}, classes = {0};
	const char *wrong = NULL;
	if (f->diverged || f->missed)
		return f->diverged ? "a plan could not be followed" : "a planned move could not be made";
	if (f->twice)
		return "a class was explored twice";
	if (!reference_outcomes(p, STATES_MAX, true, &outcomes))
		goto out;
	if (missing(&outcomes, &f->outcomes))
		wrong = "an outcome is missing";
	else if (missing(&f->outcomes, &outcomes))
		wrong = "an outcome is impossible";
	/* What a process does that is cut off has no classes. */
	if (!wrong && p->joins_all) {
		if (f->redundant && !has_guesses(p))
			wrong = "a redundant execution";
		else if (reference_classes(p, ORDERS_MAX, &classes)) {
			++*orders;
			if (missing(&classes, &f->classes))
				wrong = "a class is missing";
			else if (missing(&f->classes, &classes))
				wrong = "a class is impossible";
		}
	}
out:
	map_release(&outcomes);
	map_release(&classes);
	return wrong;
}

static const char *try_program(uint64_t seed, struct totals *t, bool shows)
{
	struct sim_program p;
	sim_random(&p, seed, seed % 4 != 0);
	struct found f = {0};
	const char *wrong = NULL;
	if (reduce(&p, false, EXECUTIONS_MAX, &f))
		wrong = judge(&p, &f, &t->orders);
	else if (f.redundant > f.executions)
		wrong = "the search does not end";
	else
		t->cut++;
	t->programs++;
	t->executions += f.executions;
	t->redundant += f.redundant;
	if (shows) {
		sim_print(&p);
		printf("# %llu executions, %llu redundant, %zu outcomes, %zu classes, %llu twice, %llu diverged, %llu missed: %s\n",
		       (unsigned long long)f.executions, (unsigned long long)f.redundant, f.outcomes.len, f.classes.len,
		       (unsigned long long)f.twice, (unsigned long long)f.diverged, (unsigned long long)f.missed,
		       wrong ? wrong : "right");
	}
	found_release(&f);
	return wrong;
}

static int try_many(uint64_t programs, uint64_t first)
{
	struct totals t = {0};
	int bad = 0;
	for (uint64_t i = 0; i < programs; i++) {
		const char *wrong = try_program(first + i, &t, false);
		if (!wrong)
			continue;
		if (bad++ < 5) {
			printf("# seed %llu: %s\n", (unsigned long long)(first + i), wrong);
			try_program(first + i, &t, true);
		}
	}
	printf("# %llu programs, %llu too large, %llu executions, %llu redundant, all orders tried of %llu\n",
	       (unsigned long long)t.programs, (unsigned long long)t.cut, (unsigned long long)t.executions,
	       (unsigned long long)t.redundant, (unsigned long long)t.orders);
	printf("%sok 1 - every outcome, and every class once, of %llu random programs\n", bad ? "not " : "",
	       (unsigned long long)programs);
	return bad != 0;
}

static const char *try_deepening(uint64_t seed, struct totals *t, uint64_t *by_dpor, size_t *most_rounds, bool shows)
{
	struct sim_program p;
	sim_random(&p, seed, seed % 4 != 0);
	struct found all = {0}, f = {0};
	struct map outcomes = {0};
	uint64_t last = 0;
	size_t rounds = 0;
	const char *wrong = NULL;
	t->programs++;
	if (!reduce(&p, false, EXECUTIONS_MAX, &all) || !reference_outcomes(&p, STATES_MAX, true, &outcomes))
		t->cut++;
	else if (!deepen(&p, 4 * EXECUTIONS_MAX, &f, &last, &rounds))
		wrong = "deepening does not end";
	else if (missing(&outcomes, &f.outcomes))
		wrong = "an outcome is missing";
	else if (missing(&f.outcomes, &outcomes))
		wrong = "an outcome is impossible";
	else if (last > all.executions)
		wrong = "the last space is larger than the whole one";
	*by_dpor += rounds ? all.executions : 0;
	t->executions += f.executions;
	t->redundant += f.redundant;
	if (rounds > *most_rounds)
		*most_rounds = rounds;
	if (shows) {
		sim_print(&p);
		printf("# %llu executions in %zu spaces, %llu in the last, %llu without deepening; %zu outcomes, %zu wanted: %s\n",
		       (unsigned long long)f.executions, rounds, (unsigned long long)last, (unsigned long long)all.executions,
		       f.outcomes.len, outcomes.len, wrong ? wrong : "right");
	}
	map_release(&outcomes);
	found_release(&all);
	found_release(&f);
	return wrong;
}

static int try_deepening_many(uint64_t programs, uint64_t first)
{
	struct totals t = {0};
	uint64_t by_dpor = 0;
	size_t most_rounds = 0;
	int bad = 0;
	for (uint64_t i = 0; i < programs; i++) {
		const char *wrong = try_deepening(first + i, &t, &by_dpor, &most_rounds, false);
		if (!wrong || bad++ >= 5)
			continue;
		printf("# seed %llu: %s\n", (unsigned long long)(first + i), wrong);
		try_deepening(first + i, &t, &by_dpor, &most_rounds, true);
	}
	printf("# %llu programs, %llu too large, %llu executions in at most %zu spaces, %llu redundant; %llu without deepening\n",
	       (unsigned long long)t.programs, (unsigned long long)t.cut, (unsigned long long)t.executions, most_rounds,
	       (unsigned long long)t.redundant, (unsigned long long)by_dpor);
	printf("%sok 1 - every outcome by iterative deepening, of %llu random programs\n", bad ? "not " : "",
	       (unsigned long long)programs);
	return bad != 0;
}

#ifdef HEDDLE_FAULT
/* Faults that one program in ten thousand shows are looked for where one does. */
static uint64_t first_seed(int fault)
{
	return fault == 25 ? 37720 : fault == 26 ? 5160 : fault == 27 ? 8460 : 0;
}

static int try_faults(uint64_t programs)
{
	int bad = 0;
	struct totals t = {0};
	for (int fault = 1; fault <= FAULTS; fault++) {
		explore_fault = fault;
		uint64_t i = 0;
		const char *wrong = NULL;
		while (i < programs && !wrong)
			wrong = try_program(first_seed(fault) + ++i, &t, false);
		printf("%sok %d - fault %d: %s after %llu program%s\n", wrong ? "" : "not ", fault, fault,
		       wrong ? wrong : "not seen", (unsigned long long)i, i == 1 ? "" : "s");
		bad |= !wrong;
	}
	return bad;
}
#endif

/* A full binary tree: after k of 2^depth leaves the part behind is k / 2^depth: both branches of a choice are known at once. */
static int try_estimate(void)
{
	int bad = 0;
	for (int depth = 1; depth <= 8; depth++) {
		struct sim_program p = { .threads = 1, .joins_all = true };
		for (int i = 0; i < depth; i++)
			p.code[0][p.length[0]++] = (struct instruction){ .kind = DO_CHOOSE, .b = 2 };
		p.code[0][p.length[0]++] = (struct instruction){ .kind = DO_EXIT };
		struct dpor d;
		dpor_init(&d, false);
		static struct sim sim;
		sim.program = &p;
		int leaves = 0, wrong = 0;
		const struct plan *plan;
		while ((plan = dpor_plan(&d))) {
			struct execution x;
			struct err err;
			bool is_redundant;
			sim_run(&sim, plan, &x, &err);
			if (dpor_take(&d, &x, &is_redundant, &err))
				abort();
			/* The present leaf is not behind. */
			double want = (double)leaves++ / (double)(1 << depth), got = dpor_progress(&d);
			if (got > want - 1e-9 && got < want + 1e-9)
				continue;
			if (!wrong++)
				printf("# depth %d, after %d leaves: %f instead of %f\n", depth, leaves - 1, got, want);
		}
		wrong += leaves != 1 << depth;
		printf("%sok %d - estimate along a binary tree of depth %d\n", wrong ? "not " : "", depth, depth);
		bad |= wrong != 0;
		dpor_release(&d);
	}
	return bad;
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc > 2 && !strcmp(argv[1], "deepen"))
		return try_deepening_many(strtoull(argv[2], NULL, 0), argc > 3 ? strtoull(argv[3], NULL, 0) : 1);
	if (argc > 1 && !strcmp(argv[1], "estimate"))
		return try_estimate();
	if (argc > 2 && !strcmp(argv[1], "mcr"))
		return try_mcr(strtoull(argv[2], NULL, 0), argc > 3 ? strtoull(argv[3], NULL, 0) : 1);
	if (argc > 2 && !strcmp(argv[1], "mcr-show"))
		return show_mcr(strtoull(argv[2], NULL, 0));
	if (argc > 2 && !strcmp(argv[1], "show")) {
		struct totals t = {0};
		return try_program(strtoull(argv[2], NULL, 0), &t, true) != NULL;
	}
#ifdef HEDDLE_FAULT
	if (argc > 2 && !strcmp(argv[1], "faults"))
		return try_faults(strtoull(argv[2], NULL, 0));
#endif
	return try_many(argc > 1 ? strtoull(argv[1], NULL, 0) : 1000, argc > 2 ? strtoull(argv[2], NULL, 0) : 1);
}
