/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Maximal causality reduction against search without reduction, on random programs: the same
 * outcomes, nothing that cannot be, and no class of executions (by what every move saw) twice;
 * and the same again by several workers, with interruptions.
 */
#include "explore/mcr/mcr.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "explore_vs_dfs/moments.h"
#include "explore_vs_dfs/tests.h"
#include "faults/choose.h"

struct found {
	struct map outcomes, classes;
	uint64_t executions, redundant, twice, diverged, presumed, questions, unknown, restarts;
	bool is_cut, is_stuck;
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

#define WORKERS_MAX 4

/* Workers in one thread, of which each is at another place when the next one plans or takes. */
struct crew {
	struct mcr_tree tree;
	struct mcr workers[WORKERS_MAX];
	const struct plan *plans[WORKERS_MAX];
	uint32_t count;
	bool by_value;
	uint64_t unused[THREADS_MAX * CODE_MAX];
	size_t unused_count;
	uint64_t restarts;
};

/* False: what was saved cannot be read. */
static bool gather(struct crew *c, uint32_t count, struct buf *saved)
{
	mcr_tree_init(&c->tree, count, c->by_value, true);
	struct bytes in = { (const unsigned char *)saved->at, saved->len, false };
	struct err err;
	bool is_right = !saved->len || (!mcr_tree_load(&c->tree, &in, &err) && !in.left);
	c->count = count;
	for (uint32_t i = 0; i < count; i++) {
		mcr_init(&c->workers[i], &c->tree);
		c->workers[i].sources.depends = (struct depends){ c->unused, c->unused_count };
		c->plans[i] = NULL;
	}
	return is_right;
}

static void part(struct crew *c, struct found *f)
{
	for (uint32_t i = 0; i < c->count; i++) {
		const struct mcr *m = &c->workers[i];
		f->diverged += m->diverged;
		f->presumed += m->presumed;
		f->questions += m->questions;
		f->unknown += m->unknown;
		c->restarts += m->restarts;
		mcr_release(&c->workers[i]);
	}
	mcr_tree_release(&c->tree);
}

static void act(struct crew *c, struct mcr *m, const struct plan *plan, const struct sim_program *p,
		struct found *f, uint64_t random)
{
	static struct sim sim;
	struct execution x;
	struct err err;
	bool is_redundant, is_new;
	sim.program = p;
	sim.has_diverged = false;
	sim_run(&sim, plan, &x, &err);
	uint64_t restarts = m->restarts;
	m->cancellation = cancellation_at(random, 8192);
	if (mcr_take(m, &x, &is_redundant, &err))
		abort();
	/* Of an age that is past, nothing is expected. */
	f->diverged += sim.has_diverged && !mcr_expects_divergence(m) &&
		       !(is_redundant && mcr_tree_is_past(&c->tree, &m->claim));
	/* What counted as different before may not do so now. */
	if (m->restarts > restarts)
		map_clear(&f->classes);
	if (m->cancellation.is_cancelled)
		return;
	f->redundant += is_redundant;
	if (is_redundant)
		return;
	f->executions++;
	map_put(&f->outcomes, sim_outcome(p, &sim.last, false), NULL);
	map_put(&f->classes, class_of(m), &is_new);
	f->twice += !is_new;
}

/* seed 0: one worker, without interruption; otherwise several, and from time to time all of it is
 * saved and read again. */
static bool explore_by_sources(const struct sim_program *p, enum mcr_test test, uint64_t seed,
			       uint64_t limit, struct found *f)
{
	bool by_value = test & MCR_TEST_VALUES;
	struct crew c = { .by_value = by_value };
	if (test & MCR_TEST_UNUSED)
		c.unused_count = sim_unused_places(p, c.unused);
	struct buf saved = { 0 };
	uint64_t random = seed;
	uint32_t most = seed ? WORKERS_MAX : 1, idle = 0;
	gather(&c, most, &saved);
	while (!f->is_cut && !f->is_stuck && !f->diverged && !(f->twice && p->joins_all)) {
		uint32_t w = most > 1 ? (uint32_t)next_random(&random) % c.count : 0;
		if (c.plans[w]) {
			act(&c, &c.workers[w], c.plans[w], p, f, seed ? next_random(&random) : 1);
			c.plans[w] = NULL;
			idle = 0;
		} else if (!(c.plans[w] = mcr_plan(&c.workers[w])) &&
			   worktree_is_over(&c.tree.work)) {
			break;
		}
		f->is_cut = f->executions + f->redundant >= limit;
		f->is_stuck = ++idle > 1000;
		if (!seed || next_random(&random) % 23)
			continue;
		buf_clear(&saved);
		mcr_tree_save(&c.tree, &saved);
		part(&c, f);
		f->is_stuck |= !gather(&c, 1 + (uint32_t)next_random(&random) % most, &saved);
	}
	part(&c, f);
	f->restarts = c.restarts;
	buf_release(&saved);
	return !f->is_cut;
}

/* By several workers the tree is the same. */
static const char *try_shared(const struct sim_program *p, enum mcr_test test, uint64_t seed,
			      const struct found *alone)
{
	struct found f = { 0 };
	const char *wrong = NULL;
	explore_by_sources(p, test, seed + 1, EXECUTIONS_MAX, &f);
	if (f.is_cut || f.is_stuck)
		wrong = "the search of several does not end";
	else if (f.diverged || f.unknown)
		wrong = "a plan of several could not be followed";
	else if (missing(&f.outcomes, &alone->outcomes) || missing(&alone->outcomes, &f.outcomes))
		wrong = "several have other outcomes";
	/* How far others come before main ends the process depends on the execution with which
	 * all began. */
	else if ((p->joins_all || (!f.restarts && !alone->restarts)) &&
		 (missing(&f.classes, &alone->classes) || missing(&alone->classes, &f.classes)))
		wrong = "several have other classes";
	else if (!f.restarts && !alone->restarts &&
		 (f.executions != alone->executions || f.redundant != alone->redundant))
		wrong = "several need another number of executions";
	found_release(&f);
	return wrong;
}

/* Without the knowledge there are more classes, and nothing else. */
static const char *try_knowing_less(const struct sim_program *p, enum mcr_test test,
				    const struct found *knowing, uint64_t *more)
{
	struct found f = { 0 };
	const char *wrong = NULL;
	if (explore_by_sources(p, test & ~(unsigned)MCR_TEST_UNUSED, 0, EXECUTIONS_MAX, &f)) {
		if (missing(&f.outcomes, &knowing->outcomes) ||
		    missing(&knowing->outcomes, &f.outcomes))
			wrong = "other outcomes if it is known what nothing depends on";
		/* By value more can be joined if a read has shown what memory contains at first. */
		else if (p->joins_all && !f.restarts && !knowing->restarts &&
			 !(test & MCR_TEST_VALUES) && f.executions < knowing->executions)
			wrong = "more executions if it is known what nothing depends on";
		else if (f.executions > knowing->executions)
			*more += f.executions - knowing->executions;
	}
	found_release(&f);
	return wrong;
}

static const char *try_program(uint64_t seed, enum mcr_test test, struct totals *t, bool shows)
{
	struct sim_program p;
	if (test & MCR_TEST_VALUES && seed % 2)
		sim_random_values(&p, seed);
	else
		sim_random(&p, seed, seed % 4 != 0);
	struct found f = { 0 };
	struct map outcomes = { 0 };
	const char *wrong = NULL;
	t->programs++;
	if (test & MCR_TEST_UNUSED)
		sim_drop_values(&p, seed);
	if (!explore_by_sources(&p, test, 0, EXECUTIONS_MAX, &f)) {
		t->cut++;
		if (f.redundant > 4 * f.executions)
			wrong = "the search does not end";
	} else if (f.is_stuck) {
		wrong = "the search has nothing to do and is not over";
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
	if (!wrong && !f.is_cut && test & MCR_TEST_SHARED)
		wrong = try_shared(&p, test, seed, &f);
	if (!wrong && !f.is_cut && test & MCR_TEST_UNUSED)
		wrong = try_knowing_less(&p, test, &f, &t->more);
	t->executions += f.executions;
	t->redundant += f.redundant;
	t->questions += f.questions;
	if (shows) {
		sim_print(&p);
		printf("# %llu executions, %llu redundant, %llu presumed, %zu outcomes of %zu, "
		       "%llu twice, %llu diverged: %s\n",
		       (unsigned long long)f.executions, (unsigned long long)f.redundant,
		       (unsigned long long)f.presumed, f.outcomes.len, outcomes.len,
		       (unsigned long long)f.twice, (unsigned long long)f.diverged,
		       wrong ? wrong : "right");
	}
	map_release(&outcomes);
	found_release(&f);
	return wrong;
}

int try_mcr(enum mcr_test test, uint64_t programs, uint64_t first)
{
	struct totals t = { 0 };
	int bad = 0;
	for (uint64_t i = 0; i < programs; i++) {
		const char *wrong = try_program(first + i, test, &t, false);
		if (!wrong || bad++ >= 5)
			continue;
		printf("# seed %llu: %s\n", (unsigned long long)(first + i), wrong);
		try_program(first + i, test, &t, true);
	}
	printf("# %llu programs, %llu too large, %llu executions, %llu redundant, %llu questions\n",
	       (unsigned long long)t.programs, (unsigned long long)t.cut,
	       (unsigned long long)t.executions, (unsigned long long)t.redundant,
	       (unsigned long long)t.questions);
	if (test & MCR_TEST_UNUSED) {
		printf("# %llu executions more if it is not known what nothing depends on\n",
		       (unsigned long long)t.more);
		bad += !t.more;
	}
	printf("%sok 1 - every outcome by %s of what moves see, no class twice%s%s, of %llu random "
	       "programs\n",
	       bad ? "not " : "", test & MCR_TEST_VALUES ? "value" : "writer",
	       test & MCR_TEST_SHARED ? ", the same by several workers" : "",
	       test & MCR_TEST_UNUSED ? ", without what nothing depends on" : "",
	       (unsigned long long)programs);
	return bad != 0;
}

int try_mcr_fault(enum mcr_test test, const char *name, uint64_t programs)
{
	enum fault fault = 0;
	while (fault < FAULTS_COUNT && strcmp(fault_name(fault), name))
		fault++;
	if (fault == FAULTS_COUNT) {
		printf("not ok - there is no fault %s\n", name);
		return 1;
	}
	struct totals t = { 0 };
	/* Few programs show this one. */
	uint64_t first = fault == FAULT_VALUE_ADDITIONS_FORCED ? 226040 : 0, i = first;
	const char *wrong = NULL;
	programs += first;
	fault_choose(fault);
	while (i < programs && !wrong)
		wrong = try_program(++i, test, &t, false);
	fault_choose(FAULTS_COUNT);
	printf("%sok - fault %s: %s after %llu program%s\n", wrong ? "" : "not ", name,
	       wrong ? wrong : "not detected", (unsigned long long)(i - first),
	       i - first == 1 ? "" : "s");
	return !wrong;
}

int show_mcr(enum mcr_test test, uint64_t seed)
{
	struct totals t = { 0 };
	return try_program(seed, test, &t, true) != NULL;
}
