/* SPDX-License-Identifier: Apache-2.0 */
/* A search tree that several workers share; see worktree.h. */
#include "explore/worktree.h"

#include "base/alloc.h"
#include "wire/fault.h"

void worktree_init(struct worktree *t, const struct work_kind *kind, unsigned workers)
{
	*t = (struct worktree){ .kind = kind,
				.lock = PTHREAD_MUTEX_INITIALIZER,
				.workers = workers };
}

void worktree_release(struct worktree *t)
{
	for (size_t i = 0; i < t->nodes.len; i++)
		t->kind->release(t->nodes.at[i]);
	vec_release(&t->nodes);
	vec_release(&t->buffers);
	pthread_mutex_destroy(&t->lock);
}

bool worktree_is_over(const struct worktree *t)
{
	return __atomic_load_n(&t->is_over, __ATOMIC_ACQUIRE);
}

/* ---- lock and wake ---- */

void worktree_lock(struct worktree *t)
{
	pthread_mutex_lock(&t->lock);
}

void worktree_unlock(struct worktree *t)
{
	bool wakes = t->is_over || (t->idle && (!t->has_begun || t->kind->choose(t)));
	pthread_mutex_unlock(&t->lock);
	if (wakes && t->wake)
		t->wake(t->wake_arg);
}

/* ---- store buffers ---- */

void worktree_copy_buffers(const struct worktree *t, struct moves *h)
{
	for (size_t i = h->buffers.len; i < t->buffers.len; i++)
		vec_push(&h->buffers, t->buffers.at[i]);
}

size_t worktree_number_buffer(void *tree, struct moves *h, struct buffer_of b)
{
	struct worktree *t = tree;
	pthread_mutex_lock(&t->lock);
	size_t i = 0;
	while (i < t->buffers.len &&
	       (t->buffers.at[i].thread != b.thread || t->buffers.at[i].location != b.location))
		i++;
	if (i == t->buffers.len)
		vec_push(&t->buffers, b);
	worktree_copy_buffers(t, h);
	pthread_mutex_unlock(&t->lock);
	return i;
}

/* ---- nodes ---- */

void worktree_add(struct worktree *t, struct work_node *n, struct work_node *above, size_t via)
{
	n->above = above;
	n->via = via;
	n->depth = above ? above->depth + 1 : 0;
	n->index = t->nodes.len;
	vec_push(&t->nodes, n);
}

/* The others keep their order. */
static void drop_node(struct worktree *t, struct work_node *n)
{
	t->nodes.len--;
	for (size_t i = n->index; i < t->nodes.len; i++) {
		t->nodes.at[i] = t->nodes.at[i + 1];
		t->nodes.at[i]->index = i;
	}
	t->kind->release(n);
}

/* One node or claim less below n, by that branch. */
static void finish_branch(struct worktree *t, struct work_node *n, size_t via)
{
	n->below--;
	n->finished++;
	if (t->kind->note_finished)
		t->kind->note_finished(n, via);
}

void worktree_prune(struct worktree *t, struct work_node *n)
{
	while (n && !n->below && !t->kind->has_open(n)) {
		struct work_node *above = n->above;
		size_t via = n->via;
		drop_node(t, n);
		n = above;
		if (n)
			finish_branch(t, n, via);
	}
}

/* ---- claims ---- */

bool worktree_begin(struct worktree *t, struct work_claim *c)
{
	if (t->has_begun)
		return false;
	t->has_begun = true;
	worktree_claim(t, c, NULL, NO_BRANCH);
	return true;
}

static void set_idle(struct worktree *t, struct work_claim *c, bool is_idle)
{
	if (c->is_idle != is_idle)
		__atomic_fetch_add(&t->idle, is_idle ? 1 : -1u, __ATOMIC_RELAXED);
	c->is_idle = is_idle;
}

struct work_node *worktree_choose(struct worktree *t, struct work_claim *c)
{
	struct work_node *n = t->kind->choose(t);
	set_idle(t, c, !n);
	return n;
}

void worktree_claim(struct worktree *t, struct work_claim *c, struct work_node *n, size_t via)
{
	set_idle(t, c, false);
	c->node = n;
	c->via = via;
	c->is_held = true;
	t->active++;
	if (n)
		n->below++;
}

void worktree_insert(struct worktree *t, struct work_claim *c, struct work_node *n)
{
	worktree_add(t, n, c->node, c->via);
	n->below++;
	c->node = n;
	c->via = NO_BRANCH;
}

static void drop_claim(struct worktree *t, struct work_claim *c)
{
	t->active--;
	c->node = NULL;
	c->via = NO_BRANCH;
	c->is_held = false;
}

void worktree_finish(struct worktree *t, struct work_claim *c)
{
	struct work_node *n = c->node;
	size_t via = c->via;
	drop_claim(t, c);
	if (n) {
		finish_branch(t, n, via);
		worktree_prune(t, n);
	}
	bool is_over = t->has_begun && !t->active && !t->nodes.len;
	if (FAULT(SHARED_NODE_ENDS_EARLY))
		is_over = !t->kind->choose(t); /* others may still have work below */
	if (is_over)
		__atomic_store_n(&t->is_over, true, __ATOMIC_RELEASE);
}

void worktree_give_back(struct worktree *t, struct work_claim *c)
{
	if (c->node)
		c->node->below--;
	else
		t->has_begun = false;
	drop_claim(t, c);
}

void worktree_restart(struct worktree *t, struct work_claim *c)
{
	t->active = 1;
	c->node = NULL;
	c->via = NO_BRANCH;
}

/* ---- estimates ---- */

double worktree_progress(struct worktree *t)
{
	double explored = 0;
	VEC(double) shares = { 0 }; /* of each node; those above it come before it */
	pthread_mutex_lock(&t->lock);
	for (size_t i = 0; i < t->nodes.len; i++) {
		const struct work_node *n = t->nodes.at[i];
		vec_push(&shares,
			 n->above ? shares.at[n->above->index] / t->kind->parts(n->above) : 1.0);
		explored += shares.at[i] * t->kind->explored(n) / t->kind->parts(n);
	}
	pthread_mutex_unlock(&t->lock);
	vec_release(&shares);
	return explored;
}

double worktree_share(struct worktree *t, const struct work_claim *c)
{
	double share = 1;
	pthread_mutex_lock(&t->lock);
	if (!c->is_held)
		share = 0;
	for (const struct work_node *n = c->node; n && c->is_held; n = n->above)
		share /= t->kind->parts(n);
	pthread_mutex_unlock(&t->lock);
	return share;
}
