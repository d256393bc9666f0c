/* SPDX-License-Identifier: Apache-2.0 */
/* A systematic search with random schedules in between; see portfolio.h. */
#include "explore/portfolio.h"

#include <pthread.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "explore/explore.h"

#define PCT_CHANGES 3
#define KINDS 4

/* Only one worker at a time makes a drawn execution: costs are known before the next one is drawn.
 */
struct portfolio {
	const struct explore_config *config;
	const struct strategy *systematic;
	void *state; /* of the systematic search */
	pthread_mutex_t lock;
	struct portfolio_costs costs; /* of executions that were taken */
	uint64_t length;	      /* hooks of the first execution */
	unsigned drawer;	      /* 1 + the worker that has a drawn plan; 0: nobody */
	struct plan plan;
};

bool portfolio_draws(const struct portfolio_costs *c)
{
	uint64_t all = c->systematic_cost, allowed = all / 4;
	if (!c->systematic || all < PORTFOLIO_BEGIN || c->drawn >= PORTFOLIO_MAX ||
	    c->drawn >= PORTFOLIO_BURST + c->systematic / 20)
		return false;
	if (allowed > PORTFOLIO_FIRST) {
		allowed = PORTFOLIO_FIRST + (all - 4 * PORTFOLIO_FIRST) / PORTFOLIO_SHARE;
		if (c->drawn < PORTFOLIO_FEW && allowed < all / 20)
			allowed = all / 20;
	}
	uint64_t next = c->drawn < PORTFOLIO_FEW ? 0 : c->drawn_cost / c->drawn;
	return c->drawn_cost + next < allowed;
}

uint64_t portfolio_most_hooks(const struct portfolio_costs *c, uint64_t length)
{
	uint64_t mean = c->systematic ? c->systematic_cost / c->systematic : 0;
	return PORTFOLIO_LONG + PORTFOLIO_LONGER * (mean > length ? mean : length);
}

/* In hooks.  Bringing a program back in place takes about as long as a hundred of them;
 * bench/restart. */
static uint64_t cost_of(const struct execution *x, bool is_drawn)
{
	static const uint64_t restart[] = {
		[RESTART_INPLACE] = 100, [RESTART_FORK] = 3000, [RESTART_EXEC] = 20000
	};
	bool is_known = x->restart_used < sizeof(restart) / sizeof(restart[0]);
	return (is_drawn ? 2 : 1) * x->hooks + (is_known ? restart[x->restart_used] : 0);
}

static void *new_portfolio(const struct explore_config *c)
{
	struct portfolio *p = mem_zero(1, sizeof(*p));
	p->config = c;
	p->systematic = c->systematic;
	p->state = p->systematic->new (c);
	pthread_mutex_init(&p->lock, NULL);
	return p;
}

static void end_portfolio(void *state)
{
	struct portfolio *p = state;
	p->systematic->end(p->state);
	pthread_mutex_destroy(&p->lock);
	mem_free(p);
}

static void draw(struct portfolio *p, unsigned worker)
{
	static const enum free_run_kind kinds[KINDS] = { FREE_RUN_RANDOM, FREE_RUN_FEW,
							 FREE_RUN_POS, FREE_RUN_PCT };
	enum free_run_kind kind = kinds[p->costs.drawn % KINDS];
	p->drawer = worker + 1;
	p->plan = (struct plan){ .free_run = kind,
				 .seed = hash_mix(hash_mix(p->config->seed, 2), p->costs.drawn),
				 /* One to four preemptions. */
				 .changes = kind == FREE_RUN_FEW ? 1 + p->costs.drawn / KINDS % 4
								 : PCT_CHANGES,
				 .length = p->length,
				 .most_hooks = portfolio_most_hooks(&p->costs, p->length) };
}

/*
 * The systematic search is asked first: one that is over draws nothing more.  The plan that it
 * has given is its next one still, which it gives again.
 */
static const struct plan *plan_portfolio(void *state, unsigned worker, bool *is_over)
{
	struct portfolio *p = state;
	pthread_mutex_lock(&p->lock);
	bool is_drawing = p->drawer == worker + 1;
	pthread_mutex_unlock(&p->lock);
	*is_over = false;
	if (is_drawing)
		return &p->plan;
	const struct plan *plan = p->systematic->plan(p->state, worker, is_over);
	if (!plan)
		return NULL;
	pthread_mutex_lock(&p->lock);
	if (!p->drawer && portfolio_draws(&p->costs)) {
		draw(p, worker);
		plan = &p->plan;
	}
	pthread_mutex_unlock(&p->lock);
	return plan;
}

static void take_drawn(struct portfolio *p, unsigned worker, const struct execution *x,
		       struct taken *t)
{
	t->is_drawn = true;
	if (p->systematic->observe)
		p->systematic->observe(p->state, worker, x, t);
	if (t->is_given_up)
		return;
	pthread_mutex_lock(&p->lock);
	p->drawer = 0;
	p->costs.drawn++;
	p->costs.drawn_cost += cost_of(x, true);
	pthread_mutex_unlock(&p->lock);
}

static int take_portfolio(void *state, unsigned worker, const struct execution *x, struct taken *t,
			  struct err *err)
{
	struct portfolio *p = state;
	pthread_mutex_lock(&p->lock);
	bool is_drawn = p->drawer == worker + 1;
	pthread_mutex_unlock(&p->lock);
	if (is_drawn) {
		take_drawn(p, worker, x, t);
		return 0;
	}
	int rc = p->systematic->take(p->state, worker, x, t, err);
	if (rc || t->is_given_up)
		return rc;
	pthread_mutex_lock(&p->lock);
	p->costs.systematic++;
	p->costs.systematic_cost += cost_of(x, false);
	if (!p->length)
		p->length = x->hooks ? x->hooks : 1;
	pthread_mutex_unlock(&p->lock);
	return 0;
}

static double progress_portfolio(void *state)
{
	struct portfolio *p = state;
	return p->systematic->progress ? p->systematic->progress(p->state) : 0;
}

static void sum_up_portfolio(const void *state, struct explore_result *r)
{
	const struct portfolio *p = state;
	if (p->systematic->sum_up)
		p->systematic->sum_up(p->state, r);
}

/* A drawn plan that was not taken is drawn again from the same number. */
static void save_portfolio(const void *state, struct buf *out)
{
	const struct portfolio *p = state;
	buf_varint(out, p->costs.systematic);
	buf_varint(out, p->costs.systematic_cost);
	buf_varint(out, p->costs.drawn);
	buf_varint(out, p->costs.drawn_cost);
	buf_varint(out, p->length);
	p->systematic->save(p->state, out);
}

static int load_portfolio(void *state, struct bytes *in, struct err *err)
{
	struct portfolio *p = state;
	p->costs.systematic = bytes_varint(in);
	p->costs.systematic_cost = bytes_varint(in);
	p->costs.drawn = bytes_varint(in);
	p->costs.drawn_cost = bytes_varint(in);
	p->length = bytes_varint(in);
	return p->systematic->load(p->state, in, err);
}

const struct strategy strategy_portfolio = {
	.knows_loops = true,
	.is_exhaustive = true,
	.draws_besides = true,
	.new = new_portfolio,
	.end = end_portfolio,
	.plan = plan_portfolio,
	.take = take_portfolio,
	.progress = progress_portfolio,
	.sum_up = sum_up_portfolio,
	.save = save_portfolio,
	.load = load_portfolio,
};
