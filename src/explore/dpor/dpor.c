/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Optimal DPOR; see dpor.h and wakeup.h.  After each execution every pair of moves e, f is looked
 * at where e is the last on which f depends.  If f could have been made before e, then from the
 * node of e the moves that e is not before, and then f, are to be explored, unless a move that
 * sleeps there can begin that sequence (reverse.c, which says why no behaviour is lost).
 *
 * A move at a new place may do something else than before, so the last of a sequence is a guess,
 * widened.
 */
#include "explore/dpor/dpor.h"

#include "base/alloc.h"
#include "explore/fault.h"
#include "explore/dpor/reverse.h"
#include "explore/schedule.h"
#include "explore/dpor/shared.h"

void dpor_init(struct dpor *d, bool is_total, struct worktree *tree)
{
	*d = (struct dpor){ .tree = tree,
			    .history = { .is_total = is_total },
			    .conflicts = { .worth_it = CONFLICTS_WORTH_IT },
			    .max_preemptions = UINT64_MAX };
	if (tree) {
		d->history.number_buffer = worktree_number_buffer;
		d->history.number_arg = tree;
	}
}

void dpor_node_release(struct dpor_node *n)
{
	for (size_t i = 0; i < n->asleep.len; i++)
		branch_release(&n->asleep.at[i]);
	vec_release(&n->asleep);
	wakeup_release(&n->tree);
}

static void clear_path(struct dpor *d)
{
	for (size_t i = 0; i < d->path.len; i++)
		branch_release(&d->path.at[i]);
	d->path.len = 0;
}

void dpor_release(struct dpor *d)
{
	moves_release(&d->history);
	for (size_t i = 0; i < d->nodes.len; i++)
		dpor_node_release(&d->nodes.at[i]);
	vec_release(&d->nodes);
	clear_path(d);
	vec_release(&d->path);
	vec_release(&d->scratch);
	vec_release(&d->left_out);
	conflicts_release(&d->conflicts);
	objects_release(&d->objects);
	vec_release(&d->reversals);
	vec_release(&d->ends);
	vec_release(&d->next.turns);
	vec_release(&d->next.choices);
	vec_release(&d->next.sleepers);
	vec_release(&d->next.sleeper_ops);
	sequence_release(&d->sequence);
}

static struct branch copy_branch(const struct branch *b)
{
	struct branch c = *b;
	opset_ref(c.ops);
	return c;
}

/* ---- sleep ---- */

/* What of those asleep at a node sleeps on after a move: all that is of other threads and
 * independent of it. */
static void pass_sleep(const struct moves *h, const struct dpor_node *from,
		       const struct branch *move, struct dpor_node *to)
{
	if (FAULT(13))
		return;
	for (size_t i = 0; i < from->asleep.len; i++) {
		const struct branch *b = &from->asleep.at[i];
		bool wakes = b->thread == move->thread && !FAULT(35);
		/* Several alternatives of a choice wake together, as the thread does in the
		 * runtime. */
		for (size_t k = 0; k < from->asleep.len && !wakes; k++)
			wakes = from->asleep.at[k].thread == b->thread &&
				moves_depend(h, &from->asleep.at[k], move) && !FAULT(14);
		if (!wakes)
			vec_push(&to->asleep, copy_branch(b));
	}
}

static bool is_asleep(const struct dpor_node *n, const struct branch *b)
{
	for (size_t i = 0; i < n->asleep.len; i++)
		if (n->asleep.at[i].thread == b->thread &&
		    opset_choices_begin(n->asleep.at[i].ops, b->ops))
			return true;
	return false;
}

/* Whether all alternatives of a thread sleep. */
bool dpor_all_sleep(const struct dpor_node *n, const struct branch *like)
{
	struct branches asleep = { n->asleep.at, n->asleep.len, sizeof(*n->asleep.at) };
	return branches_answer_all(asleep, like, 0);
}

/* ---- the next plan ---- */

