/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the list of operations to moves; see moves.h.
 *
 * Where a step ends in a wait after it did something visible (it had the lock of one stream and
 * needs that of another), whether it waits there depends on the object it waits for; so that move
 * also counts as a use of it.  Reads alone (of a deadline) belong to the move that follows.
 */
#include "explore/execution/internal.h"

#include "base/alloc.h"
#include "wire/fault.h"

static void move_release(struct move *m)
{
	opset_drop(m->branch.ops);
	opset_drop(m->pause.awaits);
}

void moves_truncate(struct moves *h, size_t moves)
{
	while (h->moves.len > moves)
		move_release(&h->moves.at[--h->moves.len]);
}

void moves_release(struct moves *h)
{
	moves_truncate(h, 0);
	moves_release_threads(h);
	vec_release(&h->moves);
	vec_release(&h->clocks);
	vec_release(&h->threads);
	vec_release(&h->passed);
	vec_release(&h->taken_back);
	vec_release(&h->owners);
	map_release(&h->failed_rounds);
	map_release(&h->first_values);
	vec_release(&h->buffers);
}

/* ---- moves ---- */

/* One run of a thread, as it is in the list. */
struct stretch {
	uint32_t thread;
	uint64_t first, hook;	 /* steps */
	VEC(struct wire_op) ops; /* kept ones */
	bool is_blocked;
	uint64_t poll; /* as in struct move */
	struct drained drained; /* which flushes these are is not known yet */
	struct pause pause;
	VEC(uint32_t) cycle; /* the other threads of the cycle that it closes */
};

/* The signal or request to end that interrupts the stretch at its beginning; NULL: none. */
static const struct wire_op *found_by(const struct stretch *s)
{
	return ops_found(s->ops.at, s->ops.len, s->thread);
}

/* The thread goes on or waits: this was not visible. */
static void note_pause(struct thread_now *t, struct stretch *s)
{
	pause_clear(&t->pause);
	if (!s->is_blocked)
		return;
	t->pause = s->pause;
	t->pause.hook = s->hook;
	s->pause.awaits = NULL;
	/* It may wait for a mutex next; that it could have timed out before stays true. */
	if (FAULT(WOKEN_THREAD_NEVER_TIMED))
		return;
	if (s->pause.is_timed && (s->pause.mode == SYNC_COND || s->pause.mode == SYNC_FUTEX))
		t->timed = (struct timed_wait){ s->pause.object, s->hook, s->pause.mode,
						s->pause.is_cancellable };
}

static bool has_only_reads(const struct stretch *s)
{
	for (size_t i = 0; i < s->ops.len; i++)
		if (s->ops.at[i].kind != EV_READ)
			return false;
	return true;
}

/* The move that made this one possible, beside what it depends on. */
static size_t enabler(struct moves *h, const struct thread_now *t, const struct stretch *s,
		      const struct opset *ops)
{
	if (s->thread >= BUFFERS_FROM) {
		const struct stored *flushed = moves_flushed_by(h, s->thread, ops);
		return flushed ? flushed->move : NO_MOVE;
	}
	/* It can have been woken by several others, on all of which it depends. */
	if (found_by(s) && t->pause.is_waiting)
		return NO_MOVE;
	if (t->woken_by != NO_MOVE)
		return t->woken_by;
	return t->last == NO_MOVE ? t->created_by : NO_MOVE;
}

/* What the stretch did, as a set, with the threads that block before it in the cycle it closes. */
static struct opset *ops_of(struct moves *h, const struct thread_now *t, const struct stretch *s)
{
	VEC(struct ask) asks = { 0 };
	for (size_t i = 0; i < s->cycle.len; i++) {
		const struct pause *p = s->cycle.at[i] < h->threads.len
						? &h->threads.at[s->cycle.at[i]].pause
						: NULL;
		vec_push(&asks,
			 ((struct ask){ s->cycle.at[i],
					p && p->is_waiting && !p->awaits ? p->hook : NO_STEP }));
	}
	struct opset *ops = opset_new_closing(t->reads.at, t->reads.len, t->waits.at, t->waits.len,
					      asks.at, asks.len);
	ops->is_wild = h->is_total;
	vec_release(&asks);
	return ops;
}

