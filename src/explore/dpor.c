/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Optimal DPOR; see dpor.h and wakeup.h.  After each execution every pair of moves e, f is looked at where e is
 * the last on which f depends.  If f could have been made before e, then from the node of e the moves that e is not before,
 * and then f, are to be explored, unless a move that sleeps there can begin that sequence.
 *
 * Why no behaviour is lost, by class of operations:
 *
 *   accesses     a read or write can be made at any time, so each dependent pair is reversed.
 *   locks        f, an acquire, depends on the release before it, which cannot come after it: moves_has_need() follows
 *                the lock and says so, and the search for a race goes on below: the acquire of that holder can.  The same
 *                holds for semaphores (the post), joins (the end of the thread) and once routines.
 *   tries        and timed forms are never held up: the runtime marks them, so the release itself is reversed too, which
 *                shows the failed try or the timeout.
 *   conditions   giving up the mutex and taking it again are two moves; the second comes after the signal, which is no
 *                race.  A signal that came too early races with the first.  If the wait is timed, the second move
 *                could be a timeout at any time, so it races with the signal and whatever else used the condition variable.
 *   waiting for  a thread that never got what it waits for (a deadlock, or others ended the process) has no move, but the
 *   ever         one that it wants to make races like any other.
 *   choices      a move with another answer is another move.  Where it is made freely the alternatives become branches of
 *                the node; a sequence has the answers that its moves had, because the others have their own races.
 *                To the runtime a thread sleeps when all its alternatives do.
 *   the end      a move that ends the process by a failure, or drops the execution, cuts off what others would have done:
 *                they run on from that node while it sleeps.  An exit is made last by the runtime; it depends on output.
 *   awaits       a thread that spins is held up until a move changes what it read; moves_has_need() asks for one.
 *
 * A move at a new place may do something else than before, so the last of a sequence is a guess, widened.
 */
#include "explore/dpor.h"

#include "base/alloc.h"
#include "explore/fault.h"

void dpor_init(struct dpor *d, bool is_total)
{
	*d = (struct dpor){ .history = { .is_total = is_total } };
}

static void node_release(struct dpor_node *n)
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
		node_release(&d->nodes.at[i]);
	vec_release(&d->nodes);
	clear_path(d);
	vec_release(&d->path);
	vec_release(&d->scratch);
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

/* What of those asleep at a node sleeps on after a move: all that is of other threads and independent of it. */
static void pass_sleep(const struct moves *h, const struct dpor_node *from, const struct branch *move, struct dpor_node *to)
{
	if (FAULT(13))
		return;
	for (size_t i = 0; i < from->asleep.len; i++) {
		const struct branch *b = &from->asleep.at[i];
		bool wakes = b->thread == move->thread && !FAULT(35);
		/* Several alternatives of a choice wake together, as the thread does in the runtime. */
		for (size_t k = 0; k < from->asleep.len && !wakes; k++)
			wakes = from->asleep.at[k].thread == b->thread && moves_depend(h, &from->asleep.at[k], move) &&
				!FAULT(14);
		if (!wakes)
			vec_push(&to->asleep, copy_branch(b));
	}
}

static bool is_asleep(const struct dpor_node *n, const struct branch *b)
{
	for (size_t i = 0; i < n->asleep.len; i++)
		if (n->asleep.at[i].thread == b->thread && opset_choices_begin(n->asleep.at[i].ops, b->ops))
			return true;
	return false;
}

