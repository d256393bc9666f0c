/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Wake-up trees; see wakeup.h.
 *
 * Insertion descends as long as a child is a possible beginning of what is left of the sequence.
 * Where all answers to a choice are children, and the sequence does not depend on the choice, it
 * descends below each of them.  Two cases end it:
 *
 *   a leaf       the free run from there makes the sequence, or shows a race that leads to it.
 *   no child     none of the children is a beginning of the rest, which becomes a new path beside
 *                them.  So no two paths lead to equivalent executions.
 *
 * The first case requires that no sleeping move can begin the path of the leaf.  But the footprint
 * of the leaf's move is a prediction.  If it was over-approximated (a compare-exchange that
 * fails), a sleeping move s that was taken for dependent on it still sleeps below it.  There s
 * covers races, while sequences that were found when s was explored were left to the leaf: each
 * relies on the other, and both would be lost.  So:
 *
 *   a sequence with the move itself, and more after it, replaces such a leaf.
 *   a sequence without the move may be left to it: if s and the move are independent, the move
 *   right after s is explored too, and a race found there that precedes s inserts a sequence with
 *   the move.
 */
#include "explore/dpor/wakeup.h"

#include "base/alloc.h"
#include "wire/fault.h"

void wakeup_reserve(struct wakeup *w, size_t children)
{
	if (!w->children.cap && children) {
		w->children.at = mem_resize(NULL, children, sizeof(*w->children.at));
		w->children.cap = children;
	}
	vec_reserve(&w->children, children - w->children.len);
}

void branch_release(struct branch *b)
{
	opset_drop(b->ops);
	b->ops = NULL;
}

struct branch branch_copy(const struct branch *b)
{
	struct branch c = *b;
	c.ops = b->ops ? opset_copy(b->ops) : NULL;
	return c;
}

struct branch branch_ref(const struct branch *b)
{
	struct branch c = *b;
	opset_ref(c.ops);
	return c;
}

/* A tree may be as deep as an execution is long, so what goes through one keeps its place on the
 * heap. */
struct copying {
	const struct wakeup *from;
	struct wakeup *to; /* room for all its children is there, so it stays where it is */
};

struct wakeup wakeup_copy(const struct wakeup *w)
{
	struct wakeup copy = { .branch = branch_copy(&w->branch) };
	VEC(struct copying) stack = { 0 };
	vec_push(&stack, ((struct copying){ w, &copy }));
	while (stack.len) {
		struct copying now = stack.at[--stack.len];
		wakeup_reserve(now.to, now.from->children.len);
		for (size_t i = 0; i < now.from->children.len; i++) {
			const struct wakeup *from = &now.from->children.at[i];
			struct wakeup *to = vec_add(&now.to->children);
			to->branch = branch_copy(&from->branch);
			if (from->children.len)
				vec_push(&stack, ((struct copying){ from, to }));
		}
	}
	vec_release(&stack);
	return copy;
}

void wakeup_release(struct wakeup *w)
{
	VEC(struct wakeup) stack = { 0 };
	struct wakeup now = *w;
	*w = (struct wakeup){ 0 };
	for (;;) {
		for (size_t i = 0; i < now.children.len; i++) {
			/* Room for children is there before they are, and may be all there is. */
			if (now.children.at[i].children.at)
				vec_push(&stack, now.children.at[i]);
			else
				branch_release(&now.children.at[i].branch);
		}
		vec_release(&now.children);
		branch_release(&now.branch);
		if (!stack.len)
			break;
		now = stack.at[--stack.len];
	}
	vec_release(&stack);
}

void sequence_release(struct sequence *s)
{
	vec_release(&s->moves);
	branch_release(&s->last);
	mem_free(s->last_before);
	*s = (struct sequence){ 0 };
}

static const struct branch *element(const struct moves *h, const struct sequence *s, size_t i)
{
	return i < s->moves.len ? &h->moves.at[s->moves.at[i]].branch : &s->last;
}

/* How many there are; the last one is taken out by dropping its operations. */
static size_t length(const struct sequence *s)
{
	return s->moves.len + (s->last.ops != NULL);
}

static bool is_first(const struct moves *h, const struct sequence *s, size_t at)
{
	for (size_t i = 0; i < at; i++) {
		size_t move = s->moves.at[i];
		const struct move *m = &h->moves.at[move];
		bool is_before;
		if (at < s->moves.len)
			is_before = moves_is_before(h, move, s->moves.at[at]);
		else
			is_before = m->index <= s->last_before[m->branch.thread] ||
				    moves_depend(h, &m->branch, &s->last);
		if (FAULT(SEQUENCE_END_INDEPENDENT) && at >= s->moves.len)
			is_before = m->index <= s->last_before[m->branch.thread];
		if (is_before)
			return false;
	}
	return true;
}

