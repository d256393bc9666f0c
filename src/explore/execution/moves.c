/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the list of operations to moves; see moves.h.
 *
 * Where a step ends in a wait after it did something visible (it had the lock of one stream and
 * needs that of another), whether it waits there depends on the object it waits for; so that move
 * also counts as a use of it.  Reads alone (of a deadline) belong to the move that follows.
 */
#include "explore/execution/moves.h"

#include "base/alloc.h"
#include "explore/fault.h"
#include "wire/finding.h"

static void pause_clear(struct pause *p)
{
	opset_drop(p->awaits);
	*p = (struct pause){ 0 };
}

static void move_release(struct move *m)
{
	opset_drop(m->branch.ops);
	opset_drop(m->pause.awaits);
}

static void threads_release(struct moves *h)
{
	for (size_t i = 0; i < h->threads.len; i++) {
		pause_clear(&h->threads.at[i].pause);
		opset_drop(h->threads.at[i].passed);
		vec_release(&h->threads.at[i].reads);
		vec_release(&h->threads.at[i].waits);
		vec_release(&h->threads.at[i].stored);
	}
	h->threads.len = 0;
}

void moves_truncate(struct moves *h, size_t moves)
{
	while (h->moves.len > moves)
		move_release(&h->moves.at[--h->moves.len]);
}

void moves_release(struct moves *h)
{
	moves_truncate(h, 0);
	threads_release(h);
	vec_release(&h->moves);
	vec_release(&h->clocks);
	vec_release(&h->threads);
	vec_release(&h->buffers);
}

static struct thread_now *thread_at(struct moves *h, uint64_t number)
{
	while (h->threads.len <= number) {
		struct thread_now *t = vec_add(&h->threads);
		t->last = t->created_by = t->woken_by = NO_MOVE;
		t->flushes = (struct flushes){ NO_MOVE, NO_MOVE };
	}
	return &h->threads.at[number];
}

/* ---- what the operations of a move mean for others ---- */

static void wake(struct moves *h, uint64_t thread_plus_one, size_t move)
{
	if (!thread_plus_one || thread_plus_one > MOVES_THREADS_MAX)
		return;
	struct thread_now *t = thread_at(h, thread_plus_one - 1);
	/* Who waits for a lock is not ordered by being told that it is free: it may have come
	 * before its holder. */
	/* A second broadcast finds it woken. */
	if (t->pause.is_waiting && !pause_need(&t->pause).kind && t->woken_by == NO_MOVE &&
	    !FAULT(6))
		t->woken_by = move;
}

static void wake_all(struct moves *h, uint64_t object, size_t move)
{
	for (size_t i = 0; i < h->threads.len; i++)
		if (h->threads.at[i].pause.is_waiting && h->threads.at[i].pause.object == object)
			wake(h, i + 1, move);
}

static void tell_others(struct moves *h, const struct wire_op *op, uint32_t self, size_t move)
{
	switch (op->kind) {
	case EV_FORK:
		if (op->object < MOVES_THREADS_MAX) {
			struct thread_now *t = thread_at(h, op->object);
			t->is_there = true;
			t->created_by = move;
		}
		break;
	case EV_END:
		thread_at(h, self)->has_ended = true;
		break;
	case EV_SIGNAL:
		wake(h, op->value, move);
		break;
	case EV_BROADCAST:
		wake_all(h, op->object, move);
		break;
	case EV_BARRIER_IN:
		if (!op->value)
			wake_all(h, op->object, move);
		break;
	default:
		break;
	}
}

/* ---- moves ---- */

/* What the first visible operation may have waited for, if only reads are before it. */
static struct wire_op need_of(const struct opset *s)
{
	for (uint32_t i = 0; i < s->count; i++) {
		const struct wire_op *op = &s->ops[i];
		switch (op->kind) {
		case EV_READ:
			continue;
		case EV_HIDDEN:
			if ((op->mode == HIDDEN_PENDING || op->mode == HIDDEN_CANCEL) &&
			    op->value == PENDING_NONE)
				continue;
			/* A look at a one-time initialisation that is over: while it ran, it
			 * would have waited. */
			if (op->mode == SYNC_ONCE)
				return (struct wire_op){ .kind = EV_ACQUIRE,
							 .object = op->object,
							 .mode = SYNC_ONCE };
			return (struct wire_op){ 0 };
		case EV_ACQUIRE:
		case EV_SEM_WAIT:
		case EV_JOIN:
			if (op_is_annotated(op)) /* the program's own code has waited */
				return (struct wire_op){ 0 };
			if (!(op->flags & (OPF_TRY | OPF_TIMED)) || FAULT(31))
				return *op;
			return (struct wire_op){ 0 };
		default:
			return (struct wire_op){ 0 };
		}
	}
	return (struct wire_op){ 0 };
}

