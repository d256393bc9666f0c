/* SPDX-License-Identifier: Apache-2.0 */
/* Iterative deepening as a strategy of heddle check, with a clock; see deepen.h. */
#include "base/alloc.h"
#include "base/clock.h"
#include "explore/deepening/deepen.h"

struct timed {
	struct deepen deepen;
	double start; /* clock_now_seconds() */
};

static void *new_deepening(const struct explore_config *c)
{
	struct timed *t = mem_zero(1, sizeof(*t));
	deepen_init(&t->deepen, c);
	t->start = clock_now_seconds();
	return t;
}

static void free_deepening(void *state)
{
	struct timed *t = state;
	deepen_release(&t->deepen);
	mem_free(t);
}

static void look_at_clock(struct timed *t)
{
	if (!(t->deepen.budget > 0))
		return;
	double spent = clock_now_seconds() - t->start;
	pthread_mutex_lock(&t->deepen.lock);
	t->deepen.seconds = spent;
	pthread_mutex_unlock(&t->deepen.lock);
}

static const struct plan *plan_deepening(void *state, unsigned worker, bool *is_over)
{
	struct timed *t = state;
	look_at_clock(t);
	return deepen_plan(&t->deepen, worker, is_over);
}

static int take_deepening(void *state, unsigned worker, const struct execution *x,
			  struct taken *taken, struct err *err)
{
	struct timed *t = state;
	look_at_clock(t);
	return deepen_take(&t->deepen, worker, x, taken, err);
}

static void observe_deepening(void *state, unsigned worker, const struct execution *x,
			      struct taken *taken)
{
	deepen_observe(&((struct timed *)state)->deepen, worker, x, taken);
}

static void sum_up_deepening(const void *state, struct explore_result *r)
{
	const struct deepen *d = &((const struct timed *)state)->deepen;
	for (size_t i = 0; i < d->spaces.len; i++)
		vec_push(&r->spaces, d->spaces.at[i]);
	struct deepen_classes classes = deepen_classify(d);
	r->races_both_orders = classes.both_orders;
	r->races_one_order = classes.one_order;
	r->is_partial = !deepen_is_complete(d);
}

static void save_deepening(const void *state, struct buf *out)
{
	deepen_save(&((const struct timed *)state)->deepen, out);
}

static int load_deepening(void *state, struct bytes *in, struct err *err)
{
	return deepen_load(&((struct timed *)state)->deepen, in, err);
}

const struct strategy strategy_deepening = {
	.knows_loops = true,
	.is_exhaustive = true,
	.new = new_deepening,
	.end = free_deepening,
	.plan = plan_deepening,
	.take = take_deepening,
	.observe = observe_deepening,
	.progress = NULL, /* how many spaces there will be is not known */
	.sum_up = sum_up_deepening,
	.save = save_deepening,
	.load = load_deepening,
};
