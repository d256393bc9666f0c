/* SPDX-License-Identifier: Apache-2.0 */
/* What came of a plan of dpor: nodes for the new moves, and what is to be explored from them; see
 * dpor.h. */
#include "explore/dpor/dpor.h"

#include "base/alloc.h"
#include "explore/dpor/reverse.h"
#include "explore/dpor/shared.h"
#include "wire/fault.h"
#include "explore/schedule.h"

/* ---- what a move leaves to others ---- */

/*
 * The last move ended the process, so the next moves of other threads are not known.  At its node
 * they are let run while it sleeps; races with what they do are found then.  At an exit all other
 * threads have made their moves, except those that are about to exit, too.
 */
static void explore_cut_off(struct dpor *d, bool is_exit)
{
	struct moves *h = &d->history;
	for (size_t t = 0; t < h->threads.len && h->moves.len; t++) {
		const struct thread_now *now = &h->threads.at[t];
		if (FAULT(CUT_OFF_THREADS_IGNORED))
			return;
		if (!now->is_there || now->has_ended || t == vec_last(&h->moves).branch.thread)
			continue;
		if (is_exit && (now->pause.is_waiting || t >= BUFFERS_FROM))
			continue;
		dpor_open_node(d, h->moves.len - 1)->reopens = true;
		dpor_close_node(d, h->moves.len - 1);
	}
}

static bool has_open_sleeper(const struct dpor_node *n)
{
	if (FAULT(OPEN_SLEEPER_CLOSED))
		return false;
	for (size_t i = 0; i < n->asleep.len; i++)
		if (n->asleep.at[i].is_open)
			return true;
	return false;
}

static bool has_alternative(const struct dpor_node *n, const struct branch *taken,
			    const struct branch *b)
{
	if (taken && taken->thread == b->thread && taken->ops->choices &&
	    opset_choices_begin(taken->ops, b->ops))
		return true;
	for (size_t i = 0; i < n->asleep.len; i++)
		if (n->asleep.at[i].thread == b->thread &&
		    opset_choices_begin(n->asleep.at[i].ops, b->ops))
			return true;
	for (size_t i = 0; i < n->tree.children.len; i++) {
		const struct branch *c = &n->tree.children.at[i].branch;
		if (c->thread == b->thread && c->ops->choices &&
		    opset_choices_begin(c->ops, b->ops))
			return true;
	}
	return false;
}

/* Other answers to the choices of a move, explored next. */
static void explore_alternatives(struct dpor *d, size_t node, const struct branch *b)
{
	struct dpor_node *n = dpor_open_node(d, node);
	bool is_open = has_open_sleeper(&d->nodes.at[node]);
	for (uint32_t c = b->fixed_choices; c < b->ops->choices; c++) {
		const struct wire_op *chosen = opset_choice(b->ops, c);
		for (uint64_t v = 0; v < chosen->size; v++) {
			if (FAULT(CHOICE_WITHOUT_ALTERNATIVES))
				break;
			if (FAULT(CHOICE_WITH_TWO_ANSWERS) && v > 1)
				break;
			if (v == chosen->value)
				continue;
			struct wakeup w = { .branch = { b->thread, c + 1, b->first, b->first,
							opset_new_alternative(b->ops, c, v),
							is_open, false } };
			if (has_alternative(n, dpor_taken_child(d, node), &w.branch)) {
				wakeup_release(&w);
				continue;
			}
			vec_add(&n->tree.children);
			memmove(n->tree.children.at + 1, n->tree.children.at,
				(n->tree.children.len - 1) * sizeof(w));
			n->tree.children.at[0] = w;
		}
	}
	dpor_close_node(d, node);
}

/* ---- what came of a plan ---- */

/*
 * Whether the planned move, which was not made, was one to try, and the execution shows that it is
 * impossible at the node.  A thread that could go on from its await, as was predicted, did so: a
 * wrong prediction is still a plan that was not followed.
 */
static bool is_refused_trial(const struct dpor *d, size_t node, const struct branch *b)
{
	return b->ops->is_unsure ||
	       (b->ops->is_open_ended && moves_has_passed(&d->history, node, b->thread));
}

/* The thread of a move of which that was not known cannot make it at the node. */
static void keep_refused(struct dpor *d, size_t node, const struct branch *b)
{
	struct dpor_node *n = &d->nodes.at[node];
	vec_push(&n->asleep, branch_ref(b));
	if (!n->shared)
		return;
	dpor_open_node(d, node);
	shared_add_asleep(n->shared, b, false);
	dpor_close_node(d, node);
}

/* Take the first child of the node's tree, which was planned, out of it: what is left to do below
 * it.  `is_refused`: the program had no such move there.  *was_trial: it was one to try, and
 * is impossible. */