/* Its request closes a deadlock cycle, and fails. */
static bool closes_cycle(const struct stretch *s)
{
	return s->is_blocked && s->ops.len && vec_last(&s->ops).kind == EV_FAILURE &&
	       failure_is_cycle(vec_last(&s->ops).value);
}

static void add_move(struct moves *h, struct thread_now *t, const struct stretch *s,
		     struct opset *ops)
{
	struct move m = {
		.branch = { s->thread, 0, s->first, s->hook, ops, false, false },
		.index = t->moves + 1,
		.column = s->thread,
		.previous = t->last,
		.enabled_by = enabler(h, t, s, ops),
		.drained = t->drained,
		.need = opset_need(ops),
		.pause = t->pause,
		.timed = t->timed,
		.poll = s->poll,
	};
	const struct stored *flushed = moves_flushed_by(h, s->thread, ops);
	if (flushed) {
		m.flushed = *flushed;
		m.flush_before = h->threads.at[flushed->thread].flushes.last;
		/* TSO: all of them are in one buffer, where each follows the one before it. */
		if (h->buffers.at[s->thread - BUFFERS_FROM].location)
			m.flushed.before.last = m.flush_before;
	}
	if (closes_cycle(s))
		m.refused = pause_need(&s->pause);
	bool is_call =
		pause_call(&m.pause).kind && found_by(s) && found_by(s)->mode == HIDDEN_CANCEL;
	bool ends_wait = m.pause.is_waiting && !m.pause.is_flush && found_by(s) && !is_call;
	if (FAULT(SIGNAL_ENDS_NO_WAIT))
		ends_wait = false;
	if (ends_wait) {
		m.pause.is_interrupted = true;
		m.need = pause_need(&m.pause);
		if (m.pause.is_join)
			m.need = (struct wire_op){ .kind = EV_JOIN, .object = m.pause.object };
	}
	/* To wait for a semaphore is a move of a thread that looks, and a signal may end that. */
	bool is_looking = s->ops.len && op_is_pending(&s->ops.at[0], s->thread);
	if (m.need.kind == EV_SEM_WAIT && !m.pause.is_waiting && is_looking)
		m.need.flags |= OPF_REQUEST_SEEN;
	t->pause = (struct pause){ 0 };
	if (!m.pause.awaits && t->passed) {
		if (!FAULT(PASSED_AWAIT_FORGOTTEN))
			m.pause.awaits = opset_ref(t->passed);
	}
	vec_push(&h->moves, m);
}

/* Where a list is read: moves before `same` are there already. */
struct reading {
	size_t position, same, known; /* `known`: those that were there at first */
	struct stretch stretch;
};

/*
 * A thread goes on from an await, and the first that it does there is a fence, to sleep, or to
 * wait for a lock: that is no move, but the one that follows could not be made before what it
 * awaited had changed, either.
 */
static void pass_await(struct thread_now *t, const struct stretch *s)
{
	struct opset *awaits = t->pause.awaits;
	if (!awaits || s->pause.awaits || t->pause.may_fail_again)
		return;
	for (uint32_t i = 0; !s->ops.len && i < awaits->count; i++)
		vec_push(&t->reads, awaits->ops[i]);
	opset_drop(t->passed);
	t->passed = opset_ref(awaits);
}

/* The stretch has no move.  Whether the thread was let go on from an await is known then, too: it
 * is at a later step, or in the same step at something else. */
static void note_passed(struct moves *h, const struct thread_now *t, const struct stretch *s,
			size_t position)
{
	if (t->pause.awaits && (s->hook > t->pause.hook || !s->pause.awaits))
		vec_push(&h->passed, ((struct passed_await){ position, s->thread }));
}

bool moves_has_passed(const struct moves *h, size_t moves, uint32_t thread)
{
	for (size_t i = 0; i < h->passed.len; i++)
		if (h->passed.at[i].moves == moves && h->passed.at[i].thread == thread)
			return true;
	return false;
}

