/* SPDX-License-Identifier: Apache-2.0 */
/* What the workers of a search share; see tree.h. */
#include "explore/mcr/tree.h"

#include "base/alloc.h"
#include "wire/fault.h"
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

/* ---- the kind of node ---- */

static const struct mcr_node *mcr_node_of(const struct work_node *n)
{
	return (const struct mcr_node *)n;
}

static void release(struct work_node *n)
{
	mcr_node_release((struct mcr_node *)n);
}

/* The first open task; tasks.len: there is none. */
static size_t first_open(const struct mcr_node *n)
{
	size_t i = 0;
	while (i < n->tasks.len && n->tasks.at[i].state != TASK_OPEN)
		i++;
	return i;
}

static bool has_open(const struct work_node *n)
{
	return first_open(mcr_node_of(n)) < mcr_node_of(n)->tasks.len;
}

static struct work_node *choose(const struct worktree *t)
{
	for (size_t i = t->nodes.len; i-- > 0;)
		if (has_open(t->nodes.at[i]))
			return t->nodes.at[i];
	return NULL;
}

/* The execution of the node counts as one part. */
static double parts(const struct work_node *n)
{
	return (double)mcr_node_of(n)->tasks.len + 1;
}

static double explored(const struct work_node *n)
{
	return (double)(n->finished + 1);
}

static const struct work_kind mcr_nodes = { .size = sizeof(struct mcr_node),
					    .release = release,
					    .has_open = has_open,
					    .choose = choose,
					    .parts = parts,
					    .explored = explored,
					    .save = mcr_node_save,
					    .load = mcr_node_load };

/* ---- the tree ---- */

void mcr_tree_init(struct mcr_tree *t, unsigned workers, bool by_value, bool excludes)
{
	*t = (struct mcr_tree){ .by_value = by_value, .excludes = excludes };
	worktree_init(&t->work, &mcr_nodes, workers);
}

static void release_old(struct mcr_tree *t)
{
	for (size_t i = 0; i < t->old.len; i++)
		mcr_node_release(t->old.at[i]);
	t->old.len = 0;
}

void mcr_tree_release(struct mcr_tree *t)
{
	release_old(t);
	vec_release(&t->old);
	buf_release(&t->refinements);
	worktree_release(&t->work);
}

bool mcr_tree_claim(struct mcr_tree *t, struct moves *h, struct mcr_claim *c)
{
	worktree_lock(&t->work);
	c->generation = t->generation;
	bool has_found = worktree_begin(&t->work, &c->work);
	struct mcr_node *n = NULL;
	if (!has_found)
		n = (struct mcr_node *)worktree_choose(&t->work, &c->work);
	if (n) {
		size_t task = first_open(n);
		n->tasks.at[task].state = TASK_CLAIMED;
		worktree_claim(&t->work, &c->work, &n->work, task);
		has_found = true;
	}
	worktree_copy_buffers(&t->work, h);
	worktree_unlock(&t->work);
	return has_found;
}

/* A claim of an earlier generation: its nodes are released with the last such claim. */
static void drop_old(struct mcr_tree *t, struct mcr_claim *c)
{
	c->work.is_held = false;
	c->work.node = NULL;
	if (!--t->old_active)
		release_old(t);
}

/* `n`: replaces the task; NULL: nothing is left of it. */
static void finish_task(struct mcr_tree *t, struct mcr_claim *c, struct mcr_node *n)
{
	struct mcr_node *node = mcr_claim_node(c);
	if (node) {
		node->tasks.at[c->work.via].state = TASK_DONE;
		release_plan(&node->tasks.at[c->work.via]);
	}
	if (n) {
		worktree_insert(&t->work, &c->work, &n->work);
		worktree_give_back(&t->work, &c->work);
	} else {
		worktree_finish(&t->work, &c->work);
	}
}

void mcr_tree_finish(struct mcr_tree *t, struct mcr_claim *c, struct mcr_node *n, bool is_redundant)
{
	worktree_lock(&t->work);
	bool is_past = c->generation != t->generation;
	struct mcr_node *kept = n && !is_past && has_open(&n->work) ? n : NULL;
	if (is_past) {
		/* The generation began after the execution was judged. */
		if (!FAULT(MCR_OLD_GENERATION_COUNTED))
			t->wasted += !is_redundant;
		drop_old(t, c);
	} else {
		t->taken += !is_redundant;
		finish_task(t, c, kept);
	}
	worktree_unlock(&t->work);
	if (!kept)
		mcr_node_release(n);
}

void mcr_tree_give_back(struct mcr_tree *t, struct mcr_claim *c)
{
	struct mcr_node *node = mcr_claim_node(c);
	worktree_lock(&t->work);
	if (c->generation != t->generation) {
		drop_old(t, c);
	} else {
		if (node)
			node->tasks.at[c->work.via].state = TASK_OPEN;
		if (FAULT(RETURNED_TASK_DONE) && node)
			node->tasks.at[c->work.via].state = TASK_DONE;
		worktree_give_back(&t->work, &c->work);
	}
	worktree_unlock(&t->work);
}

/* ---- refinements ---- */

/* One claim of the new generation is held: by the worker whose execution showed the change. */
static void begin_generation(struct mcr_tree *t, struct mcr_claim *c, bool is_run_again)
{
	t->generation++;
	t->wasted += t->taken;
	t->taken = 0;
	if (!FAULT(MCR_OLD_TREE_KEPT)) {
		for (size_t i = 0; i < t->work.nodes.len; i++)
			vec_push(&t->old, (struct mcr_node *)t->work.nodes.at[i]);
		t->work.nodes.len = 0;
	}
	t->old_active += t->work.active - 1;
	worktree_restart(&t->work, &c->work);
	t->work.has_begun = !is_run_again;
	if (!t->old_active)
		release_old(t);
}

void mcr_tree_refine(struct mcr_tree *t, struct sources *s, uint64_t *version)
{
	worktree_lock(&t->work);
	struct bytes in = { (const unsigned char *)t->refinements.at, t->refinements.len, false };
	if (*version != t->version && t->refinements.len) {
		if (!FAULT(MCR_WORKERS_NOT_REFINED))
			sources_load(s, &in);
	}
	*version = t->version;
	worktree_unlock(&t->work);
}

bool mcr_tree_publish(struct mcr_tree *t, const struct sources *s, uint64_t *version,
		      struct mcr_claim *c, bool is_change, bool is_run_again)
{
	worktree_lock(&t->work);
	bool is_past = c->generation != t->generation;
	bool is_current = !is_past && *version == t->version;
	if (is_past) {
		*version = NO_VERSION;
	} else if (is_current) {
		buf_clear(&t->refinements);
		sources_save(s, &t->refinements);
		*version = ++t->version;
		t->by_value = s->values.is_on;
		if (is_change)
			begin_generation(t, c, is_run_again);
		c->generation = t->generation;
	}
	worktree_unlock(&t->work);
	return is_past || is_current;
}

bool mcr_tree_is_past(struct mcr_tree *t, const struct mcr_claim *c)
{
	worktree_lock(&t->work);
	bool is_past = c->generation != t->generation;
	worktree_unlock(&t->work);
	return is_past;
}
