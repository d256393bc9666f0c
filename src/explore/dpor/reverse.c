/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The races of an execution, and the sequences that are to be explored for them; see reverse.h.
 * Below, e is the earlier and f the later move of a race.
 *
 * Why no behaviour is lost, by class of operations:
 *
 *   accesses     a read or write can be made at any time, so each dependent pair is reversed.
 *   locks        f, an acquire, depends on the release before it, which cannot come after f.
 *                moves_has_need() follows the lock and detects this.  The acquire of that holder
 *                can come after f, so the search for a race continues with earlier moves.  The
 *                same holds for semaphores (the post), joins (the end of the thread) and once
 *                routines.
 *   tries        a try or timed form never blocks.  The runtime marks them, so the release itself
 *                is reversed too, which shows the failed try or the timeout.
 *   conditions   releasing the mutex and acquiring it again are two moves.  The second comes after
 *                the signal, which is no race.  A signal that came too early races with the
 *                first.  A timed wait can time out: that is a move between the two, which races
 *                with every use of the condition variable.  Where a signal came first there is no
 *                such move, but the signal races with the timeout that was possible.
 *   blocked      a thread that is blocked at the end (a deadlock, or another thread ended the
 *                process) has not made its next move; that move races like any other.
 *   cycles       a deadlock cycle ends the process when the last thread requests.  A request is no
 *                move.  The move that fails lists the other threads in the cycle: it comes after
 *                their last moves, and a plan lets them request first.  What the last thread
 *                requested races like what the others wait for.
 *   requests     that block are no moves, unless others can observe them: a writer that waits for
 *                a lock that prefers writers, or a thread that waits for a semaphore that is not
 *                initialised.  Where such a thread could not have got it, it may have requested
 *                it: moves_has_need() answers that it is unsure.
 *   choices      a move with another answer is another move.  In the free run of an execution the
 *                alternatives become branches of the node.  A sequence has the answers that its
 *                moves had, because other answers have their own races.  To the runtime a thread
 *                sleeps when all its alternatives do.
 *   the end      a move that ends the process by a failure, or drops the execution, cuts off the
 *                moves of other threads: they run from that node while the move sleeps.  The
 *                runtime makes an exit last; it depends on output.
 *   awaits       a thread that spins is blocked until a move changes what it read;
 *                moves_has_need() looks for one.  A thread that spins for ever has not made its
 *                next move, but reading again races with a move that undid a change.  What a
 *                store of more than eight bytes left there is not known, so the move is tried.
 *                What a thread that spins for ever does next is not known either: behind the
 *                await it may need a lock that is held, or reach its limit of rounds.  To go on
 *                from an await is no move, and no other thread can observe it.  In both cases, if
 *                the thread makes no move, its move is kept among those asleep at that node, so
 *                that it is not tried again.
 */
#include "explore/dpor/reverse.h"

#include "base/alloc.h"
#include "wire/fault.h"
#include "explore/dpor/shared.h"

/* Whether every execution that begins with the sequence is equivalent to one that begins with
 * this move, which sleeps. */
static bool begins_with_sleeper(const struct moves *h, const struct sequence *s,
				const struct branch *b, bool has_all)
{
	if (b->is_open && !sequence_has_thread(h, s, b))
		return false;
	return sequence_can_begin_with(h, s, b, has_all);
}

/* Whether what follows a move that sleeps at the node contains all that can follow the sequence. */
static bool is_covered(const struct moves *h, const struct dpor_node *n, const struct sequence *s,
		       const struct branch *b)
{
	bool is_cut = b->ops->is_cut;
	if (FAULT(CUT_MOVE_COVERS))
		is_cut = false;
	if (is_cut)
		return false; /* nothing follows it */
	/* The thread cannot make it here: that covers what begins with it, and nothing else. */
	if (opset_is_trial(b->ops) && !sequence_has_thread(h, s, b))
		return false;
	if (!b->ops->choices)
		return begins_with_sleeper(h, s, b, false);
	bool has_all = dpor_all_sleep(n, b);
	for (size_t i = 0; i < n->asleep.len && has_all; i++)
		if (n->asleep.at[i].thread == b->thread)
			has_all = begins_with_sleeper(h, s, &n->asleep.at[i], true);
	return has_all || begins_with_sleeper(h, s, b, false);
}

/*
 * Whether everything that can follow the sequence is explored from the node already, by something
 * that sleeps there.  The move that was made there, `first`, comes after the sequence: what
 * depends on it and is no part of the sequence can come after both.
 */