/* Whether all alternatives of a thread sleep that make its first choices as `like` does. */
static bool all_sleep(const struct dpor_node *n, const struct branch *like, uint32_t choices)
{
	uint64_t alternatives = 0, seen = 0;
	for (size_t i = 0; i < n->asleep.len; i++) {
		const struct branch *b = &n->asleep.at[i];
		bool is_like = b->thread == like->thread;
		for (uint32_t c = 0; c < choices && is_like; c++)
			is_like = c < b->ops->choices && opset_choice(b->ops, c)->value == opset_choice(like->ops, c)->value;
		if (!is_like)
			continue;
		if (b->ops->choices <= choices)
			return true;
		const struct wire_op *next = opset_choice(b->ops, choices);
		alternatives = next->size;
		if (next->value < 64 && !(seen >> next->value & 1) && all_sleep(n, b, choices + 1))
			seen |= 1ull << next->value;
	}
	return alternatives && alternatives <= 64 && (uint64_t)__builtin_popcountll(seen) == alternatives;
}

/* ---- the next plan ---- */

void dpor_plan_branch(struct dpor_plan *p, const struct moves *h, const struct branch *b)
{
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
		if (!is_new || !all_sleep(n, b, 0))
			continue;
		struct wire_turn turn = moves_turn(h, b->thread, 0);
		struct wire_sleeper s = { turn.thread, turn.kind, turn.hook, (uint32_t)p->sleeper_ops.len, 0 };
		for (size_t k = i; k < n->asleep.len; k++)
			for (uint32_t o = 0; n->asleep.at[k].thread == b->thread && o < n->asleep.at[k].ops->count; o++)
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
	struct dpor_node now = {0}, then = {0};
	for (size_t i = 0; i < d->nodes.at[depth].asleep.len; i++)
		vec_push(&now.asleep, copy_branch(&d->nodes.at[depth].asleep.at[i]));
	clear_path(d);
	for (const struct wakeup *w = &d->nodes.at[depth].tree; w->children.len;) {
		w = &w->children.at[0];
		vec_push(&d->path, copy_branch(&w->branch));
		dpor_plan_branch(p, &d->history, &w->branch);
		pass_sleep(&d->history, &now, &w->branch, &then);
		node_release(&now);
		now = then;
		then = (struct dpor_node){0};
	}
	plan_sleepers(p, &d->history, &now);
	node_release(&now);
	p->plan = (struct plan){ p->turns.at, p->turns.len, p->choices.at, p->choices.len, p->sleepers.at, p->sleepers.len,
				 p->sleeper_ops.at, p->sleeper_ops.len };
}

const struct plan *dpor_plan(struct dpor *d)
{
	if (!d->has_begun) {
		d->has_begun = true;
		vec_add(&d->nodes);
		make_plan(d, 0);
		return &d->next.plan;
	}
	while (d->nodes.len) {
		size_t depth = d->nodes.len - 1;
		struct dpor_node *n = &d->nodes.at[depth];
		/* The move that was explored from here sleeps from now on. */
		if (depth < d->history.moves.len) {
			n->finished++;
			if (!FAULT(15))
				vec_push(&n->asleep, copy_branch(&d->history.moves.at[depth].branch));
		}
		moves_truncate(&d->history, depth);
		if (n->tree.children.len || n->reopens) {
			n->reopens &= n->tree.children.len > 0;
			make_plan(d, depth);
			return &d->next.plan;
		}
		node_release(n);
		d->nodes.len--;
	}
	return NULL;
}

/* ---- races ---- */

/* Whether what follows a move that sleeps at the node contains all that can follow the sequence. */
static bool is_covered(const struct dpor *d, const struct dpor_node *n, const struct branch *b)
{
	if (b->ops->is_cut && !FAULT(38))
		return false;	/* nothing follows it */
	if (!b->ops->choices)
		return sequence_can_begin_with(&d->history, &d->sequence, b, false);
	bool has_all = all_sleep(n, b, 0);
	for (size_t i = 0; i < n->asleep.len && has_all; i++)
		if (n->asleep.at[i].thread == b->thread)
			has_all = sequence_can_begin_with(&d->history, &d->sequence, &n->asleep.at[i], true);
	return has_all || sequence_can_begin_with(&d->history, &d->sequence, b, false);
}

