/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Maximal causality reduction against search without reduction, on random programs: the same outcomes, nothing that
 * cannot be, and no class of executions (by what every move saw) twice.
 */
#include "explore/mcr.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "explore/fault.h"
#include "reduction/tests.h"

struct found {
	struct map outcomes, classes;
	uint64_t executions, redundant, twice, diverged, presumed, questions, unknown;
	bool is_cut;
};

static void found_release(struct found *f)
{
	map_release(&f->outcomes);
	map_release(&f->classes);
}

/* The class of the execution that was taken last: pasts of the last moves of all threads. */
static uint64_t class_of(const struct mcr *m)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < m->sources.real; i++)
		sum += hash_mix(5, m->sources.whole.at[i]);
	return sum;
}

static bool explore_by_sources(const struct sim_program *p, uint64_t limit, struct found *f)
{
	struct mcr_tree tree;
	struct mcr m;
	mcr_tree_init(&tree, getenv("MCR_VALUE"), true);
	mcr_init(&m, &tree);
	static struct sim sim;
	sim.program = p;
	const struct plan *plan;
	while (!f->is_cut && (plan = mcr_plan(&m))) {
		struct execution x;
		struct err err;
		bool is_redundant, is_new;
		sim.has_diverged = false;
		sim_run(&sim, plan, &x, &err);
		uint64_t restarts = m.restarts;
		if (mcr_take(&m, &x, &is_redundant, &err))
			abort();
		f->diverged += sim.has_diverged && !mcr_expects_divergence(&m);
		/* What counted as different before may not do so now. */
		if (m.restarts > restarts)
			map_clear(&f->classes);
		f->redundant += is_redundant;
		if (!is_redundant) {
			f->executions++;
			map_put(&f->outcomes, sim_outcome(p, &sim.last, false), NULL);
			map_put(&f->classes, class_of(&m), &is_new);
			f->twice += !is_new;
		}
		f->is_cut = f->executions + f->redundant >= limit;
		if (f->diverged + m.diverged || (f->twice && p->joins_all))
			break;
	}
	f->diverged += m.diverged;
	f->presumed = m.presumed;
	f->questions = m.questions;
	f->unknown = m.unknown;
	mcr_release(&m);
	mcr_tree_release(&tree);
	return !f->is_cut;
}

static const char *try_program(uint64_t seed, struct totals *t, bool shows)
{
	struct sim_program p;
	sim_random(&p, seed, seed % 4 != 0);
	struct found f = {0};
	struct map outcomes = {0};
	const char *wrong = NULL;
	t->programs++;
	if (!explore_by_sources(&p, EXECUTIONS_MAX, &f)) {
		t->cut++;
		if (f.redundant > 4 * f.executions)
			wrong = "the search does not end";
	} else if (f.diverged || f.unknown) {
		wrong = f.diverged ? "a plan could not be followed" : "a question was not answered";
	} else if (f.twice && p.joins_all) {
		wrong = "a class was explored twice";
	} else if (reference_outcomes(&p, STATES_MAX, false, &outcomes)) {
		if (missing(&outcomes, &f.outcomes))
			wrong = "an outcome is missing";
		else if (missing(&f.outcomes, &outcomes))
			wrong = "an outcome is impossible";
	}
	t->executions += f.executions;
	t->redundant += f.redundant;
	t->questions += f.questions;
	if (shows) {
		sim_print(&p);
		printf("# %llu executions, %llu redundant, %llu presumed, %zu outcomes of %zu, %llu twice, %llu diverged: %s\n",
		       (unsigned long long)f.executions, (unsigned long long)f.redundant, (unsigned long long)f.presumed,
		       f.outcomes.len, outcomes.len, (unsigned long long)f.twice, (unsigned long long)f.diverged,
		       wrong ? wrong : "right");
	}
	map_release(&outcomes);
	found_release(&f);
	return wrong;
}

int try_mcr(uint64_t programs, uint64_t first)
{
	struct totals t = {0};
	int bad = 0;
	for (uint64_t i = 0; i < programs; i++) {
		const char *wrong = try_program(first + i, &t, false);
		if (!wrong || bad++ >= 5)
			continue;
		printf("# seed %llu: %s\n", (unsigned long long)(first + i), wrong);
		try_program(first + i, &t, true);
	}
	printf("# %llu programs, %llu too large, %llu executions, %llu redundant, %llu questions\n", (unsigned long long)t.programs,
	       (unsigned long long)t.cut, (unsigned long long)t.executions, (unsigned long long)t.redundant,
	       (unsigned long long)t.questions);
	printf("%sok 1 - every outcome by what moves see, no class twice, of %llu random programs\n", bad ? "not " : "",
	       (unsigned long long)programs);
	return bad != 0;
}

#ifdef HEDDLE_FAULT
int try_mcr_fault(int fault, uint64_t programs)
{
	struct totals t = {0};
	uint64_t i = 0;
	const char *wrong = NULL;
	explore_fault = fault;
	while (i < programs && !wrong)
		wrong = try_program(++i, &t, false);
	explore_fault = 0;
	printf("%sok %d - fault %d: %s after %llu program%s\n", wrong ? "" : "not ", fault, fault, wrong ? wrong : "not seen",
	       (unsigned long long)i, i == 1 ? "" : "s");
	return !wrong;
}
#endif

int show_mcr(uint64_t seed)
{
	struct totals t = {0};
	return try_program(seed, &t, true) != NULL;
}
