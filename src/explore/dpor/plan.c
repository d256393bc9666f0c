/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plans of dpor, and the sleep sets that belong to them; see dpor.h.
 *
 * The last move of a planned sequence is made at a place where it was not made before, and may do
 * something else there.  Its footprint is a prediction, which is over-approximated (is_predicted of
 * struct opset).
 */
#include "explore/dpor/dpor.h"

#include "base/alloc.h"
#include "wire/fault.h"

void dpor_clear_path(struct dpor *d)
{
	for (size_t i = 0; i < d->path.len; i++)
		branch_release(&d->path.at[i]);
	d->path.len = 0;
}

/* ---- sleep ---- */

/* What of those asleep at a node sleeps on after a move: all that is of other threads and
 * independent of it.  A move that is impossible at the node covers nothing elsewhere. */
void dpor_pass_sleep(const struct moves *h, const struct dpor_node *from, const struct branch *move,
		     struct dpor_node *to)
{
	if (FAULT(SLEEP_SET_NOT_INHERITED))
		return;
	for (size_t i = 0; i < from->asleep.len; i++) {
		const struct branch *b = &from->asleep.at[i];
		bool wakes = b->thread == move->thread || opset_is_trial(b->ops);
		if (FAULT(SLEEPER_SURVIVES_OWN_MOVE))
			wakes = false;
		/* Several alternatives of a choice wake together, as the thread does in the
		 * runtime. */
		for (size_t k = 0; k < from->asleep.len && !wakes; k++) {
			if (FAULT(DEPENDENT_MOVE_WAKES_NONE))
				break;
			wakes = from->asleep.at[k].thread == b->thread &&
				moves_depend(h, &from->asleep.at[k], move);
		}
		if (!wakes)
			vec_push(&to->asleep, branch_ref(b));
	}
}

bool dpor_is_asleep(const struct dpor_node *n, const struct branch *b)
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
	/* A wait that is not satisfied takes two turns: to begin it, and to end it. */
	for (uint32_t i = 0; i < 2 * b->ops->waits_count; i++)
		vec_push(&p->turns, moves_turn(h, b->thread, b->ops->waits[i / 2]));
	vec_push(&p->turns, moves_turn(h, b->thread, b->hook));
	const struct wire_op *choice;
	for (uint32_t i = 0; (choice = opset_choice(b->ops, i)); i++)
		vec_push(&p->choices, (uint32_t)choice->value);
}

void dpor_plan_end(struct dpor_plan *p)
{
	p->plan = (struct plan){ .turns = p->turns.at,
				 .turns_count = p->turns.len,
				 .choices = p->choices.at,
				 .choices_count = p->choices.len,
				 .sleepers = p->sleepers.at,
				 .sleepers_count = p->sleepers.len,
				 .sleeper_ops = p->sleeper_ops.at,
				 .sleeper_ops_count = p->sleeper_ops.len,
				 .keeps_rounds = true };
}

/* One for each thread all of whose alternatives sleep, with the operations of them all. */
static void plan_sleepers(struct dpor_plan *p, const struct moves *h, const struct dpor_node *n)
{
	for (size_t i = 0; i < n->asleep.len; i++) {
		const struct branch *b = &n->asleep.at[i];
		bool is_new = true;
		for (size_t k = 0; k < i; k++)
			is_new &= n->asleep.at[k].thread != b->thread;
		if (!is_new || opset_is_trial(b->ops) || !dpor_all_sleep(n, b))
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

void dpor_make_plan(struct dpor *d, size_t depth)
{
	struct dpor_plan *p = &d->next;
	p->shared = depth;
	p->turns.len = p->choices.len = p->sleepers.len = p->sleeper_ops.len = 0;
	for (size_t i = 0; i < depth; i++)
		dpor_plan_branch(p, &d->history, &d->history.moves.at[i].branch);
	struct dpor_node now = { 0 }, then = { 0 };
	for (size_t i = 0; i < d->nodes.at[depth].asleep.len; i++)
		vec_push(&now.asleep, branch_ref(&d->nodes.at[depth].asleep.at[i]));
	dpor_clear_path(d);
	for (const struct wakeup *w = &d->nodes.at[depth].tree; w->children.len;) {
		w = &w->children.at[0];
		vec_push(&d->path, branch_ref(&w->branch));
		dpor_plan_branch(p, &d->history, &w->branch);
		dpor_pass_sleep(&d->history, &now, &w->branch, &then);
		dpor_node_release(&now);
		now = then;
		then = (struct dpor_node){ 0 };
	}
	plan_sleepers(p, &d->history, &now);
	dpor_node_release(&now);
	dpor_plan_end(p);
}

/* Whether the move is one of those asleep, with all that can follow it. */
static bool is_explored(const struct dpor_node *n, const struct branch *b)
{
	for (size_t i = 0; i < n->asleep.len; i++) {
		const struct branch *s = &n->asleep.at[i];
		/* This hides the second one: the plans that it spoils are superfluous. */
		if (FAULT(SLEEPING_PREDICTED_MOVE_PLANNED) || FAULT(FAILED_ACCESS_SYNCHRONISES))
			return false;
		if (s->thread == b->thread && !s->ops->choices && !b->ops->choices &&
		    !s->ops->is_cut)
			return true;
	}
	return false;
}

/*
 * When that path was inserted, the footprint of its last move m was a prediction, in conflict with
 * a move before it on the path.  Then m was made elsewhere, turned out to be independent of all
 * moves before it, and sleeps.  Nothing is lost by dropping the path:
 *
 *   what follows the path               follows the sleeping m, too.
 *   what was left to the path as leaf   contains m, or is independent of the prediction, and so
 *                                       follows m as well.
 *   a move before m that m depends on   is a race that was found after m was explored, and has a
 *                                       path of its own: it cannot begin with the prediction,
 *                                       whose footprint contains that of m.
 */
bool dpor_drop_explored(const struct moves *h, struct dpor_node *n)
{
	struct dpor_node now = { 0 }, then = { 0 };
	VEC(struct wakeup *) path = { 0 };
	bool is_found = false;
	for (size_t i = 0; i < n->asleep.len; i++)
		vec_push(&now.asleep, branch_ref(&n->asleep.at[i]));
	for (struct wakeup *w = &n->tree; w->children.len && now.asleep.len && !is_found;) {
		vec_push(&path, w);
		w = &w->children.at[0];
		is_found = is_explored(&now, &w->branch);
		dpor_pass_sleep(h, &now, &w->branch, &then);
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