/* Explore the sequence from that node, unless that was done already. */
static void explore_sequence(struct dpor *d, size_t node)
{
	struct dpor_node *n = &d->nodes.at[node];
	for (size_t i = 0; i < n->asleep.len; i++)
		if (is_covered(d, n, &n->asleep.at[i]) && !FAULT(16))
			return;
	wakeup_insert(&d->history, &n->tree, &d->sequence);
}

/* A move that could come earlier: one of the history, or one that a thread waits to make at its end. */
struct mover {
	struct branch branch;		/* not a reference of its own */
	const struct wire_op *need;
	const struct pause *pause;
	uint64_t timed_on;		/* condition variable on which it may time out instead; 0: none */
	struct preceded preceded;
	size_t end;			/* it is after the moves before this one */
};

/* The sequence: what `first` is not before, and then the move itself. */
static void make_sequence(struct dpor *d, const struct mover *m, size_t first, const uint32_t *before)
{
	const struct moves *h = &d->history;
	struct sequence *s = &d->sequence;
	s->moves.len = 0;
	branch_release(&s->last);
	for (size_t i = first + 1; i < m->end; i++) {
		/* After the end of the process there is nothing. */
		bool is_end = i == h->moves.len - 1 && m->end == h->moves.len && d->ends_by_move && !FAULT(27);
		if ((!moves_is_before(h, first, i) || FAULT(17)) && !is_end)
			vec_push(&s->moves, i);
	}
	s->last = m->branch;
	s->last.fixed_choices = 0;
	s->last.hook = s->last.first;	/* where the rest of a coarse move goes is not known; it goes on in freedom */
	s->last.ops = opset_new_guess(m->branch.ops, 0, m->timed_on, m->branch.first);
	s->last_before = mem_resize(s->last_before, h->stride, sizeof(uint32_t));
	memcpy(s->last_before, before, h->stride * sizeof(uint32_t));
}

/*
 * Every move that the mover depends on and could come before, from the last one downwards.  `clock`: to be joined with
 * those that are before it; NULL: it is not in the history.
 */
static void find_races(struct dpor *d, const struct mover *m, uint32_t *clock)
{
	struct moves *h = &d->history;
	d->scratch.len = 0;
	vec_reserve(&d->scratch, 3 * h->stride);
	uint32_t *before = d->scratch.at, *alone = before + h->stride, *done = alone + h->stride;
	struct preceded without_waking = m->preceded;
	without_waking.enabled_by = NO_MOVE;
	moves_clock_before(h, &m->preceded, m->end, before);
	moves_clock_before(h, &without_waking, m->end, alone);
	memcpy(done, m->timed_on ? alone : before, h->stride * sizeof(*done));
	for (size_t i = m->end; i-- > 0;) {
		const struct move *e = &h->moves.at[i];
		uint32_t thread = e->branch.thread;
		if (thread == m->branch.thread || e->index <= done[thread])
			continue;
		bool depends = moves_depend(h, &e->branch, &m->branch);
		if (!depends && !(m->timed_on && opset_uses(e->branch.ops, m->timed_on)))
			continue;
		if (clock && depends && e->index > clock[thread] && !FAULT(30))
			clock_join(clock, moves_clock(h, i), h->stride);
		/* A wait that may run out need not be woken; one that has been needs what it needs. */
		size_t waking = m->preceded.enabled_by;
		bool is_woken = waking != NO_MOVE && waking != i && !moves_is_before(h, i, waking);
		bool runs_out = m->timed_on && !is_woken;
		enum need has = runs_out ? NEED_MET : moves_has_need(h, m->branch.thread, m->need, m->pause, i, m->end);
		if (has == NEED_MET || FAULT(19))
			clock_join(done, moves_clock(h, i), h->stride);
		if (has == NEED_MISSING)
			continue;
		if (FAULT(34))
			memset(done, 0xff, h->stride * sizeof(*done));
		make_sequence(d, m, i, runs_out ? alone : before);
		explore_sequence(d, i);
	}
}

