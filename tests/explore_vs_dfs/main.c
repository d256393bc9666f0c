/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reduction against search without it, on random programs: the same outcomes, and every class
 * of executions exactly once.  Prints TAP.
 *
 *   explore_check PROGRAMS [FIRST-SEED]    so many programs, and those that are kept
 *   explore_check deepen PROGRAMS [SEED]   iterative deepening: the same outcomes, its last space
 *                                          no larger
 *   explore_check deepen-share PROGRAMS [SEED]  the same by several workers, saved and read again
 *   explore_check share PROGRAMS [SEED]    several walkers, with what they do in random order,
 *                                          and saved and read again
 *   explore_check accesses PROGRAMS [SEED] several walkers against one, on larger programs
 *   explore_check mcr PROGRAMS [SEED]      maximal causality reduction
 *   explore_check mcr-unused PROGRAMS      the same if it knows reads on which nothing depends
 *   explore_check mcr-show SEED            one program
 *   explore_check mcr-faults PROGRAMS NAME...  deliberate faults, each of which must be detected
 *                                          within so many programs
 *   explore_check faults PROGRAMS [NAME]   the same for those of the suite `reduction`, or one
 *   explore_check estimate                 how the estimate of the part that is behind grows on
 *                                          trees of known shape
 *   explore_check show SEED [share]        one program, with what was found
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explore/deepening/deepen.h"
#include "explore/dpor/shared.h"
#include "explore_vs_dfs/found.h"
#include "explore_vs_dfs/tests.h"
#include "faults/choose.h"

static void found_release(struct found *f)
{
	map_release(&f->outcomes);
	map_release(&f->classes);
}