/* Where the thread of a branch comes first; length() if nowhere. */
static size_t place_of(const struct moves *h, const struct sequence *s, const struct branch *b)
{
	size_t i = 0;
	while (i < length(s) && element(h, s, i)->thread != b->thread)
		i++;
	return i;
}

bool sequence_has_thread(const struct moves *h, const struct sequence *s, const struct branch *b)
{
	return place_of(h, s, b) < length(s);
}

/* The same move, with the same choices; those of a predicted move are open. */
static bool is_same_move(const struct branch *b, const struct branch *other)
{
	if (!b->ops->choices && !other->ops->choices)
		return true;
	if (FAULT(ANSWERS_EQUAL))
		return true;
	if (other->ops->is_predicted && !other->ops->choices)
		return !b->ops->is_predicted;
	return b->ops->choices == other->ops->choices && opset_choices_begin(b->ops, other->ops);
}

bool sequence_can_begin_with(const struct moves *h, const struct sequence *s,
			     const struct branch *b, bool has_all_answers)
{
	size_t at = place_of(h, s, b);
	if (FAULT(ANY_MOVE_IS_INITIAL) && at < length(s))
		return is_same_move(b, element(h, s, at));
	if (at < length(s))
		return is_same_move(b, element(h, s, at)) && is_first(h, s, at);
	if (b->ops->choices && !has_all_answers)
		return false;
	if (FAULT(DEPENDENT_MOVE_IS_WEAK_INITIAL))
		return true;
	for (size_t i = 0; i < length(s); i++)
		if (moves_depend(h, element(h, s, i), b))
			return false;
	return true;
}

static void take_out(struct sequence *s, size_t at)
{
	if (at == s->moves.len) {
		branch_release(&s->last);
		return;
	}
	s->moves.len--;
	s->planned -= at < s->planned;
	memmove(s->moves.at + at, s->moves.at + at + 1, (s->moves.len - at) * sizeof(*s->moves.at));
}

/*
 * Takes the move of a child, which the sequence can begin with, out of the sequence.
 *
 * The free run may interrupt a thread within a coarse move, whose steps are several moves of the
 * history then.  So a child may end behind the element of its thread or before it.
 *
 *   behind       it contains further elements of the thread, which are taken out if nothing in the
 *                sequence is before them: the sequence is equivalent to one that begins with all of
 *                them.  A plan with one of them below the child could not be followed.
 *   before       the element stays: what is left of its steps is still to be made.  Its operations
 *                contain those of that rest.  A step with a choice ends its move, so no choice
 *                is planned twice.
 */
static void take_out_child(const struct moves *h, struct sequence *s, size_t at,
			   const struct branch *child)
{
	bool is_coarse = h->may_switch && !child->ops->is_predicted;
	if (FAULT(COARSE_MOVES_ALWAYS_WHOLE))
		is_coarse = false;
	if (!is_coarse) {
		take_out(s, at);
		return;
	}
	/* Several moves may have the same step: those of a wait. */
	uint64_t next = 0;
	while (at < length(s) && element(h, s, at)->first >= next &&
	       element(h, s, at)->hook <= child->hook && is_first(h, s, at)) {
		next = element(h, s, at)->hook + 1;
		take_out(s, at);
		at = place_of(h, s, child);
	}
}

/* The branch of a tree for that element. */
static struct branch planned_branch(const struct moves *h, const struct sequence *s, size_t i,
				    bool is_shared)
{
	struct branch b = *element(h, s, i);
	b.ops = is_shared ? opset_copy(b.ops) : opset_ref(b.ops);
	b.fixed_choices = 0;
	b.has_free_answers = i >= s->planned && i < s->moves.len;
	return b;
}

/* Whether the leaf is a predicted move, and the sequence has that move with other operations, and
 * further moves. */
static bool knows_better(const struct moves *h, const struct sequence *s, size_t at,
			 const struct wakeup *leaf)
{
	if (FAULT(PREDICTED_MOVE_NOT_REPLACED))
		return false;
	return at < s->moves.len && length(s) > 1 && leaf->branch.ops->is_predicted &&
	       opset_differs(leaf->branch.ops, element(h, s, at)->ops);
}