static uint64_t timed_on(const struct pause *p)
{
	return p->is_waiting && p->is_timed && !pause_need(p).kind && !FAULT(20) ? p->object : 0;
}

static void order_move(struct dpor *d, size_t number)
{
	struct moves *h = &d->history;
	struct move *m = &h->moves.at[number];
	struct mover mover = { m->branch, &m->need, &m->pause, timed_on(&m->pause),
			       { m->previous, m->enabled_by, m->drained_at, &m->flushed }, number };
	uint32_t *clock = moves_clock(h, number);
	moves_clock_before(h, &mover.preceded, number, clock);
	find_races(d, &mover, clock);
	clock[m->branch.thread] = m->index;
}

/* Threads that wait at the end: what they would do if they could. */
static void reverse_waits(struct dpor *d)
{
	struct moves *h = &d->history;
	for (size_t t = 0; t < h->threads.len; t++) {
		const struct thread_now *now = &h->threads.at[t];
		struct wire_op need = pause_need(&now->pause);
		if (!now->pause.is_waiting || !need.kind || FAULT(21))
			continue;
		struct opset *ops = opset_new(&need, 1, NULL, 0);
		ops->is_wild = h->is_total;
		struct preceded preceded = { now->last, now->last == NO_MOVE ? now->created_by : NO_MOVE, now->drained_at, NULL };
		struct mover m = { { (uint32_t)t, 0, now->pause.hook, now->pause.hook, ops }, &need, &now->pause, 0, preceded,
				   h->moves.len };
		find_races(d, &m, NULL);
		opset_drop(ops);
	}
}

/* ---- what a move leaves to others ---- */

/*
 * The last move ended everything, so what others would have done is not known.  At its node they are let run while it
 * sleeps; races with what they do are found then.  At an exit all others have made their moves, except those who also
 * stand before one.
 */
static void explore_cut_off(struct dpor *d, bool is_exit)
{
	struct moves *h = &d->history;
	for (size_t t = 0; t < h->threads.len && h->moves.len; t++) {
		const struct thread_now *now = &h->threads.at[t];
		if (!now->is_there || now->has_ended || t == vec_last(&h->moves).branch.thread || FAULT(22))
			continue;
		if (!is_exit || (!now->pause.is_waiting && t < BUFFERS_FROM))
			d->nodes.at[h->moves.len - 1].reopens = true;
	}
}

static bool has_alternative(const struct dpor_node *n, const struct branch *b)
{
	for (size_t i = 0; i < n->asleep.len; i++)
		if (n->asleep.at[i].thread == b->thread && opset_choices_begin(n->asleep.at[i].ops, b->ops))
			return true;
	for (size_t i = 0; i < n->tree.children.len; i++) {
		const struct branch *c = &n->tree.children.at[i].branch;
		if (c->thread == b->thread && c->ops->choices && opset_choices_begin(c->ops, b->ops))
			return true;
	}
	return false;
}

/* Other answers to the choices of a move, explored next. */
static void explore_alternatives(struct dpor_node *n, const struct branch *b)
{
	for (uint32_t c = b->fixed_choices; c < b->ops->choices; c++) {
		const struct wire_op *chosen = opset_choice(b->ops, c);
		for (uint64_t v = 0; v < chosen->size; v++) {
			if (v == chosen->value || FAULT(23) || (FAULT(37) && v > 1))
				continue;
			struct wakeup w = { .branch = { b->thread, c + 1, b->first, b->first, opset_new_alternative(b->ops, c, v) } };
			if (has_alternative(n, &w.branch)) {
				wakeup_release(&w);
				continue;
			}
			vec_add(&n->tree.children);
			memmove(n->tree.children.at + 1, n->tree.children.at, (n->tree.children.len - 1) * sizeof(w));
			n->tree.children.at[0] = w;
		}
	}
}

/* ---- what came of a plan ---- */

