/* SPDX-License-Identifier: Apache-2.0 */
/* Searches of several walkers in one thread, in random order; see found.h. */
#include <stdlib.h>

#include "explore/deepening/deepen.h"
#include "explore_vs_dfs/moments.h"
#include "explore_vs_dfs/found.h"

#define WALKERS_MAX 5

struct group {
	struct worktree tree;
	struct dpor *walkers[WALKERS_MAX];
	const struct plan *plans[WALKERS_MAX];
	uint32_t count;
	uint64_t diverged, missed; /* of those that went */
};

static void gather(struct group *c, uint32_t count, struct buf *saved)
{
	worktree_init(&c->tree, &shared_nodes, count);
	struct bytes in = { (const unsigned char *)saved->at, saved->len, false };
	struct err err;
	if (saved->len && (worktree_load(&c->tree, &in, &err) || in.left))
		abort();
	c->count = count;
	for (uint32_t i = 0; i < count; i++) {
		c->walkers[i] = mem_alloc(sizeof(struct dpor));
		dpor_init(c->walkers[i], false, &c->tree);
		c->plans[i] = NULL;
	}
}

static void part(struct group *c)
{
	for (uint32_t i = 0; i < c->count; i++) {
		c->diverged += c->walkers[i]->diverged;
		c->missed += c->walkers[i]->missed;
		dpor_release(c->walkers[i]);
		mem_free(c->walkers[i]);
	}
	worktree_release(&c->tree);
}

static void act(struct group *c, uint32_t w, const struct sim_program *p, struct sim *sim,
		struct found *f, uint64_t random)
{
	struct execution x;
	struct err err;
	bool is_redundant;
	if (!c->plans[w]) {
		c->plans[w] = dpor_plan(c->walkers[w]);
		return;
	}
	sim->has_diverged = false;
	sim_run(sim, c->plans[w], &x, &err);
	c->plans[w] = NULL;
	c->walkers[w]->cancellation = cancellation_at(random, 512);
	if (dpor_take(c->walkers[w], &x, &is_redundant, &err))
		abort();
	if (c->walkers[w]->is_planned)
		return;
	found_note(f, p, sim, &x, is_redundant);
	f->missed += c->walkers[w]->missed;
}

bool reduce_shared(const struct sim_program *p, uint64_t seed, uint64_t limit, struct found *f)
{
	static struct sim sim;
	sim.program = p;
	struct group c = { 0 };
	struct buf saved = { 0 };
	uint64_t random = seed;
	gather(&c, 2 + (uint32_t)(seed % (WALKERS_MAX - 1)), &saved);
	while (!worktree_is_over(&c.tree) && !f->is_cut && !f->diverged && !f->missed &&
	       !f->twice) {
		/* A walker that takes has to plan before others look at what is there. */
		if (seed % 3 == 0 && next_random(&random) % 37 == 0) {
			for (uint32_t w = 0; w < c.count; w++)
				if (!c.plans[w])
					c.plans[w] = dpor_plan(c.walkers[w]);
			buf_clear(&saved);
			shared_save(&c.tree, c.walkers, c.count, &saved);
			part(&c);
			gather(&c, 1 + (uint32_t)next_random(&random) % WALKERS_MAX, &saved);
		}
		uint32_t who = (uint32_t)next_random(&random) % c.count;
		act(&c, who, p, &sim, f, next_random(&random));
		f->is_cut = f->executions + f->redundant >= limit;
	}
	part(&c);
	f->diverged += c.diverged;
	buf_release(&saved);
	return !f->is_cut;
}

/* ---- deepening ---- */

struct team {
	struct deepen deepen;
	struct explore_config config;
	const struct plan *plans[WALKERS_MAX];
};

/* With a limit of time smaller spaces are tried; the clock counts executions, and the search goes
 * on behind the limit. */
static void team_begin(struct team *t, unsigned workers, uint64_t max_seconds,
		       const struct buf *saved)
{
	*t = (struct team){ .config = { .workers = workers,
					.max_preemptions = UINT64_MAX,
					.max_seconds = max_seconds,
					.goes_on = true } };
	deepen_init(&t->deepen, &t->config);
	struct bytes in = { (const unsigned char *)saved->at, saved->len, false };
	struct err err;
	if (saved->len && (deepen_load(&t->deepen, &in, &err) || in.left))
		abort();
}

static void team_act(struct team *t, unsigned w, const struct sim_program *p, struct found *f,
		     bool *is_over)
{
	static struct sim sim;
	sim.program = p;
	struct execution x;
	struct err err;
	struct taken taken = { 0 };
	if (!t->plans[w]) {
		t->plans[w] = deepen_plan(&t->deepen, w, is_over);
		return;
	}
	sim.has_diverged = false;
	sim_run(&sim, t->plans[w], &x, &err);
	t->plans[w] = NULL;
	t->deepen.seconds++;
	if (deepen_take(&t->deepen, w, &x, &taken, &err))
		abort();
	found_note(f, p, &sim, &x, taken.is_redundant);
	f->diverged += taken.failed_plans;
}

bool deepen_shared(const struct sim_program *p, uint64_t seed, uint64_t limit, struct found *f,
		   uint64_t *last, size_t *rounds)
{
	struct team t;
	struct buf saved = { 0 };
	uint64_t random = seed;
	bool is_over = false;
	uint64_t max_seconds = seed & 1 ? 1 + seed / 2 % 64 * 10 : 0;
	team_begin(&t, seed ? 2 + (unsigned)(seed % (WALKERS_MAX - 1)) : 1, max_seconds, &saved);
	while (!is_over && !f->is_cut) {
		if (seed && seed % 3 == 0 && next_random(&random) % 37 == 0) {
			buf_clear(&saved);
			deepen_save(&t.deepen, &saved);
			deepen_release(&t.deepen);
			team_begin(&t, 1 + (unsigned)next_random(&random) % WALKERS_MAX,
				   max_seconds, &saved);
		}
		/* These programs are too small for an estimate, so the decision comes at any time.
		 */
		if (max_seconds && !t.deepen.tries_smaller && next_random(&random) % 8 == 0)
			deepen_try_smaller(&t.deepen);
		team_act(&t, (unsigned)next_random(&random) % t.config.workers, p, f, &is_over);
		f->is_cut = f->executions + f->redundant >= limit;
	}
	*rounds = t.deepen.spaces.len;
	*last = t.deepen.spaces.len ? vec_last(&t.deepen.spaces).executions : 0;
	bool is_complete = deepen_is_complete(&t.deepen);
	deepen_release(&t.deepen);
	buf_release(&saved);
	return is_complete && !f->is_cut;
}