/* A stretch has ended. */
static void take(struct moves *h, struct reading *r)
{
	struct stretch *s = &r->stretch;
	struct thread_now *t = moves_thread(h, s->thread);
	t->is_there = true;
	if (s->hook > t->hook)
		t->hook = s->hook;
	if (s->drained.high)
		t->drained = (struct drained){ s->drained.low, s->drained.high, t->flushes };
	/* Whether it could go on from an await depended on all that it waited for.  A round that was
	 * taken back says nothing of the next one. */
	bool has_awaited = t->pause.awaits && !t->pause.may_fail_again && s->ops.len;
	for (uint32_t i = 0; has_awaited && i < t->pause.awaits->count; i++)
		vec_push(&t->reads, t->pause.awaits->ops[i]);
	for (size_t i = 0; i < s->ops.len; i++)
		vec_push(&t->reads, s->ops.at[i]);
	struct wire_op use = pause_interrupted_use(&t->pause, found_by(s));
	if (use.kind)
		vec_push(&t->reads, use);
	if (!s->ops.len || (s->is_blocked && !s->pause.awaits && has_only_reads(s))) {
		if (s->is_blocked && s->pause.is_timed)
			vec_push(&t->waits, s->hook);
		note_passed(h, t, s, r->position);
		pass_await(t, s);
		note_pause(t, s);
		return;
	}
	if (s->is_blocked && (pause_need(&s->pause).kind || s->pause.is_join) && !closes_cycle(s))
		vec_push(&t->reads, pause_use(&s->pause));
	if (r->position < r->same) {
		const struct branch *old = &h->moves.at[r->position].branch;
		if (old->thread != s->thread || old->hook != s->hook ||
		    old->ops->hash != opset_hash(t->reads.at, t->reads.len))
			moves_truncate(h, r->same = r->position);
	}
	if (r->position >= r->same)
		add_move(h, t, s, ops_of(h, t, s));
	moves_follow(h, r->position++);
	if (!closes_cycle(s))
		note_pause(moves_thread(h, s->thread), s);
}

static void begin_stretch(struct stretch *s, uint64_t thread, uint64_t hook)
{
	opset_drop(s->pause.awaits);
	s->pause = (struct pause){ 0 };
	s->thread = (uint32_t)thread;
	s->first = s->hook = hook;
	s->ops.len = s->cycle.len = 0;
	s->is_blocked = false;
	s->poll = 0;
	s->drained.high = 0;
}

/* One operation of a stretch; gives how many entries of the list it fills, 0 if they are not there.
 */
static size_t add_op(struct stretch *s, const struct wire_op *op, size_t left)
{
	uint64_t more = op_data(op);
	if (more >= left)
		return 0;
	if (op->kind == OP_BLOCKED) {
		s->is_blocked = true;
		s->pause = (struct pause){ .is_waiting = true,
					   .is_timed = op->flags & OPF_TIMED,
					   .is_join = op->flags & OPF_JOIN,
					   .is_flush = op->flags & OPF_DRAINED,
					   .is_cancellable = op->flags & OPF_CANCELLABLE,
					   .mode = op->mode,
					   .object = op->object };
	} else if (op->kind == OP_POLL) {
		s->poll = op->value;
	} else if (op->kind == OP_IN_CYCLE) {
		vec_push(&s->cycle, (uint32_t)op->object);
	} else if (op->kind == OP_AWAIT) {
		s->is_blocked = true;
		opset_drop(s->pause.awaits);
		s->pause = (struct pause){ .is_waiting = true,
					   .awaits = opset_new(op + 1, more, NULL, 0),
					   .may_fail_again = op->flags & OPF_TAKEN_BACK,
					   .poll = s->poll };
	} else if (op_is_kept(op) && !(op->kind == EV_FAILURE && failure_is_of_all(op->value))) {
		vec_push(&s->ops, *op);
	}
	return more + 1;
}

/* The operations of the step whose entry is at `at`. */
static struct step_ops step_at(const struct execution *x, size_t at)
{
	const struct wire_op *first = x->ops + at + 1;
	size_t left = x->ops_count - at - 1;
	OPS_EACH (op, first, left)
		if (op->kind == OP_STEP)
			return (struct step_ops){ first, (size_t)(op - first) };
	return (struct step_ops){ first, left };
}

/* How many entries at the beginning of a step tell an await. */
static size_t await_length(const struct step_ops *s)
{
	return s->count && s->ops[0].kind == OP_AWAIT && s->ops[0].size < s->count
		       ? s->ops[0].size + 1u
		       : 0;
}