/* Take the first child of the node's tree, which was planned, out of it: what is left to do below it. */
static struct wakeup take_planned(struct dpor *d, struct dpor_node *n, struct branch *made)
{
	struct wakeup first = n->tree.children.at[0];
	n->tree.children.len--;
	memmove(n->tree.children.at, n->tree.children.at + 1, n->tree.children.len * sizeof(first));
	if (!made || first.branch.thread != made->thread) {
		d->missed++;
		wakeup_release(&first);
		return (struct wakeup){0};
	}
	made->fixed_choices = first.branch.ops->is_guess ? first.branch.fixed_choices : made->ops->choices;
	branch_release(&first.branch);
	return first;
}

/* Nodes for the new moves: each has what is left of the one above.  Gives how many moves belong to the search. */
static size_t make_nodes(struct dpor *d, size_t from, bool *is_redundant)
{
	struct moves *h = &d->history;
	for (size_t i = from; i < h->moves.len; i++) {
		struct branch *b = &h->moves.at[i].branch;
		struct dpor_node *n = &d->nodes.at[i];
		struct wakeup rest = {0};
		if (n->tree.children.len)
			rest = take_planned(d, n, b);
		if (FAULT(36))
			wakeup_release(&rest), rest = (struct wakeup){0};
		if (i >= from + d->path.len && is_asleep(n, b)) {
			/*
			 * The runtime knew less about what sleeps: the plan ended in a guess, or another answer to the
			 * choices of this move is awake.  From here others are to go on.
			 */
			explore_alternatives(n, b);
			n->reopens = !FAULT(26);
			wakeup_release(&rest);
			*is_redundant = true;
			return i;
		}
		struct dpor_node *below = vec_add(&d->nodes);
		below->tree = rest;
		pass_sleep(h, &d->nodes.at[i], b, below);
	}
	/* Nothing came of the plan: do not plan it again. */
	struct dpor_node *last = &vec_last(&d->nodes);
	if (last->tree.children.len && d->path.len) {
		take_planned(d, last, NULL);
		*is_redundant = true;
	}
	return h->moves.len;
}

static bool cuts_off(const struct execution *x)
{
	return (x->end == EXPLORE_FAILURE && !failure_is_of_all(x->failure)) || x->end == EXPLORE_ASSUMED;
}

int dpor_take(struct dpor *d, const struct execution *x, bool *is_redundant, struct err *err)
{
	struct moves *h = &d->history;
	size_t found;
	*is_redundant = false;
	int rc = moves_read(h, x, d->next.shared, &found, err);
	if (rc)
		return rc;
	if (found < d->next.shared) {
		/* It is another program now: nothing of what is planned below applies. */
		d->diverged++;
		while (d->nodes.len > found + 1)
			node_release(&d->nodes.at[--d->nodes.len]);
	}
	size_t moves = make_nodes(d, found, is_redundant);
	bool is_whole = moves == h->moves.len;
	moves_truncate(h, moves);
	moves_make_room(h, found);
	d->ends_by_move = x->end == EXPLORE_EXIT || cuts_off(x);
	for (size_t i = found; i < h->moves.len; i++)
		order_move(d, i);
	if (is_whole) {
		reverse_waits(d);
		if (d->ends_by_move)
			explore_cut_off(d, x->end == EXPLORE_EXIT);
	}
	for (size_t i = found; i < h->moves.len; i++)
		explore_alternatives(&d->nodes.at[i], &h->moves.at[i].branch);
	/* Whatever still sleeps could have gone on: that was explored. */
	*is_redundant |= vec_last(&d->nodes).asleep.len > 0 || x->end == EXPLORE_REDUNDANT || x->end == EXPLORE_DIVERGED;
	return 0;
}

double dpor_progress(const struct dpor *d)
{
	double behind = 0, share = 1;
	for (size_t i = 0; i < d->nodes.len; i++) {
		const struct dpor_node *n = &d->nodes.at[i];
		double branches = (double)(n->finished + 1 + n->tree.children.len);
		behind += share * (double)n->finished / branches;
		share /= branches;
	}
	return behind;
}