struct wire_op pause_need(const struct pause *p)
{
	struct wire_op op = { .object = p->object, .mode = p->mode };
	switch (p->mode) {
	case SYNC_MUTEX:
	case SYNC_RDLOCK:
	case SYNC_WRLOCK:
	case SYNC_SPIN:
	case SYNC_STREAM:
	case SYNC_ONCE:
		op.kind = EV_ACQUIRE;
		break;
	case SYNC_SEMAPHORE:
		op.kind = FAULT(29) ? 0 : EV_SEM_WAIT;
		break;
	default:
		break;
	}
	return op;
}

/* One run of a thread, as it is in the list. */
struct stretch {
	uint32_t thread;
	uint64_t first, hook;	 /* steps */
	VEC(struct wire_op) ops; /* kept ones */
	bool is_blocked;
	struct drained drained; /* which flushes these are is not known yet */
	struct pause pause;
	VEC(uint32_t) cycle; /* the other threads of the cycle that it closes */
};

struct wire_op pause_use(const struct pause *p)
{
	struct wire_op need = pause_need(p);
	if (need.kind)
		return (struct wire_op){ .kind = EV_WAIT, .object = p->object };
	if (p->is_join)
		return (struct wire_op){ .kind = EV_JOIN,
					 .object = p->object,
					 .flags = EVF_FAILED };
	if (p->mode == SYNC_COND || p->mode == SYNC_BARRIER || p->mode == SYNC_FUTEX)
		return (struct wire_op){ .kind = EV_HIDDEN, .object = p->object, .mode = p->mode };
	return (struct wire_op){ 0 };
}

static bool is_pending_op(const struct wire_op *op, uint64_t whose)
{
	return op->kind == EV_HIDDEN && op->mode == HIDDEN_PENDING &&
	       op->object == PENDING_OF(whose);
}

bool op_interrupts(const struct wire_op *op, uint32_t thread)
{
	return is_pending_op(op, thread) && op->value == PENDING_WAKES;
}

bool op_looks_for_cancel(const struct wire_op *op, uint32_t thread)
{
	return op->kind == EV_HIDDEN && op->mode == HIDDEN_CANCEL &&
	       op->object == PENDING_OF(thread);
}

bool op_cancels(const struct wire_op *op, uint32_t thread)
{
	return op_looks_for_cancel(op, thread) && op->value == PENDING_WAKES;
}

/* What a stretch finds when it looks first; NULL: nothing. */
static const struct wire_op *found_by(const struct stretch *s)
{
	const struct wire_op *op = s->ops.at, *end = op + s->ops.len;
	while (op < end && (is_pending_op(op, s->thread) || op_looks_for_cancel(op, s->thread)) &&
	       op->value == PENDING_NONE)
		op++;
	bool is_look =
		op < end && (is_pending_op(op, s->thread) || op_looks_for_cancel(op, s->thread));
	return is_look && op->value == PENDING_TAKEN ? op : NULL;
}

/* The first that a stretch does is to take a signal, or to find that its thread is cancelled. */
static bool is_interrupted(const struct stretch *s)
{
	return found_by(s);
}

/*
 * What the thread of a stretch that is interrupted was waiting for, as an operation; kind 0:
 * nothing that matters.  A request to end has taken the thread out of the queue of a condition
 * variable, and whether a call that waits for a descriptor could be made is decided by the
 * outside.
 */
static struct wire_op interrupted_use(const struct pause *p, const struct stretch *s)
{
	const struct wire_op *found = found_by(s);
	if (!found || !p->is_waiting)
		return (struct wire_op){ 0 };
	if (found->mode == HIDDEN_PENDING)
		return pause_use(p);
	return p->mode == SYNC_COND	   ? (struct wire_op){ 0 }
	       : p->mode == HIDDEN_CHANNEL ? pause_call(p)
					   : pause_use(p);
}

