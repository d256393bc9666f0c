/* SPDX-License-Identifier: Apache-2.0 */
/* What the workers of a search share; see tree.h. */
#include "explore/mcr/tree.h"

#include "base/alloc.h"
#include "explore/fault.h"
#include "explore/mcr/sources.h"

/* ---- release ---- */

void core_release(struct core *c)
{
	vec_release(&c->entries);
}

static void held_release(struct held *held, size_t count)
{
	for (size_t i = 0; i < count; i++)
		branch_release(&held[i].branch);
}

static void release_plan(struct mcr_task *t)
{
	vec_release(&t->turns);
	vec_release(&t->choices);
	held_release(t->held.at, t->held.len);
	vec_release(&t->held);
}

void mcr_task_release(struct mcr_task *t)
{
	release_plan(t);
	core_release(&t->core);
}

void mcr_node_release(struct mcr_node *n)
{
	if (!n)
		return;
	for (size_t i = 0; i < n->tasks.len; i++)
		mcr_task_release(&n->tasks.at[i]);
	vec_release(&n->tasks);
	held_release(n->held.at, n->held.len);
	vec_release(&n->held);
	core_release(&n->core);
	mem_free(n);
}

void mcr_tree_init(struct mcr_tree *t, bool by_value, bool excludes)
{
	*t = (struct mcr_tree){ .lock = PTHREAD_MUTEX_INITIALIZER,
				.by_value = by_value,
				.excludes = excludes };
}

static void release_old(struct mcr_tree *t)
{
	for (size_t i = 0; i < t->old.len; i++)
		mcr_node_release(t->old.at[i]);
	t->old.len = 0;
}

void mcr_tree_release(struct mcr_tree *t)
{
	for (size_t i = 0; i < t->nodes.len; i++)
		mcr_node_release(t->nodes.at[i]);
	release_old(t);
	vec_release(&t->nodes);
	vec_release(&t->old);
	vec_release(&t->buffers);
	buf_release(&t->lessons);
	pthread_mutex_destroy(&t->lock);
}

/* ---- buffers ---- */

static void learn_buffers(const struct mcr_tree *t, struct moves *h)
{
	for (size_t i = h->buffers.len; i < t->buffers.len; i++)
		vec_push(&h->buffers, t->buffers.at[i]);
}

size_t mcr_tree_number_buffer(void *arg, struct moves *h, struct buffer_of b)
{
	struct mcr_tree *t = arg;
	pthread_mutex_lock(&t->lock);
	size_t i = 0;
	while (i < t->buffers.len &&
	       (t->buffers.at[i].thread != b.thread || t->buffers.at[i].location != b.location))
		i++;
	if (i == t->buffers.len)
		vec_push(&t->buffers, b);
	learn_buffers(t, h);
	pthread_mutex_unlock(&t->lock);
	return i;
}

/* ---- nodes ---- */

static bool has_open(const struct mcr_node *n)
{
	for (size_t i = 0; i < n->tasks.len; i++)
		if (n->tasks.at[i].state == TASK_OPEN)
			return true;
	return false;
}

static void forget(struct mcr_tree *t, struct mcr_node *n)
{
	t->nodes.len--;
	for (size_t i = n->number; i < t->nodes.len; i++) {
		t->nodes.at[i] = t->nodes.at[i + 1];
		t->nodes.at[i]->number = i;
	}
	mcr_node_release(n);
}

/* One task or node less below it; those above that have nothing left go. */
static void leave(struct mcr_tree *t, struct mcr_node *n)
{
	while (n) {
		n->below--;
		n->finished++;
		if (n->below || has_open(n))
			return;
		struct mcr_node *above = n->above;
		forget(t, n);
		n = above;
	}
}

static void note_end(struct mcr_tree *t)
{
	if (!t->nodes.len && !t->under_way && t->has_begun)
		__atomic_store_n(&t->is_over, true, __ATOMIC_RELEASE);
}

bool mcr_tree_is_over(const struct mcr_tree *t)
{
	return __atomic_load_n(&t->is_over, __ATOMIC_ACQUIRE);
}

bool mcr_tree_choose(struct mcr_tree *t, struct moves *h, struct mcr_node **node, size_t *task,
		     uint64_t *age)
{
	pthread_mutex_lock(&t->lock);
	bool has_found = !t->has_begun;
	t->has_begun = true;
	*node = NULL;
	*task = 0;
	*age = t->age;
	for (size_t i = t->nodes.len; i-- > 0 && !has_found;) {
		struct mcr_node *n = t->nodes.at[i];
		for (size_t k = 0; k < n->tasks.len && !has_found; k++)
			if (n->tasks.at[k].state == TASK_OPEN) {
				n->tasks.at[k].state = TASK_TAKEN;
				n->below++;
				*node = n;
				*task = k;
				has_found = true;
			}
	}
	t->under_way += has_found;
	learn_buffers(t, h);
	note_end(t);
	bool tells = mcr_tree_is_over(t);
	pthread_mutex_unlock(&t->lock);
	if (tells && t->wake)
		t->wake(t->wake_arg);
	return has_found;
}