size_t dpor_branch_turns(const struct branch *b)
{
	size_t turns = 1 + 2 * b->ops->waits_count;
	for (uint32_t i = 0; i < b->ops->asks_count; i++)
		turns += b->ops->asks[i].hook != NO_STEP;
	return turns;
}

void dpor_plan_branch(struct dpor_plan *p, const struct moves *h, const struct branch *b)
{
	for (uint32_t i = 0; i < b->ops->asks_count; i++)
		if (b->ops->asks[i].hook != NO_STEP)
			vec_push(&p->turns,
				 moves_turn(h, b->ops->asks[i].thread, b->ops->asks[i].hook));
	/* A wait in vain takes two: to begin it, and to end it. */
	for (uint32_t i = 0; i < 2 * b->ops->waits_count; i++)
		vec_push(&p->turns, moves_turn(h, b->thread, b->ops->waits[i / 2]));
	vec_push(&p->turns, moves_turn(h, b->thread, b->hook));
	const struct wire_op *choice;
	for (uint32_t i = 0; (choice = opset_choice(b->ops, i)); i++)
		vec_push(&p->choices, (uint32_t)choice->value);
}

/* One for each thread all of whose alternatives sleep, with the operations of them all. */
static void plan_sleepers(struct dpor_plan *p, const struct moves *h, const struct dpor_node *n)
{
	for (size_t i = 0; i < n->asleep.len; i++) {
		const struct branch *b = &n->asleep.at[i];
		bool is_new = true;
		for (size_t k = 0; k < i; k++)
			is_new &= n->asleep.at[k].thread != b->thread;
		if (!is_new || !dpor_all_sleep(n, b))
			continue;
		struct wire_turn turn = moves_turn(h, b->thread, 0);
		struct wire_sleeper s = { turn.thread, turn.kind, turn.hook,
					  (uint32_t)p->sleeper_ops.len, 0 };
		for (size_t k = i; k < n->asleep.len; k++)
			for (uint32_t o = 0;
			     n->asleep.at[k].thread == b->thread && o < n->asleep.at[k].ops->count;
			     o++)
				vec_push(&p->sleeper_ops, n->asleep.at[k].ops->ops[o]);
		s.count = (uint32_t)p->sleeper_ops.len - s.first;
		vec_push(&p->sleepers, s);
	}
}

/* From node `depth` the first path of its tree is taken; its end is where freedom begins. */
static void make_plan(struct dpor *d, size_t depth)
{
	struct dpor_plan *p = &d->next;
	p->shared = depth;
	p->turns.len = p->choices.len = p->sleepers.len = p->sleeper_ops.len = 0;
	for (size_t i = 0; i < depth; i++)
		dpor_plan_branch(p, &d->history, &d->history.moves.at[i].branch);
	struct dpor_node now = { 0 }, then = { 0 };
	for (size_t i = 0; i < d->nodes.at[depth].asleep.len; i++)
		vec_push(&now.asleep, copy_branch(&d->nodes.at[depth].asleep.at[i]));
	clear_path(d);
	for (const struct wakeup *w = &d->nodes.at[depth].tree; w->children.len;) {
		w = &w->children.at[0];
		vec_push(&d->path, copy_branch(&w->branch));
		dpor_plan_branch(p, &d->history, &w->branch);
		pass_sleep(&d->history, &now, &w->branch, &then);
		dpor_node_release(&now);
		now = then;
		then = (struct dpor_node){ 0 };
	}
	plan_sleepers(p, &d->history, &now);
	dpor_node_release(&now);
	p->plan = (struct plan){ .turns = p->turns.at,
				 .turns_count = p->turns.len,
				 .choices = p->choices.at,
				 .choices_count = p->choices.len,
				 .sleepers = p->sleepers.at,
				 .sleepers_count = p->sleepers.len,
				 .sleeper_ops = p->sleeper_ops.at,
				 .sleeper_ops_count = p->sleeper_ops.len };
}