struct wire_op pause_call(const struct pause *p)
{
	struct wire_op op = { .kind = EV_HIDDEN, .object = p->object, .value = 1 };
	return p->is_waiting && p->mode == HIDDEN_CHANNEL ? op : (struct wire_op){ 0 };
}

size_t moves_looks(const struct moves *h, uint32_t thread, size_t last, bool is_cancellable,
		   struct wire_op *out)
{
	size_t n = 0;
	if (is_cancellable)
		out[n++] = (struct wire_op){ .kind = EV_HIDDEN,
					     .mode = HIDDEN_CANCEL,
					     .object = PENDING_OF(thread) };
	if (last == NO_MOVE)
		return n;
	const struct branch *b = &h->moves.at[last].branch;
	const uint64_t whose[] = { thread, PENDING_PROCESS };
	for (size_t w = 0; w < sizeof(whose) / sizeof(whose[0]); w++)
		for (uint32_t i = 0; i < b->ops->count; i++)
			if (is_pending_op(&b->ops->ops[i], whose[w])) {
				out[n++] = (struct wire_op){ .kind = EV_HIDDEN,
							     .mode = HIDDEN_PENDING,
							     .object = PENDING_OF(whose[w]) };
				break;
			}
	return n;
}

struct opset *moves_new_next(const struct moves *h, uint32_t thread, size_t last,
			     bool is_cancellable, const struct wire_op *ops, size_t count)
{
	VEC(struct wire_op) all = { 0 };
	struct wire_op looks[LOOKS_MAX];
	size_t n = moves_looks(h, thread, last, is_cancellable, looks);
	for (size_t i = 0; i < n; i++)
		vec_push(&all, looks[i]);
	for (size_t i = 0; i < count; i++)
		vec_push(&all, ops[i]);
	struct opset *s = opset_new(all.at, all.len, NULL, 0);
	vec_release(&all);
	return s;
}