bool branches_answer_all(struct branches all, const struct branch *like, uint32_t choices)
{
	uint64_t alternatives = 0, seen = 0, looked_at = 0;
	for (size_t i = 0; i < all.count; i++) {
		const struct branch *b = branches_at(all, i);
		bool is_like = b->thread == like->thread;
		for (uint32_t c = 0; c < choices && is_like; c++)
			is_like = c < b->ops->choices && opset_choice(b->ops, c)->value ==
								 opset_choice(like->ops, c)->value;
		if (!is_like)
			continue;
		if (b->ops->choices <= choices)
			return true;
		const struct wire_op *next = opset_choice(b->ops, choices);
		alternatives = next->size;
		/* Each beginning is looked at once: a second branch that has it would give the
		 * same. */
		if (next->value >= 64 || looked_at >> next->value & 1)
			continue;
		looked_at |= 1ull << next->value;
		if (branches_answer_all(all, b, choices + 1))
			seen |= 1ull << next->value;
	}
	return alternatives && alternatives <= 64 &&
	       (uint64_t)__builtin_popcountll(seen) == alternatives;
}

/*
 * Whether the sequence can begin with a move that it does not have, whatever that is answered,
 * and every answer is a child of the node: what follows the sequence is then found below one of
 * them.
 */
static bool can_begin_with_all(const struct moves *h, const struct wakeup *node,
			       const struct sequence *s, const struct branch *b)
{
	struct branches children = { node->children.at, node->children.len,
				     sizeof(*node->children.at) };
	if (FAULT(ANSWERS_COVER_NOTHING))
		return false;
	if (!b->ops->choices || sequence_has_thread(h, s, b) ||
	    !branches_answer_all(children, b, 0))
		return false;
	for (size_t i = 0; i < children.count; i++) {
		const struct branch *other = branches_at(children, i);
		if (other->thread == b->thread && !sequence_can_begin_with(h, s, other, true))
			return false;
	}
	return true;
}

/* Below every answer of that thread. */
static bool insert_below_all(const struct moves *h, struct wakeup *node, const struct sequence *s,
			     uint32_t thread, bool is_shared)
{
	bool is_new = false;
	for (size_t i = 0; i < node->children.len; i++) {
		struct wakeup *child = &node->children.at[i];
		if (child->branch.thread != thread || !child->children.len)
			continue;
		struct sequence rest = { .planned = s->planned,
					 .last = s->last,
					 .last_before = s->last_before };
		for (size_t k = 0; k < s->moves.len; k++)
			vec_push(&rest.moves, s->moves.at[k]);
		if (rest.last.ops)
			opset_ref(rest.last.ops);
		is_new |= wakeup_insert(h, child, &rest, is_shared);
		rest.last_before = NULL; /* it was borrowed */
		sequence_release(&rest);
	}
	return is_new;
}

bool wakeup_insert(const struct moves *h, struct wakeup *root, struct sequence *s, bool is_shared)
{
	struct wakeup *node = root;
	for (size_t i = 0; i < node->children.len;) {
		struct wakeup *child = &node->children.at[i];
		if (can_begin_with_all(h, node, s, &child->branch))
			return insert_below_all(h, node, s, child->branch.thread, is_shared);
		/* If the child turns out to be impossible, only what begins with its thread goes
		 * with it. */
		bool may_be_refused = opset_is_trial(child->branch.ops) &&
				      !sequence_has_thread(h, s, &child->branch);
		if (FAULT(TRIAL_LEAF_COVERS))
			may_be_refused = false;
		if (may_be_refused || !sequence_can_begin_with(h, s, &child->branch, false)) {
			i++;
			continue;
		}
		size_t at = place_of(h, s, &child->branch);
		bool takes_place = !child->children.len && knows_better(h, s, at, child);
		if (takes_place) {
			struct branch known = planned_branch(h, s, at, is_shared);
			/* It has as many choices, and other answers are explored where they were
			 * for the leaf. */
			known.has_free_answers = false;
			known.is_open = child->branch.is_open;
			branch_release(&child->branch);
			child->branch = known;
		}
		if (at < length(s))
			take_out_child(h, s, at, &child->branch);
		if ((!child->children.len && !takes_place) || !length(s))
			return false;
		node = child;
		i = 0;
	}
	for (size_t i = 0; i < length(s); i++) {
		wakeup_reserve(node, node->children.len + 1);
		struct wakeup *child = vec_add(&node->children);
		child->branch = planned_branch(h, s, i, is_shared);
		node = child;
	}
	return true;
}