static bool ends_as_planned(const struct moves *h, const struct reading *r)
{
	const struct branch *b = NULL;
	if (r->position < r->same)
		b = &h->moves.at[r->position].branch;
	else if (r->position >= r->known && r->position - r->known < h->planned_count)
		b = &h->planned[r->position - r->known];
	return b && b->thread == r->stretch.thread && b->hook == r->stretch.hook &&
	       !b->ops->is_predicted;
}

/*
 * Whether the step at `at` belongs to the move that ended, so far, with the step at `last`.  The
 * answer must not depend on whether a thread had to wait at an await: if it had, what it did then
 * is listed as a step without the await.
 */
static bool goes_on(const struct moves *h, const struct execution *x, const struct reading *r,
		    size_t last, size_t at)
{
	const struct stretch *s = &r->stretch;
	if (!h->may_switch || s->is_blocked || x->ops[at].object != s->thread ||
	    x->ops[at].flags & OPF_POLLS || ends_as_planned(h, r))
		return false;
	struct step_ops before = step_at(x, last), after = step_at(x, at);
	size_t await = await_length(&before);
	before = (struct step_ops){ before.ops + await, before.count - await };
	if (await_length(&after))
		after.count = await_length(&after);
	return !h->may_switch(h->may_switch_arg, &before, &after);
}

/* What the step had to wait for. */
static struct drained drained_by(const struct wire_op *step)
{
	const struct flushes none = { NO_MOVE, NO_MOVE };
	return step->size ? (struct drained){ step->pc, step->pc + step->size, none }
			  : (struct drained){ 0, UINT64_MAX, none };
}

int moves_read(struct moves *h, const struct execution *x, size_t same, size_t *found,
	       struct err *err)
{
	moves_release_threads(h);
	moves_truncate(h, same);
	h->passed.len = 0;
	moves_find_taken_back(h, x);
	moves_thread(h, 0)->is_there = true;
	struct reading r = { .same = h->moves.len, .known = h->moves.len };
	bool is_open = false, is_given_up = false;
	size_t step = 0;
	int rc = 0;
	for (size_t i = 0; i < x->ops_count && !rc;) {
		/* A program that did something else has no moves to go back to. */
		is_given_up = h->cancellation && r.same == r.known &&
			      cancellation_check(h->cancellation, 1);
		if (is_given_up)
			break;
		const struct wire_op *op = &x->ops[i];
		size_t entries = 1;
		if (h->taken_back.len && h->taken_back.at[i]) {
			i += 1 + op_data(op);
			continue;
		}
		if (op->kind == OP_STEP) {
			bool is_flush = op->flags & OPF_FLUSH;
			if (is_open && !is_flush && goes_on(h, x, &r, step, i)) {
				r.stretch.hook = op->value;
			} else {
				if (is_open)
					take(h, &r);
				begin_stretch(&r.stretch,
					      is_flush ? moves_buffer_number(h, op) : op->object,
					      op->value);
			}
			if (op->flags & OPF_DRAINED)
				r.stretch.drained = drained_by(op);
			step = i;
			is_open = true;
		} else if (is_open) {
			/* It waited and goes on at once: the list has no new step for that. */
			if (r.stretch.is_blocked && op->kind != EV_FAILURE &&
			    op->kind != OP_IN_CYCLE) {
				struct stretch *s = &r.stretch;
				uint64_t poll = s->poll;
				take(h, &r);
				begin_stretch(s, s->thread, s->hook);
				s->poll = poll;
			}
			entries = add_op(&r.stretch, op, x->ops_count - i);
			if (entries && r.stretch.pause.may_fail_again && op->kind == OP_AWAIT)
				moves_learn_failure(h, r.stretch.poll, r.stretch.pause.awaits,
						    r.position);
		}
		if (!entries || (op->kind == OP_STEP && op->object >= MOVES_THREADS_MAX))
			rc = err_set(err, ERR_FORMAT,
				     "entry %zu of the list of operations is damaged", i);
		i += entries;
	}
	if (is_open && !rc && !is_given_up)
		take(h, &r);
	/* The execution ended before what it did the last time. */
	if (r.position < r.same && !is_given_up)
		moves_truncate(h, r.same = r.position);
	begin_stretch(&r.stretch, 0, 0);
	vec_release(&r.stretch.ops);
	vec_release(&r.stretch.cycle);
	*found = r.same;
	return rc;
}