struct wire_op timed_end(const struct timed_wait *t)
{
	return (struct wire_op){ .kind = EV_TIMEOUT, .object = t->object, .mode = t->mode };
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
	/* If it waits for a mutex next, it still could have left the condition variable by itself.
	 */
	if (s->pause.is_timed && (s->pause.mode == SYNC_COND || s->pause.mode == SYNC_FUTEX) &&
	    !FAULT(20))
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

/* The oldest store to the location that waits for its flush. */
static size_t store_of(const struct thread_now *t, uint64_t location)
{
	size_t i = 0;
	while (i < t->stored.len && t->stored.at[i].location != location)
		i++;
	return i;
}

/* The store that a move of a buffer brings to memory; NULL: this is no such move. */
static const struct stored *flushed_by(struct moves *h, uint32_t thread, const struct opset *ops)
{
	if (thread < BUFFERS_FROM || thread - BUFFERS_FROM >= h->buffers.len || !ops->count)
		return NULL;
	const struct thread_now *owner = thread_at(h, h->buffers.at[thread - BUFFERS_FROM].thread);
	size_t at = store_of(owner, ops->ops[0].object);
	return at < owner->stored.len ? &owner->stored.at[at] : NULL;
}

/* The move that made this one possible, beside what it depends on. */
static size_t enabler(struct moves *h, const struct thread_now *t, const struct stretch *s,
		      const struct opset *ops)
{
	if (s->thread >= BUFFERS_FROM) {
		const struct stored *flushed = flushed_by(h, s->thread, ops);
		return flushed ? flushed->move : NO_MOVE;
	}
	/* It can have been woken by several others, on all of which it depends. */
	if (is_interrupted(s) && t->pause.is_waiting)
		return NO_MOVE;
	if (t->woken_by != NO_MOVE)
		return t->woken_by;
	return t->last == NO_MOVE ? t->created_by : NO_MOVE;
}

/* The thread made a move: what that changes for it and for others. */
static void follow(struct moves *h, size_t number)
{
	const struct move *m = &h->moves.at[number];
	uint32_t self = m->branch.thread;
	struct thread_now *t = thread_at(h, self);
	t->moves = m->index;
	t->last = number;
	t->woken_by = NO_MOVE;
	if (!t->drained.low && t->drained.high == UINT64_MAX)
		t->flushes.known = t->drained.of.last;
	t->drained.high = 0;
	t->timed = (struct timed_wait){ 0 };
	opset_drop(t->passed);
	t->passed = NULL;
	t->reads.len = t->waits.len = 0;
	const struct opset *ops = m->branch.ops;
	for (uint32_t i = 0; i < ops->count; i++) {
		const struct wire_op *op = &ops->ops[i];
		t = thread_at(h, self);
		if (op->kind == EV_FENCE)
			t->epoch++;
		if (op->kind == EV_WRITE && op->flags & EVF_BUFFERED)
			vec_push(&t->stored, ((struct stored){ number,
							       op->object,
							       self,
							       op->size,
							       ++t->stores,
							       t->epoch,
							       op->mode == MODE_RELEASE ||
								       op->mode == MODE_ACQ_REL,
							       { NO_MOVE, t->flushes.known } }));
		tell_others(h, op, self, number);
	}
	const struct stored *flushed = flushed_by(h, self, ops);
	if (flushed) {
		struct thread_now *owner = thread_at(h, flushed->thread);
		size_t at = (size_t)(flushed - owner->stored.at);
		owner->stored.len--;
		memmove(owner->stored.at + at, owner->stored.at + at + 1,
			(owner->stored.len - at) * sizeof(struct stored));
		owner->flushes.last = number;
	}
}

/* What the stretch did, as a set; with who has to wait for it to fail as it did. */
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

/* It fails where it would have to wait for ever. */
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
		.need = need_of(ops),
		.pause = t->pause,
		.timed = t->timed,
	};
	const struct stored *flushed = flushed_by(h, s->thread, ops);
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
	if (m.pause.is_waiting && !m.pause.is_flush && is_interrupted(s) && !is_call &&
	    !FAULT(282)) {
		m.pause.is_interrupted = true;
		m.need = pause_need(&m.pause);
		if (m.pause.is_join)
			m.need = (struct wire_op){ .kind = EV_JOIN, .object = m.pause.object };
	}
	/* To wait for a semaphore is a move of a thread that looks, and a signal may end that. */
	bool is_looking = s->ops.len && is_pending_op(&s->ops.at[0], s->thread);
	if (m.need.kind == EV_SEM_WAIT && !m.pause.is_waiting && is_looking)
		m.need.flags |= OPF_ASKS;
	t->pause = (struct pause){ 0 };
	if (!m.pause.awaits && t->passed && !FAULT(263))
		m.pause.awaits = opset_ref(t->passed);
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
	if (!awaits || s->pause.awaits)
		return;
	for (uint32_t i = 0; !s->ops.len && i < awaits->count; i++)
		vec_push(&t->reads, awaits->ops[i]);
	opset_drop(t->passed);
	t->passed = opset_ref(awaits);
}