/* The first plan of all: nothing is known. */
static bool begin(struct dpor *d)
{
	if (d->has_begun)
		return false;
	d->has_begun = true;
	if (d->tree) {
		worktree_lock(d->tree);
		bool is_first = worktree_begin(d->tree, &d->claim);
		worktree_unlock(d->tree);
		if (!is_first)
			return false;
	}
	vec_add(&d->nodes);
	return true;
}

/* Whether the move is one of those asleep, with all that can follow it. */
static bool is_explored(const struct dpor_node *n, const struct branch *b)
{
	for (size_t i = 0; i < n->asleep.len; i++) {
		const struct branch *s = &n->asleep.at[i];
		/* Fault 121 would hide behind it: the plans that it spoils are superfluous here. */
		if (s->thread == b->thread && !s->ops->choices && !b->ops->choices &&
		    !s->ops->is_cut && !FAULT(119) && !FAULT(121))
			return true;
	}
	return false;
}

/*
 * Take the first path out of the node's tree if it comes to a move that sleeps there; gives
 * whether it did. When that path was inserted its last move was a guess, in conflict with a move
 * before it on the path; then the move was made elsewhere and turned out to be independent of all
 * before it.  So what follows the path follows the sleeper, too; and so does what was left to the
 * path as a leaf, which has that move or is independent of the guess.  Where something comes
 * before the move on which that depends, it is a race that was found after the sleeper, and has a
 * path of its own: it cannot begin with the guess, which is wider.
 */
static bool drop_explored(const struct moves *h, struct dpor_node *n)
{
	struct dpor_node now = { 0 }, then = { 0 };
	VEC(struct wakeup *) path = { 0 };
	bool is_found = false;
	for (size_t i = 0; i < n->asleep.len; i++)
		vec_push(&now.asleep, copy_branch(&n->asleep.at[i]));
	for (struct wakeup *w = &n->tree; w->children.len && now.asleep.len && !is_found;) {
		vec_push(&path, w);
		w = &w->children.at[0];
		is_found = is_explored(&now, &w->branch);
		pass_sleep(h, &now, &w->branch, &then);
		dpor_node_release(&now);
		now = then;
		then = (struct dpor_node){ 0 };
	}
	for (bool is_empty = is_found; is_empty && path.len; path.len--) {
		struct wakeup *above = vec_last(&path);
		wakeup_release(&above->children.at[0]);
		above->children.len--;
		memmove(above->children.at, above->children.at + 1,
			above->children.len * sizeof(*above->children.at));
		is_empty = !above->children.len;
	}
	dpor_node_release(&now);
	vec_release(&path);
	return is_found;
}

/* Up to the deepest node of its own with something left; false: there is none. */
static bool go_back(struct dpor *d)
{
	while (d->nodes.len > d->trunk) {
		size_t depth = d->nodes.len - 1;
		struct dpor_node *n = &d->nodes.at[depth];
		/* The move that was explored from here sleeps from now on. */
		if (depth < d->history.moves.len) {
			n->finished++;
			if (!FAULT(15))
				vec_push(&n->asleep,
					 copy_branch(&d->history.moves.at[depth].branch));
		}
		moves_truncate(&d->history, depth);
		while (drop_explored(&d->history, n))
			;
		if (n->tree.children.len || n->reopens) {
			n->reopens &= n->tree.children.len > 0;
			return true;
		}
		dpor_node_release(n);
		d->nodes.len--;
	}
	return false;
}

/* Whether there is something left of what was taken from a shared node. */
static bool has_more(struct dpor *d)
{
	struct dpor_node *here = &vec_last(&d->nodes);
	bool is_path = here->tree.children.len;
	while (drop_explored(&d->history, here))
		;
	if (!is_path || here->tree.children.len)
		return true;
	d->is_new_here = false;
	shared_set_made(d->tree, d, NULL);
	return false;
}

const struct plan *dpor_plan(struct dpor *d)
{
	if (!d->is_planned && !begin(d)) {
		if (d->tree)
			shared_give(d->tree, d);
		while (!go_back(d))
			if (!d->tree || !shared_claim(d->tree, d))
				return NULL;
			else if (has_more(d))
				break;
	}
	d->is_planned = true;
	make_plan(d, d->nodes.len - 1);
	return &d->next.plan;
}