static bool reduce(const struct sim_program *p, bool is_total, uint64_t limit, struct found *f)
{
	struct dpor d;
	dpor_init(&d, is_total, NULL);
	/* Histories are short here; several walkers, and real programs, do without. */
	d.conflicts.worth_it = 0;
	static struct sim sim;
	sim.program = p;
	const struct plan *plan;
	while ((plan = dpor_plan(&d)) && !f->is_cut) {
		struct execution x;
		struct err err;
		bool is_redundant;
		sim.has_diverged = false;
		sim_run(&sim, plan, &x, &err);
		if (dpor_take(&d, &x, &is_redundant, &err))
			abort();
		found_note(f, p, &sim, &x, is_redundant);
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

size_t missing(const struct map *all, const struct map *some)
{
	size_t n = 0;
	for (size_t i = 0; i < all->cap; i++)
		n += all->slots[i].used && !map_get(some, all->slots[i].key);
	return n;
}

/* Whether a move may do something else in another state.  Plans that end with such a move rest on a
 * predicted footprint, and may lead to a redundant execution. */
static bool has_predicted_moves(const struct sim_program *p)
{
	for (int t = 0; t < p->threads; t++)
		for (int i = 0; i < p->length[t]; i++)
			switch (p->code[t][i].kind) {
			case DO_COMPARE:
			case DO_TRY_LOCK:
			case DO_TIMED_LOCK:
			case DO_TRY_READ_LOCK:
			case DO_SEM_TRY:
			case DO_SEM_TIMED:
			case DO_TIMED_WAIT:
				return true;
			}
	return false;
}

/* What is wrong with what was found; NULL: nothing. */
static const char *judge(const struct sim_program *p, const struct found *f, bool is_shared,
			 uint64_t *orders)
{
	struct map outcomes = { 0 }, classes = { 0 };
	const char *wrong = NULL;
	if (f->diverged || f->missed)
		return f->diverged ? "a plan could not be followed"
				   : "a planned move could not be made";
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
		if (f->redundant && !has_predicted_moves(p) && !is_shared)
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

/* `seed`: of the order in which several walkers do what they do. */
static const char *try_one(const struct sim_program *p, uint64_t seed, struct totals *t,
			   bool is_shared, bool shows)
{
	struct found f = { 0 };
	const char *wrong = NULL;
	if (is_shared ? reduce_shared(p, seed, EXECUTIONS_MAX, &f)
		      : reduce(p, false, EXECUTIONS_MAX, &f))
		wrong = judge(p, &f, is_shared, &t->orders);
	else if (f.redundant > f.executions)
		wrong = "the search does not end";
	else
		t->cut++;
	t->programs++;
	t->executions += f.executions;
	t->redundant += f.redundant;
	if (shows) {
		sim_print(p);
		printf("# %llu executions, %llu redundant, %zu outcomes, %zu classes, %llu twice, "
		       "%llu diverged, %llu missed: %s\n",
		       (unsigned long long)f.executions, (unsigned long long)f.redundant,
		       f.outcomes.len, f.classes.len, (unsigned long long)f.twice,
		       (unsigned long long)f.diverged, (unsigned long long)f.missed,
		       wrong ? wrong : "right");
	}
	found_release(&f);
	return wrong;
}

static const char *try_program(uint64_t seed, struct totals *t, bool is_shared, bool shows)
{
	struct sim_program p;
	sim_random(&p, seed, seed % 4 != 0);
	return try_one(&p, seed, t, is_shared, shows);
}

/* Gives how many are wrong; their tests follow `number`. */
static int try_kept(int number, bool is_shared)
{
	struct totals t = { 0 };
	struct sim_program p;
	int bad = 0;
	const char *name;
	for (size_t i = 0; (name = sim_kept(&p, i)); i++) {
		const char *wrong = try_one(&p, i, &t, is_shared, false);
		if (wrong)
			try_one(&p, i, &t, is_shared, true);
		printf("%sok %d - %s%s\n", wrong ? "not " : "", ++number, name,
		       is_shared ? ", by several walkers" : "");
		bad += wrong != NULL;
	}
	return bad;
}

/* Larger programs: the same classes by several walkers as by one. */
static const char *try_accesses(uint64_t seed, struct totals *t, bool shows)
{
	struct sim_program p;
	sim_random_accesses(&p, seed);
	struct found all = { 0 }, f = { 0 };
	const char *wrong = NULL;
	t->programs++;
	if (!reduce(&p, false, EXECUTIONS_MAX, &all))
		t->cut++;
	else if (!reduce_shared(&p, seed, 2 * EXECUTIONS_MAX, &f))
		wrong = "several walkers do not come to an end";
	else if (f.diverged || f.missed)
		wrong = "a plan could not be followed";
	else if (missing(&all.classes, &f.classes) || missing(&f.classes, &all.classes))
		wrong = "several walkers find other classes";
	else if (f.twice)
		wrong = "a class was explored twice";
	t->executions += f.executions;
	t->redundant += f.redundant;
	if (shows) {
		sim_print(&p);
		printf("# %llu executions, %llu redundant, %zu classes; %zu by one walker: %s\n",
		       (unsigned long long)f.executions, (unsigned long long)f.redundant,
		       f.classes.len, all.classes.len, wrong ? wrong : "right");
	}
	found_release(&all);
	found_release(&f);
	return wrong;
}

static int try_accesses_many(uint64_t programs, uint64_t first)
{
	struct totals t = { 0 };
	int bad = 0;
	for (uint64_t i = 0; i < programs; i++) {
		const char *wrong = try_accesses(first + i, &t, false);
		if (!wrong || bad++ >= 5)
			continue;
		printf("# seed %llu: %s\n", (unsigned long long)(first + i), wrong);
		try_accesses(first + i, &t, true);
	}
	printf("# %llu programs, %llu too large, %llu executions, %llu redundant\n",
	       (unsigned long long)t.programs, (unsigned long long)t.cut,
	       (unsigned long long)t.executions, (unsigned long long)t.redundant);
	printf("%sok 1 - the same classes by one and by several walkers, of %llu larger programs\n",
	       bad ? "not " : "", (unsigned long long)programs);
	return bad != 0;
}

static int try_many(uint64_t programs, uint64_t first, bool is_shared)
{
	struct totals t = { 0 };
	int bad = 0;
	for (uint64_t i = 0; i < programs; i++) {
		const char *wrong = try_program(first + i, &t, is_shared, false);
		if (!wrong)
			continue;
		if (bad++ < 5) {
			printf("# seed %llu: %s\n", (unsigned long long)(first + i), wrong);
			try_program(first + i, &t, is_shared, true);
		}
	}
	printf("# %llu programs, %llu too large, %llu executions, %llu redundant, all orders tried "
	       "of %llu\n",
	       (unsigned long long)t.programs, (unsigned long long)t.cut,
	       (unsigned long long)t.executions, (unsigned long long)t.redundant,
	       (unsigned long long)t.orders);
	printf("%sok 1 - every outcome, and every class once, of %llu random programs%s\n",
	       bad ? "not " : "", (unsigned long long)programs,
	       is_shared ? ", by several walkers" : "");
	bad += try_kept(1, is_shared);
	return bad != 0;
}

static const char *try_deepening(uint64_t seed, struct totals *t, uint64_t *by_dpor,
				 size_t *most_rounds, bool is_shared, bool shows)
{
	struct sim_program p;
	sim_random(&p, seed, seed % 4 != 0);
	struct found all = { 0 }, f = { 0 };
	struct map outcomes = { 0 };
	uint64_t last = 0;
	size_t rounds = 0;
	const char *wrong = NULL;
	t->programs++;
	if (!reduce(&p, false, EXECUTIONS_MAX, &all) ||
	    !reference_outcomes(&p, STATES_MAX, true, &outcomes))
		t->cut++;
	else if (!deepen_shared(&p, is_shared ? seed : 0, 4 * EXECUTIONS_MAX, &f, &last, &rounds))
		wrong = "deepening does not end";
	else if (missing(&outcomes, &f.outcomes))
		wrong = "an outcome is missing";
	else if (missing(&f.outcomes, &outcomes))
		wrong = "an outcome is impossible";
	else if (last > all.executions && !is_shared)
		wrong = "the last space is larger than the whole one";
	*by_dpor += rounds ? all.executions : 0;
	t->executions += f.executions;
	t->redundant += f.redundant;
	if (rounds > *most_rounds)
		*most_rounds = rounds;
	if (shows) {
		sim_print(&p);
		printf("# %llu executions in %zu spaces, %llu in the last, %llu without deepening; "
		       "%zu outcomes, %zu wanted: %s\n",
		       (unsigned long long)f.executions, rounds, (unsigned long long)last,
		       (unsigned long long)all.executions, f.outcomes.len, outcomes.len,
		       wrong ? wrong : "right");
	}
	map_release(&outcomes);
	found_release(&all);
	found_release(&f);
	return wrong;
}

static int try_deepening_many(uint64_t programs, uint64_t first, bool is_shared)
{
	struct totals t = { 0 };
	uint64_t by_dpor = 0;
	size_t most_rounds = 0;
	int bad = 0;
	for (uint64_t i = 0; i < programs; i++) {
		const char *wrong =
			try_deepening(first + i, &t, &by_dpor, &most_rounds, is_shared, false);
		if (!wrong || bad++ >= 5)
			continue;
		printf("# seed %llu: %s\n", (unsigned long long)(first + i), wrong);
		try_deepening(first + i, &t, &by_dpor, &most_rounds, is_shared, true);
	}
	printf("# %llu programs, %llu too large, %llu executions in at most %zu spaces, %llu "
	       "redundant; %llu without deepening\n",
	       (unsigned long long)t.programs, (unsigned long long)t.cut,
	       (unsigned long long)t.executions, most_rounds, (unsigned long long)t.redundant,
	       (unsigned long long)by_dpor);
	printf("%sok 1 - every outcome by iterative deepening, of %llu random programs%s\n",
	       bad ? "not " : "", (unsigned long long)programs,
	       is_shared ? ", by several workers" : "");
	return bad != 0;
}

/* A fault that one program in ten thousand shows is searched for where one does. */
static uint64_t first_seed(enum fault fault)
{
	return fault == FAULT_ANSWERS_COVER_NOTHING ? 2700
	       : fault == FAULT_REVERSAL_KEEPS_END  ? 8460
						    : 0;
}

/* A fault in what workers share. */
static bool is_of_sharing(enum fault fault)
{
	return fault >= FAULT_SHARED_NODE_ENDS_EARLY && fault <= FAULT_RETURNED_PLANS_DROPPED;
}

static const char *try_fault(enum fault fault, uint64_t seed, struct totals *t)
{
	uint64_t by_dpor = 0;
	size_t rounds = 0;
	if (fault == FAULT_DEEPENING_SKIPS_WHOLE_SPACE)
		return try_deepening(2 * seed + 1, t, &by_dpor, &rounds, true, false);
	/* Only programs of many threads show these. */
	if (fault == FAULT_REVERSAL_ENDS_AT_RACE || fault == FAULT_OLD_PREFIX_WITHOUT_RACES)
		return try_accesses(2 * seed + 1, t, false);
	return try_program(first_seed(fault) + seed, t, is_of_sharing(fault), false);
}

/* Kept programs show at once what few random ones do. */
static const char *try_fault_kept(struct totals *t)
{
	struct sim_program p;
	const char *wrong = NULL;
	for (size_t i = 0; !wrong && sim_kept(&p, i); i++)
		wrong = try_one(&p, i, t, false, false);
	return wrong;
}

/* Every fault that the suite `reduction` must detect; with a name only that one. */
static int try_faults(uint64_t programs, const char *name)
{
	int bad = 0, number = 0;
	struct totals t = { 0 };
	for (enum fault fault = 0; fault < FAULTS_COUNT; fault++) {
		if (name ? strcmp(fault_name(fault), name) : !fault_is_of_suite(fault, "reduction"))
			continue;
		bool has_kept = !is_of_sharing(fault) && fault != FAULT_DEEPENING_SKIPS_WHOLE_SPACE;
		fault_choose(fault);
		uint64_t i = 0;
		const char *wrong = has_kept ? try_fault_kept(&t) : NULL;
		while (i < programs && !wrong)
			wrong = try_fault(fault, ++i, &t);
		printf("%sok %d - fault %s: %s after %llu random program%s\n", wrong ? "" : "not ",
		       ++number, fault_name(fault), wrong ? wrong : "not detected",
		       (unsigned long long)i, i == 1 ? "" : "s");
		bad |= !wrong;
	}
	return bad || !number;
}

/* A full binary tree: after k of 2^depth leaves the part behind is k / 2^depth: both branches of
 * a choice are known at once. */
static int try_estimate(void)
{
	int bad = 0;
	for (int depth = 1; depth <= 8; depth++) {
		struct sim_program p = { .threads = 1, .joins_all = true };
		for (int i = 0; i < depth; i++)
			p.code[0][p.length[0]++] =
				(struct instruction){ .kind = DO_CHOOSE, .b = 2 };
		p.code[0][p.length[0]++] = (struct instruction){ .kind = DO_EXIT };
		struct dpor d;
		dpor_init(&d, false, NULL);
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
			double want = (double)leaves++ / (double)(1 << depth),
			       got = dpor_progress(&d);
			if (got > want - 1e-9 && got < want + 1e-9)
				continue;
			if (!wrong++)
				printf("# depth %d, after %d leaves: %f instead of %f\n", depth,
				       leaves - 1, got, want);
		}
		wrong += leaves != 1 << depth;
		printf("%sok %d - estimate along a binary tree of depth %d\n", wrong ? "not " : "",
		       depth, depth);
		bad |= wrong != 0;
		dpor_release(&d);
	}
	return bad;
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc > 2 && !strcmp(argv[1], "deepen"))
		return try_deepening_many(strtoull(argv[2], NULL, 0),
					  argc > 3 ? strtoull(argv[3], NULL, 0) : 1, false);
	if (argc > 2 && !strcmp(argv[1], "deepen-share"))
		return try_deepening_many(strtoull(argv[2], NULL, 0),
					  argc > 3 ? strtoull(argv[3], NULL, 0) : 1, true);
	if (argc > 1 && !strcmp(argv[1], "estimate"))
		return try_estimate();
	if (argc > 2 && !strncmp(argv[1], "mcr", 3)) {
		enum mcr_test test = (strstr(argv[1], "-value") ? MCR_TEST_VALUES : 0) |
				     (strstr(argv[1], "-share") ? MCR_TEST_SHARED : 0) |
				     (strstr(argv[1], "-unused") ? MCR_TEST_UNUSED : 0);
		int bad = 0;
		if (strstr(argv[1], "-show"))
			return show_mcr(test, strtoull(argv[2], NULL, 0));
		if (!strstr(argv[1], "-faults"))
			return try_mcr(test, strtoull(argv[2], NULL, 0),
				       argc > 3 ? strtoull(argv[3], NULL, 0) : 1);
		for (int i = 3; i < argc; i++)
			bad |= try_mcr_fault(test, argv[i], strtoull(argv[2], NULL, 0));
		return bad;
	}
	if (argc > 2 && !strcmp(argv[1], "share"))
		return try_many(strtoull(argv[2], NULL, 0),
				argc > 3 ? strtoull(argv[3], NULL, 0) : 1, true);
	if (argc > 2 && !strcmp(argv[1], "accesses"))
		return try_accesses_many(strtoull(argv[2], NULL, 0),
					 argc > 3 ? strtoull(argv[3], NULL, 0) : 1);
	if (argc > 2 && !strcmp(argv[1], "show")) {
		struct totals t = { 0 };
		return try_program(strtoull(argv[2], NULL, 0), &t, argc > 3, true) != NULL;
	}
	if (argc > 2 && !strcmp(argv[1], "faults"))
		return try_faults(strtoull(argv[2], NULL, 0), argc > 3 ? argv[3] : NULL);
	return try_many(argc > 1 ? strtoull(argv[1], NULL, 0) : 1000,
			argc > 2 ? strtoull(argv[2], NULL, 0) : 1, false);
}