static struct wakeup take_planned(struct dpor *d, size_t node, struct branch *made, bool is_refused,
				  bool *was_trial)
{
	struct dpor_node *n = &d->nodes.at[node];
	struct wakeup first = n->tree.children.at[0];
	n->tree.children.len--;
	memmove(n->tree.children.at, n->tree.children.at + 1, n->tree.children.len * sizeof(first));
	*was_trial = false;
	if (!made || first.branch.thread != made->thread) {
		*was_trial = is_refused_trial(d, node, &first.branch);
		d->missed += !is_refused && !*was_trial;
		if (*was_trial)
			keep_refused(d, node, &first.branch);
		wakeup_release(&first);
		return (struct wakeup){ 0 };
	}
	/* Other answers come from races of their own, unless those were found too late to be
	 * inserted here. */
	if (first.branch.ops->is_predicted)
		made->fixed_choices = first.branch.fixed_choices;
	else
		made->fixed_choices = has_open_sleeper(n) || first.branch.has_free_answers
					      ? 0
					      : made->ops->choices;
	branch_release(&first.branch);
	return first;
}

/* Nodes for the new moves: each has what is left of the one above.  Gives how many moves belong
 * to the search. */
static size_t make_nodes(struct dpor *d, size_t from, bool is_refused, bool *is_redundant)
{
	struct moves *h = &d->history;
	size_t free = from + d->path.len; /* where the free run begins */
	bool was_trial = false;
	for (size_t i = from; i < h->moves.len; i++) {
		struct branch *b = &h->moves.at[i].branch;
		struct dpor_node *n = &d->nodes.at[i];
		struct wakeup rest = { 0 };
		if (n->tree.children.len)
			rest = take_planned(d, i, b, false, &was_trial);
		if (was_trial && i < free)
			free = i;
		if (FAULT(PLANS_BELOW_DROPPED))
			wakeup_release(&rest), rest = (struct wakeup){ 0 };
		if (i >= free && dpor_is_asleep(n, b)) {
			/*
			 * The runtime knew less about what sleeps: the plan ended in a predicted
			 * move, or in one that is impossible, or another answer to the choices of
			 * this move is awake.  Others continue from here.  What was explored after
			 * the sleeping move does not cover that: nothing follows a move that ends
			 * the process.
			 */
			explore_alternatives(d, i, b);
			dpor_open_node(d, i)->reopens = true;
			if (FAULT(NODE_NOT_REOPENED))
				dpor_open_node(d, i)->reopens = false;
			dpor_close_node(d, i);
			wakeup_release(&rest);
			*is_redundant = true;
			return i;
		}
		if (i >= free && cancellation_check(&d->cancellation, 1 + n->asleep.len)) {
			wakeup_release(&rest);
			return i;
		}
		struct dpor_node *below = vec_add(&d->nodes);
		below->tree = rest;
		dpor_pass_sleep(h, &d->nodes.at[i], b, below);
	}
	/* Nothing came of the plan: do not plan it again. */
	struct dpor_node *last = &vec_last(&d->nodes);
	if (last->tree.children.len && d->path.len) {
		take_planned(d, d->nodes.len - 1, NULL, is_refused, &was_trial);
		*is_redundant = true;
	}
	return h->moves.len;
}

static bool cuts_off(const struct execution *x)
{
	return (x->end == EXPLORE_FAILURE && !failure_is_of_all(x->failure)) ||
	       x->end == EXPLORE_ASSUMED;
}

/* The first execution in a subtree that was taken: its moves are all new, but the first ones must
 * be those that led here. */
static int read_anew(struct dpor *d, const struct execution *x, size_t *found, struct err *err)
{
	struct moves *h = &d->history;
	VEC(struct branch) expected = { 0 };
	for (size_t i = 0; i < h->moves.len; i++)
		vec_push(&expected, branch_ref(&h->moves.at[i].branch));
	size_t above = expected.len;
	for (size_t i = 0; i < d->path.len; i++)
		vec_push(&expected, branch_ref(&d->path.at[i]));
	h->planned = expected.at;
	h->planned_count = expected.len;
	int rc = moves_read(h, x, 0, found, err);
	bool is_given_up = d->cancellation.is_cancelled;
	for (*found = 0; *found < above && *found < h->moves.len && !rc && !is_given_up; ++*found) {
		const struct branch *is = &h->moves.at[*found].branch, *was = &expected.at[*found];
		if (is->thread != was->thread || is->hook != was->hook ||
		    is->ops->hash != was->ops->hash)
			break;
	}
	/* The branches that led here are all that is known of them, as before. */
	if (is_given_up)
		moves_truncate(h, 0);
	for (size_t i = 0; i < above && is_given_up; i++)
		vec_add(&h->moves)->branch = branch_ref(&expected.at[i]);
	for (size_t i = 0; i < expected.len; i++)
		branch_release(&expected.at[i]);
	vec_release(&expected);
	return rc;
}

/* The program behaves differently than before: nothing of what is planned below applies.  Gives
 * whether the rest can be used. */
static bool cut_back(struct dpor *d, size_t found)
{
	d->diverged++;
	while (d->nodes.len > found + 1)
		dpor_node_release(&d->nodes.at[--d->nodes.len]);
	if (found >= d->trunk)
		return true;
	/* Above the subtree others have other plans. */
	while (d->nodes.len)
		dpor_node_release(&d->nodes.at[--d->nodes.len]);
	moves_truncate(&d->history, 0);
	d->trunk = 0;
	return false;
}