/* ---- nodes that others may share ---- */

/* What is to be changed; a shared node is locked until dpor_close_node(). */
struct dpor_node *dpor_open_node(struct dpor *d, size_t node)
{
	struct dpor_node *n = &d->nodes.at[node];
	return n->shared ? shared_lock(d->tree, &d->history, n->shared) : n;
}

void dpor_close_node(struct dpor *d, size_t node)
{
	if (d->nodes.at[node].shared)
		shared_unlock(d->tree);
}

/* The child of the node that another walker has taken and not made yet; NULL: there is none. */
const struct branch *dpor_taken_child(const struct dpor *d, size_t node)
{
	const struct shared_node *s = d->nodes.at[node].shared;
	return s && s->has_claimed && s->claimed.branch.ops ? &s->claimed.branch : NULL;
}

/* ---- what a move leaves to others ---- */

/*
 * The last move ended everything, so what others would have done is not known.  At its node they
 * are let run while it sleeps; races with what they do are found then.  At an exit all others
 * have made their moves, except those who also stand before one.
 */
static void explore_cut_off(struct dpor *d, bool is_exit)
{
	struct moves *h = &d->history;
	for (size_t t = 0; t < h->threads.len && h->moves.len; t++) {
		const struct thread_now *now = &h->threads.at[t];
		if (!now->is_there || now->has_ended || t == vec_last(&h->moves).branch.thread ||
		    FAULT(22))
			continue;
		if (is_exit && (now->pause.is_waiting || t >= BUFFERS_FROM))
			continue;
		dpor_open_node(d, h->moves.len - 1)->reopens = true;
		dpor_close_node(d, h->moves.len - 1);
	}
}

