/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Strategies of random schedules, for programs that cannot be exhausted: random, pct and pos
 * (rt/explore_random.c). Each execution has a number, and its seed is made of that and of the
 * user's seed, so that any number of workers runs the same executions.
 *
 * Executions are counted in classes: executions that differ only in the order of independent
 * moves are one (order.c).
 */
#include <pthread.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "explore/explore.h"
#include "explore/execution/moves.h"

#define PCT_CHANGES 3

struct random_worker {
	struct plan plan;
	struct moves moves;
	struct cancellation cancellation;
	uint64_t number;
	bool has_plan;
};

struct random_state {
	const struct explore_config *config;
	enum free_run_kind free_run;
	pthread_mutex_t lock;
	uint64_t next; /* number of the next execution */
	/* numbers that were planned and not taken before this search was saved: to be run first */
	uint64_t *undone;
	size_t undone_count;
	uint64_t length; /* hooks of the first execution; 0: it has not been made */
	struct map classes;
	struct random_worker *workers;
};

static void *new_random(const struct explore_config *c, enum free_run_kind free_run)
{
	struct random_state *s = mem_zero(1, sizeof(*s));
	s->config = c;
	s->free_run = free_run;
	pthread_mutex_init(&s->lock, NULL);
	s->workers = mem_zero(c->workers, sizeof(*s->workers));
	for (unsigned i = 0; i < c->workers; i++)
		s->workers[i].cancellation = c->cancellation;
	return s;
}

static void *new_uniform(const struct explore_config *c)
{
	return new_random(c, FREE_RUN_RANDOM);
}

static void *new_pct(const struct explore_config *c)
{
	return new_random(c, FREE_RUN_PCT);
}

static void *new_pos(const struct explore_config *c)
{
	return new_random(c, FREE_RUN_POS);
}

static void end_random(void *state)
{
	struct random_state *s = state;
	for (unsigned i = 0; i < s->config->workers; i++)
		moves_release(&s->workers[i].moves);
	mem_free(s->workers);
	mem_free(s->undone);
	map_release(&s->classes);
	pthread_mutex_destroy(&s->lock);
	mem_free(s);
}

/* The others wait for the first execution, which shows how long executions are. */
static const struct plan *plan_random(void *state, unsigned worker, bool *is_over)
{
	struct random_state *s = state;
	struct random_worker *w = &s->workers[worker];
	*is_over = false;
	pthread_mutex_lock(&s->lock);
	if (!w->has_plan && (s->length || !s->next)) {
		w->number = s->undone_count ? s->undone[--s->undone_count] : s->next++;
		w->has_plan = true;
		w->plan = (struct plan){ .free_run = s->free_run,
					 .seed = hash_mix(hash_mix(s->config->seed, 1), w->number),
					 .changes = PCT_CHANGES,
					 .length = s->length };
	}
	pthread_mutex_unlock(&s->lock);
	return w->has_plan ? &w->plan : NULL;
}

static int take_random(void *state, unsigned worker, const struct execution *x, struct taken *t,
		       struct err *err)
{
	struct random_state *s = state;
	struct random_worker *w = &s->workers[worker];
	size_t found;
	w->cancellation.is_cancelled = false;
	w->moves.cancellation = &w->cancellation;
	int rc = moves_read(&w->moves, x, 0, &found, err);
	t->is_given_up = w->cancellation.is_cancelled && !rc;
	if (rc || t->is_given_up)
		return rc;
	moves_make_room(&w->moves, 0, w->moves.threads.len);
	for (size_t i = 0; i < w->moves.moves.len && !t->is_given_up; i++) {
		moves_order(&w->moves, i);
		t->is_given_up = cancellation_check(&w->cancellation, i + 1);
	}
	if (t->is_given_up)
		return 0;
	uint64_t class = moves_class(&w->moves);
	pthread_mutex_lock(&s->lock);
	w->has_plan = false;
	map_put(&s->classes, class, NULL);
	bool is_first = !s->length;
	if (is_first)
		s->length = x->hooks ? x->hooks : 1;
	pthread_mutex_unlock(&s->lock);
	if (is_first && s->config->wake)
		s->config->wake(s->config->wake_arg);
	return 0;
}

static void sum_up_random(const void *state, struct explore_result *r)
{
	r->classes = ((const struct random_state *)state)->classes.len;
}

/* ---- on disk ---- */

static void save_random(const void *state, struct buf *out)
{
	const struct random_state *s = state;
	size_t open = s->undone_count;
	for (unsigned i = 0; i < s->config->workers; i++)
		open += s->workers[i].has_plan;
	buf_varint(out, s->length);
	buf_varint(out, s->next);
	buf_varint(out, open);
	for (size_t i = 0; i < s->undone_count; i++)
		buf_varint(out, s->undone[i]);
	for (unsigned i = 0; i < s->config->workers; i++)
		if (s->workers[i].has_plan)
			buf_varint(out, s->workers[i].number);
	buf_varint(out, s->classes.len);
	for (size_t i = 0; i < s->classes.cap; i++)
		if (s->classes.slots[i].used)
			buf_add(out, &s->classes.slots[i].key, sizeof(uint64_t));
}

static int load_random(void *state, struct bytes *in, struct err *err)
{
	struct random_state *s = state;
	s->length = bytes_varint(in);
	s->next = bytes_varint(in);
	size_t open = bytes_count(in, 1);
	s->undone = mem_zero(open + 1, sizeof(*s->undone));
	while (s->undone_count < open)
		s->undone[s->undone_count++] = bytes_varint(in);
	for (size_t n = bytes_count(in, sizeof(uint64_t)); n--;) {
		uint64_t class;
		bytes_read(in, &class, sizeof(class));
		map_put(&s->classes, class, NULL);
	}
	if (in->is_bad)
		return err_set(err, ERR_FORMAT, "the state of the search is not consistent");
	/* If not even the first execution was made, it is the next one. */
	if (!s->length)
		s->next = s->undone_count = 0;
	return 0;
}

#define RANDOM_STRATEGY(begin)                                                             \
	{                                                                                  \
		.new = begin, .end = end_random, .plan = plan_random, .take = take_random, \
		.sum_up = sum_up_random, .save = save_random, .load = load_random,         \
	}

const struct strategy strategy_random = RANDOM_STRATEGY(new_uniform);
const struct strategy strategy_pct = RANDOM_STRATEGY(new_pct);
const struct strategy strategy_pos = RANDOM_STRATEGY(new_pos);