/* What dpor_take() changes besides nodes and moves. */
struct before {
	size_t trunk;
	uint64_t missed, bounded;
	bool is_new_here;
};

static void put_first(struct wakeup *node, const struct wakeup *child)
{
	wakeup_reserve(node, node->children.len + 1);
	vec_add(&node->children);
	memmove(node->children.at + 1, node->children.at,
		(node->children.len - 1) * sizeof(*child));
	node->children.at[0] = *child;
}

/*
 * The analysis was cancelled while races were searched.  The nodes of the new moves are removed,
 * and the plan that led to them is the first path of its node again.  Sequences that were
 * inserted beside that path stay: they are to be explored anyway, and are not inserted twice.
 * Those in the free run would replace the path, so they are removed.
 */
static void put_back(struct dpor *d, const struct before *was)
{
	size_t depth = d->next.shared, free = depth + d->path.len;
	struct wakeup below = { 0 };
	for (size_t i = free; i-- > depth;) {
		struct wakeup tree = { 0 };
		if (i < d->nodes.len) {
			tree = d->nodes.at[i].tree;
			d->nodes.at[i].tree = (struct wakeup){ 0 };
		}
		below.branch = branch_ref(&d->path.at[i - depth]);
		put_first(&tree, &below);
		below = tree;
	}
	while (d->nodes.len > depth + 1)
		dpor_node_release(&d->nodes.at[--d->nodes.len]);
	wakeup_release(&d->nodes.at[depth].tree);
	if (FAULT(RETURNED_PLANS_DROPPED))
		wakeup_release(&below);
	else
		d->nodes.at[depth].tree = below;
	moves_truncate(&d->history, depth);
	d->trunk = was->trunk;
	d->missed = was->missed;
	d->bounded = was->bounded;
	d->is_new_here = was->is_new_here;
	d->is_planned = true;
}

int dpor_take(struct dpor *d, const struct execution *x, bool *is_redundant, struct err *err)
{
	struct moves *h = &d->history;
	struct shared_node *taken = d->is_new_here ? d->nodes.at[d->next.shared].shared : NULL;
	const struct before was = { d->trunk, d->missed, d->bounded, d->is_new_here };
	d->cancellation.is_cancelled = false;
	size_t found;
	h->planned = d->path.at;
	h->planned_count = d->path.len;
	h->cancellation = &d->cancellation;
	int rc = taken ? read_anew(d, x, &found, err)
		       : moves_read(h, x, d->next.shared, &found, err);
	h->planned_count = 0;
	h->cancellation = NULL;
	*is_redundant = false;
	if (!rc && d->cancellation.is_cancelled) {
		if (!taken)
			moves_truncate(h, d->next.shared);
		return 0;
	}
	d->is_planned = d->is_new_here = false;
	d->was_test = x->end == EXPLORE_DIVERGED && d->path.len &&
		      vec_last(&d->path).ops->is_unsure && found == d->next.shared &&
		      h->moves.len + 1 == found + d->path.len;
	if (rc)
		return rc;
	if (found < d->next.shared && !cut_back(d, found)) {
		*is_redundant = true;
		if (taken)
			shared_set_made(d->tree, d, NULL);
		return 0;
	}
	/* No thread sleeps before the free run: the program ends an execution there if it cannot
	 * follow the plan. */
	size_t moves = make_nodes(d, found, x->end == EXPLORE_REDUNDANT, is_redundant);
	if (taken)
		d->trunk = found + 1;
	bool is_whole = moves == h->moves.len;
	moves_truncate(h, moves);
	moves_make_room(h, taken ? 0 : found, h->threads.len);
	d->ends_by_move = x->end == EXPLORE_EXIT || cuts_off(x);
	bool is_bounded =
		d->max_preemptions != UINT64_MAX && schedule_preemptions(x) > d->max_preemptions;
	d->bounded += is_bounded;
	reverse_new(d, taken ? 0 : found, is_bounded);
	if (is_whole && !is_bounded) {
		reverse_waits(d);
		reverse_refused(d);
	}
	/* A program that behaves differently than before is reported; its plan cannot be put back.
	 */
	if (d->cancellation.is_cancelled && found >= d->next.shared) {
		put_back(d, &was);
		return 0;
	}
	if (is_whole && !is_bounded) {
		if (d->ends_by_move)
			explore_cut_off(d, x->end == EXPLORE_EXIT);
	}
	for (size_t i = found; i < h->moves.len; i++)
		explore_alternatives(d, i, &h->moves.at[i].branch);
	/* Others claim what is left there only now that all answers to a choice are there. */
	if (taken)
		shared_set_made(d->tree, d, moves > found ? &h->moves.at[found].branch : NULL);
	/* A thread that still sleeps could have continued: that was explored. */
	*is_redundant |= vec_last(&d->nodes).asleep.len > 0 || x->end == EXPLORE_REDUNDANT ||
			 x->end == EXPLORE_DIVERGED;
	return 0;
}