static bool node_covers(const struct moves *h, const struct dpor_node *n, const struct sequence *s,
			const struct branch *first)
{
	for (size_t i = 0; i < n->asleep.len; i++) {
		const struct branch *b = &n->asleep.at[i];
		bool may_follow = !sequence_has_thread(h, s, b) && moves_depend(h, b, first);
		if (FAULT(SLEEPERS_COVER_NOTHING))
			break;
		if (!may_follow && is_covered(h, n, s, b))
			return true;
	}
	return false;
}

/* Explore the sequence from that node, unless that was done already. */
static void explore_sequence(struct dpor *d, size_t node)
{
	struct dpor_node *n = dpor_open_node(d, node);
	const struct branch *taken = dpor_taken_child(d, node);
	bool is_done =
		node_covers(&d->history, n, &d->sequence, &d->history.moves.at[node].branch) ||
		(taken &&
		 (!opset_is_trial(taken->ops) ||
		  sequence_has_thread(&d->history, &d->sequence, taken)) &&
		 sequence_can_begin_with(&d->history, &d->sequence, taken, false));
	if (!is_done)
		wakeup_insert(&d->history, &n->tree, &d->sequence, d->nodes.at[node].shared);
	dpor_close_node(d, node);
}

/* A move that could come earlier: one of the history, or one that a thread waits to make at its
 * end. */
struct mover {
	struct branch branch; /* not a reference of its own */
	const struct wire_op *need;
	const struct pause *pause;
	struct preceded preceded;
	size_t end;	    /* it is after the moves before this one */
	bool is_open_ended; /* only the await before it is known */
	uint64_t poll;	    /* as in struct move */
};

static void leave_out(struct dpor *d, const struct move *m)
{
	uint32_t *first = &d->left_out.at[m->branch.thread];
	*first = m->index < *first ? m->index : *first;
}

/*
 * The sequence: what `first` is not before, and then the move itself.  That is all of the
 * execution, and not only what came before the move: whether something that sleeps covers the
 * sequence is decided by what it depends on later, too.  What writes output after the move is
 * left out, with all that follows from that: if the move leads to a failure, that ends the
 * process before others have written.
 */
static void make_sequence(struct dpor *d, const struct mover *m, size_t first,
			  const uint32_t *before)
{
	const struct moves *h = &d->history;
	struct sequence *s = &d->sequence;
	s->moves.len = s->planned = d->left_out.len = 0;
	branch_release(&s->last);
	vec_reserve(&d->left_out, h->stride);
	memset(d->left_out.at, 0xff, h->stride * sizeof(*d->left_out.at));
	for (size_t i = first + 1; i < h->moves.len; i++) {
		if (FAULT(REVERSAL_ENDS_AT_RACE) && i >= m->end)
			break;
		/* After the end of the process there is nothing. */
		bool is_end = i == h->moves.len - 1 && d->ends_by_move;
		bool is_after = moves_is_before(h, first, i);
		if (FAULT(REVERSAL_KEEPS_END))
			is_end = false;
		if (FAULT(REVERSAL_KEEPS_SUCCESSORS))
			is_after = false;
		if (is_end || is_after)
			continue;
		const struct opset *ops = h->moves.at[i].branch.ops;
		bool is_out = i >= m->end && opset_writes_output(ops);
		for (size_t t = 0; t < h->stride && !is_out; t++)
			is_out = moves_clock(h, i)[t] >= d->left_out.at[t];
		if (is_out)
			leave_out(d, &h->moves.at[i]);
		else
			vec_push(&s->moves, i);
		s->planned += i < m->end && !is_out;
	}
	s->last = m->branch;
	s->last.fixed_choices = 0;
	/* where the rest of a coarse move goes is not known; it is made in the free run */
	s->last.hook = s->last.first;
	s->last.ops = opset_new_predicted(m->branch.ops, 0, m->branch.first);
	s->last_before = mem_resize(s->last_before, h->stride, sizeof(uint32_t));
	memcpy(s->last_before, before, h->stride * sizeof(uint32_t));
}

/* Whether the round that the mover begins would succeed if it came before that move. */
static enum need round_there(const struct dpor *d, const struct mover *m, size_t first)
{
	const struct moves *h = &d->history;
	bool is_await = m->pause->may_fail_again;
	bool fails = moves_round_fails(h, m->branch.thread, is_await ? m->pause->poll : m->poll,
				       is_await ? m->pause->awaits : m->branch.ops, is_await, first,
				       m->end);
	return fails ? NEED_MISSING : NEED_UNSURE;
}

/*
 * Every move that the mover depends on and could come before, from the last one downwards, goes
 * to d->reversals.  Only moves that may be in conflict with it are looked at (conflicts.h).
 * `clock`: to be joined with those that are before it; NULL: it is not in the history.
 */