/* A stretch has ended. */
static void take(struct moves *h, struct reading *r)
{
	struct stretch *s = &r->stretch;
	struct thread_now *t = thread_at(h, s->thread);
	t->is_there = true;
	if (s->hook > t->hook)
		t->hook = s->hook;
	if (s->drained.high)
		t->drained = (struct drained){ s->drained.low, s->drained.high, t->flushes };
	/* Whether it could go on from an await depended on all that it waited for. */
	for (uint32_t i = 0; t->pause.awaits && s->ops.len && i < t->pause.awaits->count; i++)
		vec_push(&t->reads, t->pause.awaits->ops[i]);
	for (size_t i = 0; i < s->ops.len; i++)
		vec_push(&t->reads, s->ops.at[i]);
	struct wire_op use = interrupted_use(&t->pause, s);
	if (use.kind)
		vec_push(&t->reads, use);
	if (!s->ops.len || (s->is_blocked && !s->pause.awaits && has_only_reads(s))) {
		if (s->is_blocked && s->pause.is_timed)
			vec_push(&t->waits, s->hook);
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
	follow(h, r->position++);
	if (!closes_cycle(s))
		note_pause(thread_at(h, s->thread), s);
}

static void begin_stretch(struct stretch *s, uint64_t thread, uint64_t hook)
{
	opset_drop(s->pause.awaits);
	s->pause = (struct pause){ 0 };
	s->thread = (uint32_t)thread;
	s->first = s->hook = hook;
	s->ops.len = s->cycle.len = 0;
	s->is_blocked = false;
	s->drained.high = 0;
}

bool failure_is_of_all(uint64_t failure)
{
	return failure == FAILURE_DEADLOCK || failure == FAILURE_LIVELOCK;
}

bool failure_is_cycle(uint64_t failure)
{
	return failure == FAILURE_LOCK_CYCLE;
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
	} else if (op->kind == OP_IN_CYCLE) {
		vec_push(&s->cycle, (uint32_t)op->object);
	} else if (op->kind == OP_AWAIT) {
		s->is_blocked = true;
		opset_drop(s->pause.awaits);
		s->pause = (struct pause){ .is_waiting = true,
					   .awaits = opset_new(op + 1, more, NULL, 0) };
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
	       !b->ops->is_guess;
}

/*
 * Whether the step at `at` belongs to the move that ended, so far, with the step at `last`.  The
 * answer must not depend on whether a thread had to wait at an await: if it had, what it did then
 * is told as a step without the await.
 */
static bool goes_on(const struct moves *h, const struct execution *x, const struct reading *r,
		    size_t last, size_t at)
{
	const struct stretch *s = &r->stretch;
	if (!h->may_switch || s->is_blocked || x->ops[at].object != s->thread ||
	    ends_as_planned(h, r))
		return false;
	struct step_ops before = step_at(x, last), after = step_at(x, at);
	size_t await = await_length(&before);
	before = (struct step_ops){ before.ops + await, before.count - await };
	if (await_length(&after))
		after.count = await_length(&after);
	return !h->may_switch(h->may_switch_arg, &before, &after);
}

/* Which thread the buffer counts as. */
static uint32_t buffer_number(struct moves *h, const struct wire_op *step)
{
	size_t i = 0;
	while (i < h->buffers.len && (h->buffers.at[i].thread != step->object ||
				      h->buffers.at[i].location != step->value))
		i++;
	if (i == h->buffers.len && h->number_buffer)
		i = h->number_buffer(h->number_arg, h,
				     (struct buffer_of){ (uint32_t)step->object, step->value });
	else if (i == h->buffers.len)
		vec_push(&h->buffers, ((struct buffer_of){ (uint32_t)step->object, step->value }));
	return BUFFERS_FROM + (uint32_t)i;
}

struct wire_turn moves_turn(const struct moves *h, uint32_t thread, uint64_t hook)
{
	if (thread >= BUFFERS_FROM && thread - BUFFERS_FROM < h->buffers.len) {
		const struct buffer_of *b = &h->buffers.at[thread - BUFFERS_FROM];
		return (struct wire_turn){ b->thread, TURN_FLUSH, b->location };
	}
	return (struct wire_turn){ thread, TURN_STEP, hook };
}

bool moves_is_buffer_of(const struct moves *h, uint32_t buffer, uint32_t thread)
{
	return buffer >= BUFFERS_FROM && buffer - BUFFERS_FROM < h->buffers.len &&
	       h->buffers.at[buffer - BUFFERS_FROM].thread == thread;
}

bool moves_depend(const struct moves *h, const struct branch *a, const struct branch *b)
{
	if (moves_is_buffer_of(h, a->thread, b->thread) ||
	    moves_is_buffer_of(h, b->thread, a->thread))
		return false;
	return opsets_depend(a->ops, b->ops);
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
	threads_release(h);
	moves_truncate(h, same);
	thread_at(h, 0)->is_there = true;
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
		if (op->kind == OP_STEP) {
			bool is_flush = op->flags & OPF_FLUSH;
			if (is_open && !is_flush && goes_on(h, x, &r, step, i)) {
				r.stretch.hook = op->value;
			} else {
				if (is_open)
					take(h, &r);
				begin_stretch(&r.stretch,
					      is_flush ? buffer_number(h, op) : op->object,
					      op->value);
			}
			if (op->flags & OPF_DRAINED)
				r.stretch.drained = drained_by(op);
			step = i;
			is_open = true;
		} else if (is_open) {
			/* It waited and goes on at once: that is told without a new step. */
			if (r.stretch.is_blocked && op->kind != EV_FAILURE &&
			    op->kind != OP_IN_CYCLE) {
				struct stretch *s = &r.stretch;
				take(h, &r);
				begin_stretch(s, s->thread, s->hook);
			}
			entries = add_op(&r.stretch, op, x->ops_count - i);
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