static bool has_open_sleeper(const struct dpor_node *n)
{
	for (size_t i = 0; i < n->asleep.len; i++)
		if (n->asleep.at[i].is_open && !FAULT(66))
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
			if (v == chosen->value || FAULT(23) || (FAULT(37) && v > 1))
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

/* Take the first child of the node's tree, which was planned, out of it: what is left to do below
 * it. `is_refused`: the program had no such move there. */
static struct wakeup take_planned(struct dpor *d, struct dpor_node *n, struct branch *made,
				  bool is_refused)
{
	struct wakeup first = n->tree.children.at[0];
	n->tree.children.len--;
	memmove(n->tree.children.at, n->tree.children.at + 1, n->tree.children.len * sizeof(first));
	if (!made || first.branch.thread != made->thread) {
		d->missed += !is_refused;
		wakeup_release(&first);
		return (struct wakeup){ 0 };
	}
	/* Other answers come from races of their own, unless those were found too late to be
	 * inserted here. */
	if (first.branch.ops->is_guess)
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
	for (size_t i = from; i < h->moves.len; i++) {
		struct branch *b = &h->moves.at[i].branch;
		struct dpor_node *n = &d->nodes.at[i];
		struct wakeup rest = { 0 };
		if (n->tree.children.len)
			rest = take_planned(d, n, b, false);
		if (FAULT(36))
			wakeup_release(&rest), rest = (struct wakeup){ 0 };
		if (i >= from + d->path.len && is_asleep(n, b)) {
			/*
			 * The runtime knew less about what sleeps: the plan ended in a guess, or
			 * another answer to the choices of this move is awake.  From here others
			 * are to go on.  What was explored after the sleeper does not stand for
			 * that: nothing follows one that ends the process.
			 */
			explore_alternatives(d, i, b);
			dpor_open_node(d, i)->reopens = !FAULT(26);
			dpor_close_node(d, i);
			wakeup_release(&rest);
			*is_redundant = true;
			return i;
		}
		if (i >= from + d->path.len && patience_is_out(&d->patience, 1 + n->asleep.len)) {
			wakeup_release(&rest);
			return i;
		}
		struct dpor_node *below = vec_add(&d->nodes);
		below->tree = rest;
		pass_sleep(h, &d->nodes.at[i], b, below);
	}
	/* Nothing came of the plan: do not plan it again. */
	struct dpor_node *last = &vec_last(&d->nodes);
	if (last->tree.children.len && d->path.len) {
		take_planned(d, last, NULL, is_refused);
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
		vec_push(&expected, copy_branch(&h->moves.at[i].branch));
	size_t above = expected.len;
	for (size_t i = 0; i < d->path.len; i++)
		vec_push(&expected, copy_branch(&d->path.at[i]));
	h->planned = expected.at;
	h->planned_count = expected.len;
	int rc = moves_read(h, x, 0, found, err);
	bool is_given_up = d->patience.is_out;
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
		vec_add(&h->moves)->branch = copy_branch(&expected.at[i]);
	for (size_t i = 0; i < expected.len; i++)
		branch_release(&expected.at[i]);
	vec_release(&expected);
	return rc;
}

/* It is another program now: nothing of what is planned below applies.  Gives whether the rest
 * can be used. */
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
 * Patience ran out while races were looked for.  The nodes of the new moves go, and the plan that
 * led to them is the first path of its node again.  Sequences that were inserted beside that path
 * stay: they are to be explored anyway, and found to be there.  Those where the execution was
 * free would take its place: they go.
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
		below.branch = copy_branch(&d->path.at[i - depth]);
		put_first(&tree, &below);
		below = tree;
	}
	while (d->nodes.len > depth + 1)
		dpor_node_release(&d->nodes.at[--d->nodes.len]);
	wakeup_release(&d->nodes.at[depth].tree);
	if (!FAULT(69))
		d->nodes.at[depth].tree = below;
	else
		wakeup_release(&below);
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
	d->patience.is_out = false;
	size_t found;
	h->planned = d->path.at;
	h->planned_count = d->path.len;
	h->patience = &d->patience;
	int rc = taken ? read_anew(d, x, &found, err)
		       : moves_read(h, x, d->next.shared, &found, err);
	h->planned_count = 0;
	h->patience = NULL;
	*is_redundant = false;
	if (!rc && d->patience.is_out) {
		if (!taken)
			moves_truncate(h, d->next.shared);
		return 0;
	}
	d->is_planned = d->is_new_here = false;
	if (rc)
		return rc;
	if (found < d->next.shared && !cut_back(d, found)) {
		*is_redundant = true;
		if (taken)
			shared_set_made(d->tree, d, NULL);
		return 0;
	}
	/* Before freedom nobody sleeps: the program ends an execution there that has no such order.
	 */
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
	/* If it is another program than before, that is told, and there is no way back. */
	if (d->patience.is_out && found >= d->next.shared) {
		put_back(d, &was);
		return 0;
	}
	if (is_whole && !is_bounded) {
		if (d->ends_by_move)
			explore_cut_off(d, x->end == EXPLORE_EXIT);
	}
	for (size_t i = found; i < h->moves.len; i++)
		explore_alternatives(d, i, &h->moves.at[i].branch);
	/* Others take what is left there only now that all answers to a choice are there. */
	if (taken)
		shared_set_made(d->tree, d, moves > found ? &h->moves.at[found].branch : NULL);
	/* Whatever still sleeps could have gone on: that was explored. */
	*is_redundant |= vec_last(&d->nodes).asleep.len > 0 || x->end == EXPLORE_REDUNDANT ||
			 x->end == EXPLORE_DIVERGED;
	return 0;
}

double dpor_progress(const struct dpor *d)
{
	double share = d->tree ? worktree_share(d->tree, &d->claim) : 1, behind = 0;
	for (size_t i = d->trunk; i < d->nodes.len; i++) {
		const struct dpor_node *n = &d->nodes.at[i];
		double branches = (double)(n->finished + 1 + n->tree.children.len);
		behind += share * (double)n->finished / branches;
		share /= branches;
	}
	return behind;
}