static void find_races(struct dpor *d, const struct mover *m, uint32_t *clock)
{
	struct moves *h = &d->history;
	d->scratch.len = 0;
	vec_reserve(&d->scratch, h->stride);
	uint32_t *done = d->scratch.at;
	moves_clock_before(h, &m->preceded, m->end, done);
	conflicts_walk(&d->conflicts, h, &m->branch, m->end);
	for (size_t i; (i = conflicts_next(&d->conflicts, h, done)) != NO_MOVE;) {
		if (cancellation_check(&d->cancellation, 1))
			return;
		const struct move *e = &h->moves.at[i];
		uint32_t thread = e->branch.thread;
		if (thread == m->branch.thread || e->index <= done[thread])
			continue;
		if (!moves_depend(h, &e->branch, &m->branch))
			continue;
		if (clock && e->index > clock[thread]) {
			if (!FAULT(RACE_CLOCK_NOT_JOINED))
				clock_join(clock, moves_clock(h, i), h->stride);
		}
		bool asks = m->need->kind || m->pause->awaits || m->pause->is_interrupted;
		bool may_fail = m->poll || m->pause->may_fail_again;
		if (asks && cancellation_check(&d->cancellation, m->end))
			return;
		enum need has = asks ? moves_has_need(h, &d->objects, m->branch.thread, m->need,
						      m->pause, i, m->end)
				     : NEED_MET;
		if (may_fail && has != NEED_MISSING)
			has = round_there(d, m, i);
		bool is_done = has == NEED_MET;
		if (FAULT(UNMET_NEED_HIDES_RACES))
			is_done = true;
		if (is_done)
			clock_join(done, moves_clock(h, i), h->stride);
		if (has == NEED_MISSING)
			continue;
		if (FAULT(ONE_RACE_PER_MOVE))
			memset(done, 0xff, h->stride * sizeof(*done));
		vec_push(&d->reversals,
			 ((struct reversal){ i, false,
					     has == NEED_UNSURE && (m->pause->awaits || may_fail) }));
	}
}

/*
 * A wait that was woken could have run out of time before.  That depends on nothing but uses of
 * the condition variable, on all of which the waking one depends, too: so that is the last of
 * them.
 */
static void find_waking(struct dpor *d, const struct timed_wait *timed, const struct preceded *p)
{
	if (timed->object && p->previous != NO_MOVE && p->enabled_by != NO_MOVE)
		vec_push(&d->reversals, ((struct reversal){ p->enabled_by, true, false }));
}

/* Those of one mover, found before; every move has its clock by now.  `timed`: the wait before it.
 */
static void reverse(struct dpor *d, const struct mover *m, const struct timed_wait *timed,
		    size_t from, size_t to)
{
	struct moves *h = &d->history;
	for (size_t i = from; i < to && !cancellation_check(&d->cancellation, h->moves.len); i++) {
		struct reversal r = d->reversals.at[i];
		struct mover mover = *m;
		struct opset *end = NULL;
		if (r.runs_out) {
			struct wire_op op = timed_end(timed);
			end = moves_new_next(h, m->branch.thread, m->preceded.previous,
					     timed->is_cancellable, &op, 1);
			end->is_wild = h->is_total;
			mover.branch = (struct branch){
				m->branch.thread, 0, timed->hook, timed->hook, end, false, false
			};
			mover.preceded = (struct preceded){ .previous = m->preceded.previous,
							    .enabled_by = NO_MOVE };
		}
		d->scratch.len = 0;
		vec_reserve(&d->scratch, h->stride);
		moves_clock_before(h, &mover.preceded, mover.end, d->scratch.at);
		make_sequence(d, &mover, r.first, d->scratch.at);
		d->sequence.last.ops->is_unsure = r.is_unsure;
		d->sequence.last.ops->is_open_ended = m->is_open_ended;
		explore_sequence(d, r.first);
		opset_drop(end);
	}
}

static struct mover mover_at(const struct moves *h, size_t number)
{
	const struct move *m = &h->moves.at[number];
	return (struct mover){ m->branch, &m->need,	    &m->pause, move_preceded(m),
			       number,	  .poll = m->poll };
}

/*
 * The order of the new moves, and then the races of all: what can be made before the second move
 * of a race depends on the whole execution, so those of moves that were there before are looked
 * at again.
 */