void mcr_tree_finish(struct mcr_tree *t, struct mcr_node *node, size_t task, uint64_t age,
		     struct mcr_node *n, bool is_redundant)
{
	pthread_mutex_lock(&t->lock);
	bool is_new = age == t->age && n && has_open(n);
	if (is_new) {
		n->above = node;
		n->via = task;
		n->number = t->nodes.len;
		vec_push(&t->nodes, n);
	}
	if (age == t->age) {
		t->taken += !is_redundant;
		t->under_way--;
		if (node) {
			node->tasks.at[task].state = TASK_DONE;
			release_plan(&node->tasks.at[task]);
			/* Otherwise the new node takes the place of the task. */
			if (!is_new)
				leave(t, node);
		}
	} else {
		/* The age began after the execution was judged. */
		t->wasted += !is_redundant && !FAULT(113);
		if (!--t->old_under_way)
			release_old(t);
	}
	note_end(t);
	bool tells = is_new || mcr_tree_is_over(t) || !t->has_begun;
	pthread_mutex_unlock(&t->lock);
	if (!is_new)
		mcr_node_release(n);
	if (tells && t->wake)
		t->wake(t->wake_arg);
}

void mcr_tree_give_back(struct mcr_tree *t, struct mcr_node *node, size_t task, uint64_t age)
{
	pthread_mutex_lock(&t->lock);
	if (age == t->age) {
		t->under_way--;
		t->has_begun = node;
		if (node) {
			node->tasks.at[task].state = FAULT(107) ? TASK_DONE : TASK_OPEN;
			node->below--;
		}
	} else if (!--t->old_under_way) {
		release_old(t);
	}
	pthread_mutex_unlock(&t->lock);
	if (t->wake)
		t->wake(t->wake_arg);
}

/* One execution of it is under way: that which showed that it has to begin. */
static void begin_age(struct mcr_tree *t, bool is_run_again)
{
	t->age++;
	t->wasted += t->taken;
	t->taken = 0;
	for (size_t i = 0; i < t->nodes.len && !FAULT(81); i++)
		vec_push(&t->old, t->nodes.at[i]);
	t->nodes.len = FAULT(81) ? t->nodes.len : 0;
	t->old_under_way += t->under_way - 1;
	t->under_way = 1;
	t->has_begun = !is_run_again;
	if (!t->old_under_way)
		release_old(t);
}

void mcr_tree_learn(struct mcr_tree *t, struct sources *s, uint64_t *version)
{
	pthread_mutex_lock(&t->lock);
	struct bytes in = { (const unsigned char *)t->lessons.at, t->lessons.len, false };
	if (*version != t->version && t->lessons.len && !FAULT(96))
		sources_load(s, &in);
	*version = t->version;
	pthread_mutex_unlock(&t->lock);
}

bool mcr_tree_tell(struct mcr_tree *t, const struct sources *s, uint64_t *version, uint64_t *age,
		   bool is_news, bool is_run_again)
{
	pthread_mutex_lock(&t->lock);
	bool is_past = *age != t->age, is_told = is_past || *version == t->version;
	if (is_past) {
		*version = NO_VERSION;
	} else if (is_told) {
		buf_clear(&t->lessons);
		sources_save(s, &t->lessons);
		*version = ++t->version;
		t->by_value = s->values.is_on;
		if (is_news)
			begin_age(t, is_run_again);
		*age = t->age;
	}
	pthread_mutex_unlock(&t->lock);
	return is_told;
}

bool mcr_tree_is_past(struct mcr_tree *t, uint64_t age)
{
	pthread_mutex_lock(&t->lock);
	bool is_past = age != t->age;
	pthread_mutex_unlock(&t->lock);
	return is_past;
}

/* ---- how far it is ---- */

/* Tasks of a node count as equally large, and its own execution as one of them (Knuth's estimator).
 */
double mcr_tree_progress(struct mcr_tree *t)
{
	double behind = 0;
	pthread_mutex_lock(&t->lock);
	for (size_t i = 0; i < t->nodes.len; i++) {
		const struct mcr_node *n = t->nodes.at[i];
		double share = 1;
		for (const struct mcr_node *a = n->above; a; a = a->above)
			share /= (double)a->tasks.len + 1;
		behind += share * (double)(n->finished + 1) / ((double)n->tasks.len + 1);
	}
	pthread_mutex_unlock(&t->lock);
	return behind;
}
