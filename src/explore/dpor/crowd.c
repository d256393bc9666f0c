/* SPDX-License-Identifier: Apache-2.0 */
/* See crowd.h; and the strategies that are nothing else. */
#include "explore/dpor/crowd.h"

#include "base/alloc.h"

void crowd_init(struct crowd *c, const struct explore_config *config, bool is_total)
{
	c->count = config->workers;
	search_init(&c->search, c->count);
	c->search.wake = config->wake;
	c->search.wake_arg = config->wake_arg;
	c->walkers = mem_zero(c->count, sizeof(*c->walkers));
	for (unsigned i = 0; i < c->count; i++) {
		dpor_init(&c->walkers[i].dpor, is_total, &c->search);
		c->walkers[i].dpor.max_preemptions = config->max_preemptions;
		c->walkers[i].dpor.patience = config->patience;
	}
}

void crowd_release(struct crowd *c)
{
	for (unsigned i = 0; i < c->count; i++)
		dpor_release(&c->walkers[i].dpor);
	mem_free(c->walkers);
	search_release(&c->search);
}

const struct plan *crowd_plan(struct crowd *c, unsigned worker, bool *is_over)
{
	const struct plan *p = dpor_plan(&c->walkers[worker].dpor);
	*is_over = !p && search_is_over(&c->search);
	return p;
}

int crowd_take(struct crowd *c, unsigned worker, const struct execution *x, struct taken *t,
	       struct err *err)
{
	struct crowd_walker *w = &c->walkers[worker];
	int rc = dpor_take(&w->dpor, x, &t->is_redundant, err);
	t->is_given_up = w->dpor.is_planned && !rc;
	t->failed_plans = w->dpor.diverged + w->dpor.missed - w->failed_plans;
	t->is_bounded = w->dpor.bounded != w->bounded;
	w->failed_plans = w->dpor.diverged + w->dpor.missed;
	w->bounded = w->dpor.bounded;
	return rc;
}

double crowd_progress(struct crowd *c)
{
	double behind = search_progress(&c->search);
	for (unsigned i = 0; i < c->count; i++)
		behind += dpor_progress(&c->walkers[i].dpor);
	return behind;
}

double crowd_progress_of(struct crowd *c, unsigned worker)
{
	return search_progress(&c->search) + dpor_progress(&c->walkers[worker].dpor);
}

void crowd_save(const struct crowd *c, struct buf *out)
{
	struct dpor **all = mem_zero(c->count, sizeof(*all));
	for (unsigned i = 0; i < c->count; i++)
		all[i] = &c->walkers[i].dpor;
	search_save(&c->search, all, c->count, out);
	mem_free(all);
}

int crowd_load(struct crowd *c, struct bytes *in, struct err *err)
{
	return search_load(&c->search, in, err);
}

/* ---- strategies ---- */

static void *new_dpor(const struct explore_config *config)
{
	struct crowd *c = mem_alloc(sizeof(*c));
	crowd_init(c, config, false);
	return c;
}

static void *new_dfs(const struct explore_config *config)
{
	struct crowd *c = mem_alloc(sizeof(*c));
	crowd_init(c, config, true);
	return c;
}

static void end_crowd(void *state)
{
	crowd_release(state);
	mem_free(state);
}

static const struct plan *plan_crowd(void *state, unsigned worker, bool *is_over)
{
	return crowd_plan(state, worker, is_over);
}

static int take_crowd(void *state, unsigned worker, const struct execution *x, struct taken *t,
		      struct err *err)
{
	return crowd_take(state, worker, x, t, err);
}

static double progress_of_crowd(void *state)
{
	return crowd_progress(state);
}

static void save_crowd(const void *state, struct buf *out)
{
	crowd_save(state, out);
}

static int load_crowd(void *state, struct bytes *in, struct err *err)
{
	return crowd_load(state, in, err);
}

const struct strategy strategy_dpor = { .name = "dpor",
					.is_exhaustive = true,
					.new = new_dpor,
					.end = end_crowd,
					.plan = plan_crowd,
					.take = take_crowd,
					.progress = progress_of_crowd,
					.save = save_crowd,
					.load = load_crowd };
/* The same search with every two moves dependent. */
const struct strategy strategy_dfs = { .name = "dfs",
				       .is_exhaustive = true,
				       .new = new_dfs,
				       .end = end_crowd,
				       .plan = plan_crowd,
				       .take = take_crowd,
				       .progress = progress_of_crowd,
				       .save = save_crowd,
				       .load = load_crowd };