void reverse_new(struct dpor *d, size_t from, bool is_bounded)
{
	struct moves *h = &d->history;
	d->ends.len = from;
	d->reversals.len = from ? d->ends.at[from - 1] : 0;
	conflicts_begin(&d->conflicts, h);
	objects_begin(&d->objects, d->conflicts.is_on);
	for (size_t i = 0; i < from && !cancellation_check(&d->cancellation, 1); i++) {
		conflicts_add(&d->conflicts, &h->moves.at[i], i);
		objects_add(&d->objects, &h->moves.at[i], i);
	}
	for (size_t i = from; i < h->moves.len && !d->cancellation.is_cancelled; i++) {
		struct mover mover = mover_at(h, i);
		uint32_t *clock = moves_clock(h, i);
		moves_clock_before(h, &mover.preceded, mover.end, clock);
		find_races(d, &mover, clock);
		find_waking(d, &h->moves.at[i].timed, &mover.preceded);
		clock[mover.branch.thread] = h->moves.at[i].index;
		conflicts_add(&d->conflicts, &h->moves.at[i], i);
		objects_add(&d->objects, &h->moves.at[i], i);
		vec_push(&d->ends, d->reversals.len);
	}
	for (size_t i = 0; i < h->moves.len && !is_bounded && !d->cancellation.is_cancelled; i++) {
		if (FAULT(OLD_PREFIX_WITHOUT_RACES) && i < from)
			continue;
		struct mover mover = mover_at(h, i);
		reverse(d, &mover, &h->moves.at[i].timed, i ? d->ends.at[i - 1] : 0, d->ends.at[i]);
	}
}

/* The thread that closed a deadlock cycle failed where it could not get something; it may get it
 * elsewhere. */
void reverse_refused(struct dpor *d)
{
	struct moves *h = &d->history;
	const struct move *last = h->moves.len ? &vec_last(&h->moves) : NULL;
	if (!last || !last->refused.kind || d->cancellation.is_cancelled)
		return;
	struct opset *ops = opset_new(&last->refused, 1, NULL, 0);
	struct preceded preceded = move_preceded(last);
	preceded.closes = NULL;
	struct mover m = { { last->branch.thread, 0, last->branch.hook, last->branch.hook, ops,
			     false, false },
			   &last->refused,
			   &last->pause,
			   preceded,
			   h->moves.len - 1,
			   false,
			   0 };
	size_t first = d->reversals.len;
	find_races(d, &m, NULL);
	reverse(d, &m, &last->timed, first, d->reversals.len);
	d->reversals.len = first;
	opset_drop(ops);
}

/*
 * Threads that are blocked at the end: the moves that they would make next.
 *
 * A call that waits for a descriptor is an operation on the outside that was not made, because
 * other calls left nothing to read.  It races with the last call of another thread that it does not
 * follow, as a call that was made would: before that call, which may have taken what it waits
 * for, it may be possible.  Where it is not, the execution ends there with the thread waiting,
 * and what comes before is looked at in the same way.
 */
void reverse_waits(struct dpor *d)
{
	struct moves *h = &d->history;
	for (size_t t = 0; t < h->threads.len && !d->cancellation.is_cancelled; t++) {
		const struct thread_now *now = &h->threads.at[t];
		struct wire_op need = pause_need(&now->pause);
		struct wire_op call = pause_call(&now->pause);
		const struct opset *awaits = now->pause.awaits;
		if (FAULT(WAITING_THREADS_WITHOUT_RACES))
			break;
		if (!now->pause.is_waiting || (!need.kind && !awaits && !call.kind))
			continue;
		/* One that awaits a change would read all that it has read again. */
		struct opset *ops =
			moves_new_next(h, (uint32_t)t, now->last, now->pause.is_cancellable,
				       awaits	   ? awaits->ops
				       : need.kind ? &need
						   : &call,
				       awaits ? awaits->count : 1);
		ops->is_wild = h->is_total;
		struct preceded preceded = { now->last, now->woken_by, now->drained, NULL, NULL };
		if (now->last == NO_MOVE)
			preceded.enabled_by = now->created_by;
		struct pause pause = now->pause;
		if (!awaits)
			pause.awaits = now->passed;
		struct mover m = { { (uint32_t)t, 0, now->pause.hook, now->pause.hook, ops, false,
				     false },
				   &need,
				   &pause,
				   preceded,
				   h->moves.len,
				   awaits != NULL,
				   0 };
		size_t first = d->reversals.len;
		find_races(d, &m, NULL);
		if (!FAULT(FINAL_WAIT_NEVER_WOKEN))
			find_waking(d, &now->timed, &preceded);
		reverse(d, &m, &now->timed, first, d->reversals.len);
		d->reversals.len = first;
		opset_drop(ops);
	}
}
