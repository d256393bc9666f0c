/* SPDX-License-Identifier: Apache-2.0 */
/* One search by dpor with a walker for each worker; see pool.h. */
#include "explore/dpor/pool.h"

#include "base/alloc.h"

void dpor_pool_init(struct dpor_pool *p, const struct explore_config *c, bool is_total)
{
	p->count = c->workers;
	worktree_init(&p->tree, &shared_nodes, p->count);
	p->tree.wake = c->wake;
	p->tree.wake_arg = c->wake_arg;
	p->workers = mem_zero(p->count, sizeof(*p->workers));
	for (unsigned i = 0; i < p->count; i++) {
		dpor_init(&p->workers[i].dpor, is_total, &p->tree);
		p->workers[i].dpor.max_preemptions = c->max_preemptions;
		p->workers[i].dpor.cancellation = c->cancellation;
	}
}

void dpor_pool_release(struct dpor_pool *p)
{
	for (unsigned i = 0; i < p->count; i++)
		dpor_release(&p->workers[i].dpor);
	mem_free(p->workers);
	worktree_release(&p->tree);
}

const struct plan *dpor_pool_plan(struct dpor_pool *p, unsigned worker, bool *is_over)
{
	const struct plan *plan = dpor_plan(&p->workers[worker].dpor);
	*is_over = !plan && worktree_is_over(&p->tree);
	return plan;
}

int dpor_pool_take(struct dpor_pool *p, unsigned worker, const struct execution *x, struct taken *t,
		   struct err *err)
{
	struct dpor_worker *w = &p->workers[worker];
	int rc = dpor_take(&w->dpor, x, &t->is_redundant, err);
	t->is_given_up = w->dpor.is_planned && !rc;
	t->was_test = w->dpor.was_test;
	t->failed_plans = w->dpor.diverged + w->dpor.missed - w->failed_plans;
	t->is_bounded = w->dpor.bounded != w->bounded;
	w->failed_plans = w->dpor.diverged + w->dpor.missed;
	w->bounded = w->dpor.bounded;
	return rc;
}

double dpor_pool_progress(struct dpor_pool *p)
{
	double explored = worktree_progress(&p->tree);
	for (unsigned i = 0; i < p->count; i++)
		explored += dpor_progress(&p->workers[i].dpor);
	return explored;
}

double dpor_pool_progress_of(struct dpor_pool *p, unsigned worker)
{
	return worktree_progress(&p->tree) + dpor_progress(&p->workers[worker].dpor);
}

void dpor_pool_save(const struct dpor_pool *p, struct buf *out)
{
	struct dpor **all = mem_zero(p->count, sizeof(*all));
	for (unsigned i = 0; i < p->count; i++)
		all[i] = &p->workers[i].dpor;
	shared_save(&p->tree, all, p->count, out);
	mem_free(all);
}

int dpor_pool_load(struct dpor_pool *p, struct bytes *in, struct err *err)
{
	return worktree_load(&p->tree, in, err);
}
