/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a question to a task of maximal causality reduction: its core, its order, and its plan;
 * see mcr.h.
 *
 * If the smallest part of the execution has an order, as much as possible of the rest is kept in
 * the plan, too, with what it saw: so the new execution differs from the old one only where it
 * must, and is not one that another task leads to.
 *
 * A move at another place may do something else there.  Whether it can be made depends on what it
 * needs; a compare-exchange or an attempt to lock may change something or not.  The order is one
 * that allows both.  If there is none, an order is tried in which the move changes nothing, and
 * the execution shows whether that was right.
 */
#include "explore/mcr/question.h"

#include "base/alloc.h"
#include "wire/fault.h"
#include "wire/kinds.h"
#include "explore/mcr/spots.h"

#define STEPS_OF_QUESTION \
	1000 /* so many are taken for those of one without its order (cancellation.h) */

void question_part(const struct question *q, const struct core *c, const uint32_t *past,
		   uint32_t *lengths)
{
	const struct mcr *m = q->search;
	const struct moves *h = &m->history;
	const struct sources *s = &m->sources;
	size_t columns = s->threads.len;
	memcpy(lengths, past, columns * sizeof(*lengths));
	for (size_t i = 0; i < c->entries.len; i++) {
		const struct core_entry *e = &c->entries.at[i];
		uint32_t kept = core_kept_length(m, e, q->move),
			 column = sources_column(s, e->thread);
		if (lengths[column] < kept)
			lengths[column] = kept;
		if (s->values.is_on && column != asked(q)->column && kept)
			clock_join(lengths, moves_clock(h, sources_move(s, column, kept)), columns);
	}
	values_close(s, h, lengths, asked(q)->column, m->cut, q->move);
	lengths[asked(q)->column] = asked(q)->index;
}

/* The thread to which the move sends a signal; NOBODY: it sends none. */
static uint32_t receiver_of(const struct opset *s)
{
	for (uint32_t i = 0; i < s->count; i++)
		if (s->ops[i].kind == EV_KILL && s->ops[i].value)
			return (uint32_t)(s->ops[i].value - 1);
	return NOBODY;
}

static bool opset_has(const struct opset *s, unsigned kind, const struct spot *c)
{
	for (uint32_t i = 0; i < s->count; i++)
		if (s->ops[i].kind == kind && s->ops[i].object == c->low &&
		    !(s->ops[i].flags & EVF_FAILED) &&
		    (kind != EV_HIDDEN || s->ops[i].mode == SYNC_SEMAPHORE ||
		     s->ops[i].mode == SYNC_FUTEX))
			return true;
	return false;
}

uint32_t question_ended_wait(const struct question *q, const struct touch *t)
{
	const struct sources *s = &q->search->sources;
	const struct moves *h = &q->search->history;
	const struct spot *c = &s->spots.at[t->spot];
	if (c->space != SPACE_MEMORY || q->late)
		return NOBODY;
	uint32_t receiver = receiver_of(asked(q)->branch.ops);
	if (receiver == NOBODY || !opset_has(asked(q)->branch.ops, EV_HIDDEN, c))
		return NOBODY;
	for (uint32_t i = 0; i < c->count; i++) {
		uint32_t move = s->touches.at[s->uses.at[c->first + i]].move;
		if (h->moves.at[move].branch.thread == receiver &&
		    opset_has(h->moves.at[move].branch.ops, EV_WAIT, c))
			return move;
	}
	return NOBODY;
}

/* ---- tasks ---- */

/* Moves that follow the same change as the move now does, and change it, too: only one of them can.
 */
static void find_rivals(struct question *q)
{
	const struct sources *s = &q->search->sources;
	q->rivals.len = 0;
	for (size_t i = 0; i < q->touches.len; i++) {
		const struct touch *t = &q->touches.at[i];
		const struct spot *c = &s->spots.at[t->spot];
		uint8_t both = TOUCH_SEES | TOUCH_SETS;
		for (uint32_t k = 0;
		     k < c->count && (t->bits & (both | TOUCH_NO_SETS)) == both && !t->is_own;
		     k++) {
			const struct touch *o = &s->touches.at[s->uses.at[c->first + k]];
			if (o->move != q->move && o->move < s->real && !o->is_own &&
			    o->source == t->source && (o->bits & (both | TOUCH_NO_SETS)) == both)
				vec_push(&q->rivals, o->move);
		}
	}
}

/* The rest of the execution that does not need the move, up to what would end it. */
static void extend(struct question *q, const uint32_t *least, uint32_t *most)
{
	const struct mcr *m = q->search;
	const struct move *x = asked(q);
	find_rivals(q);
	for (uint32_t c = 0; c < m->sources.threads.len; c++) {
		most[c] = least[c];
		while (c != x->column && most[c] < m->sources.made.at[c]) {
			uint32_t next = sources_move(&m->sources, c, most[c] + 1);
			bool is_cut = next == m->cut;
			if (FAULT(MCR_PLAN_PASSES_CUT))
				is_cut = false;
			bool is_end =
				is_cut || moves_clock(&m->history, next)[x->column] >= x->index;
			for (size_t i = 0; i < q->rivals.len && !is_end; i++)
				is_end = moves_is_before(&m->history, q->rivals.at[i], next);
			if (is_end)
				break;
			most[c]++;
		}
	}
}

/* As `most` as possible: all, or else for each thread as far as it goes. */
static enum arranged arrange_most(struct mcr *m, const struct target *target, uint32_t *least,
				  const uint32_t *most)
{
	struct arrangement *a = &m->arrangement;
	size_t columns = m->sources.threads.len;
	enum arranged answer = arrange(a, &m->history, &m->sources, least, target);
	if (answer != ARRANGED)
		return answer;
	if (!memcmp(least, most, columns * sizeof(*least)))
		return answer;
	if (arrange(a, &m->history, &m->sources, most, target) == ARRANGED)
		return ARRANGED;
	VEC(uint32_t) tried = { 0 };
	vec_grow_zeroed(&tried, columns);
	for (size_t c = 0; c < columns; c++) {
		uint32_t low = least[c], high = most[c];
		while (low < high) {
			uint32_t middle = low + (high - low + 1) / 2;
			memcpy(tried.at, least, columns * sizeof(*least));
			clock_join(tried.at,
				   moves_clock(&m->history, sources_move(&m->sources, c, middle)),
				   columns);
			if (arrange(a, &m->history, &m->sources, tried.at, target) == ARRANGED) {
				low = middle;
				memcpy(least, tried.at, columns * sizeof(*least));
			} else {
				high = middle - 1;
			}
		}
	}
	vec_release(&tried);
	return arrange(a, &m->history, &m->sources, least, target);
}

/* Whether the thread can make the move in this order. */
static enum need can_be_made(const struct question *q, const struct arrangement *a)
{
	const struct moves *h = &q->search->history;
	const struct move *x = asked(q);
	size_t before = 0;
	while (a->order.at[before] != q->move)
		before++;
	struct wire_op need = x->need;
	const struct wire_op *first = x->branch.ops->ops;
	if (x->branch.ops->count && first->kind == EV_HIDDEN && first->mode == SYNC_ONCE)
		need = (struct wire_op){ .kind = EV_ONCE_BEGIN,
					 .object = first->object,
					 .mode = SYNC_ONCE };
	bool is_looking = q->is_look || q->looks;
	if (is_looking && (q->is_look || x->pause.is_waiting) &&
	    moves_can_go_on(h, q->search->sources.real, x, a->order.at, before))
		return NEED_MET;
	if (is_looking && (q->is_look || x->pause.is_interrupted))
		return NEED_MISSING;
	/* A thread that times out needs nothing. */
	if (q->waker == NOBODY && !moves_need_is_met(h, q->search->sources.real, x->branch.thread,
						     &need, a->order.at, before))
		return NEED_MISSING;
	return moves_await_ends(h, x->branch.thread, x->pause.awaits, a->order.at, before);
}

/* A task with the arranged moves; the one that was asked about does what `ops` says. */
static void add_task(struct question *q, struct new_core *core, struct opset *ops, bool is_presumed)
{
	struct mcr *m = q->search;
	const struct moves *h = &m->history;
	struct dpor_plan *p = &m->plan;
	p->turns.len = p->choices.len = 0;
	for (size_t i = 0; i < m->arrangement.order.len; i++) {
		uint32_t move = m->arrangement.order.at[i];
		struct branch b = h->moves.at[move].branch;
		if (move == q->move) {
			b.hook = q->late ? h->moves.at[move].timed.hook : b.first;
			b.ops = ops;
		}
		dpor_plan_branch(p, h, &b);
	}
	struct mcr_task t = { .core = core->core, .is_presumed = is_presumed };
	core->core = (struct core){ 0 };
	vec_reserve(&t.turns, p->turns.len);
	memcpy(t.turns.at, p->turns.at, p->turns.len * sizeof(*p->turns.at));
	t.turns.len = p->turns.len;
	for (size_t i = 0; i < p->choices.len; i++)
		vec_push(&t.choices, p->choices.at[i]);
	vec_push(&q->node->tasks, t);
}

/* A look at a lock that a thread found free in the round before: an await that ends, no attempt. */
static bool is_look(const struct wire_op *op)
{
	return op->kind == EV_TRY_FAIL && op->flags & OPF_SUCCEEDED;
}

/* Whether the operation may turn out to change nothing, or something. */
static bool op_is_uncertain(const struct wire_op *op)
{
	switch ((enum event_kind)op->kind) {
	case EV_FAILURE: /* what it would have done is not known */
	case EV_RMW:
		return true;
	case EV_TRY_FAIL:
		return !is_look(op);
	case EV_HIDDEN: /* a look at an object that the first one to come changes */
		return op->mode <= SYNC_FUTEX;
	case EV_WAIT: /* only if the word has the value that is expected */
		return op->mode == SYNC_FUTEX;
	case EV_TIMEOUT:
		return op->mode != SYNC_COND && op->mode != SYNC_FUTEX;
	case EV_CANCEL: /* the thread may have ended */
		return op->flags & OPF_DETACHED;
	case EV_ACQUIRE:
	case EV_RELEASE:
	case EV_SEM_WAIT:
	case EV_JOIN:
		return op->flags & (OPF_TRY | OPF_TIMED);
	/* They do the same whatever they find. */
	case EV_READ:
	case EV_WRITE:
	case EV_FLUSH:
	CASES_OF_BLOCKS:
	case EV_INITIAL:
	case EV_OUTSIDE_WRITE:
	case EV_FENCE:
	case EV_REQUEST:
	CASES_OF_OBJECT_LIFE:
	case EV_WAKE:
	case EV_SIGNAL:
	case EV_BROADCAST:
	CASES_OF_BARRIERS:
	case EV_SEM_POST:
	CASES_OF_ONCE:
	case EV_ORPHAN:
	case EV_CONSISTENT:
	case EV_ASK:
	case EV_FORK:
	case EV_BEGIN:
	case EV_END:
	case EV_DETACH:
	case EV_JOIN_WAIT:
	case EV_CANCELLED:
	case EV_KILL:
	case EV_HANDLER_BEGIN:
	case EV_SIGNAL_TAKEN:
	case EV_ANNOTATION:
	case EV_INPUT:
	case EV_ASSUME:
	case EV_PROCESS_END:
#define SYNC_OWN(NAME) case EV_##NAME:
#include "wire/sync.def"
		break;
	}
	return false;
}

static bool is_uncertain(const struct opset *s)
{
	for (uint32_t i = 0; i < s->count; i++)
		if (op_is_uncertain(&s->ops[i]))
			return true;
	return false;
}

/* It could change everything that it looks at (opset.c: a predicted footprint). */
void question_widen(struct question *q)
{
	const struct opset *s = q->late ? q->late : asked(q)->branch.ops;
	for (size_t i = 0; i < q->touches.len; i++) {
		const struct spot *c = &q->search->sources.spots.at[q->touches.at[i].spot];
		/* A look for signals whose result is kept does what it did. */
		if (q->keeps_look &&
		    touch_is_look(&q->search->history, &q->search->sources, &q->touches.at[i]))
			continue;
		bool is_ordered =
			sources_is_awaited(&q->search->sources, c->space, c->low, c->high);
		for (uint32_t k = 0; k < s->count && is_uncertain(s); k++) {
			if (FAULT(MCR_PREDICTED_CHANGES_NOTHING))
				break;
			if ((s->ops[k].kind != EV_READ || opset_has_failed(s)) &&
			    s->prints[k].space == c->space && s->prints[k].low < c->high &&
			    c->low < s->prints[k].high)
				q->touches.at[i].bits |=
					op_is_shared(&s->ops[k]) && !is_ordered ? TOUCH_ADDS
					: opset_has_failed(s) ? TOUCH_SETS | TOUCH_ENDS
							      : TOUCH_SETS;
		}
	}
}

/* What an attempt would get if it can; kind 0: it is none. */
static struct wire_op attempt(const struct opset *s)
{
	for (uint32_t i = 0; i < s->count; i++) {
		const struct wire_op *op = &s->ops[i];
		if (op->flags & (OPF_TRY | OPF_TIMED))
			return *op;
		if ((op->kind == EV_TRY_FAIL && !is_look(op)) || op->kind == EV_TIMEOUT) {
			struct pause p = { .mode = op->mode, .object = op->object };
			return pause_need(&p);
		}
	}
	return (struct wire_op){ 0 };
}

/* Whether nothing is known against the presumption that the move changes nothing. */
static bool may_only_see(const struct question *q, const struct arrangement *a)
{
	struct wire_op need = attempt(asked(q)->branch.ops);
	if (q->is_look)
		return true;
	size_t before = 0;
	while (a->order.at[before] != q->move)
		before++;
	return !need.kind ||
	       !moves_need_is_met(&q->search->history, q->search->sources.real,
				  asked(q)->branch.thread, &need, a->order.at, before);
}

/*
 * Whether the move is a call to the outside by a thread that looks for a request to end.  If the
 * call has to wait, that is a move, so the program does not refuse the plan (rt/explore.c,
 * refuse_if_io).
 */
static bool may_have_to_wait(const struct question *q)
{
	const struct opset *s = asked(q)->branch.ops;
	for (uint32_t i = 0; i < s->count && q->looks && !q->is_look; i++)
		if (s->ops[i].kind == EV_HIDDEN && !s->ops[i].mode && s->ops[i].value)
			return true;
	return false;
}

/* Whether the move is an access that failed, so that nothing is known of what it would see. */
static bool is_unknown(const struct opset *s)
{
	for (uint32_t i = 0; i < s->count && opset_has_failed(s); i++)
		if (s->ops[i].kind == EV_READ)
			return true;
	return false;
}

/* Whether the move would touch memory that was freed; `failing` are its touches then.  A store
 * may leave its buffer later. */
static bool find_freed(struct question *q)
{
	const struct moves *h = &q->search->history;
	bool is_dead = false;
	q->failing.len = 0;
	for (size_t i = 0; i < q->touches.len; i++) {
		struct touch t = q->touches.at[i];
		uint32_t end = t.bits & TOUCH_SEES && question_ended_wait(q, &t) == NOBODY
				       ? sources_end_of_life(&q->search->sources, &t)
				       : NOBODY;
		if (end != NOBODY && h->moves.at[end].branch.ops->ends_life) {
			t.bits = TOUCH_SEES | TOUCH_NO_SETS;
			t.source = end;
			t.is_open = t.is_own = false;
			is_dead = true;
		}
		vec_push(&q->failing, t);
	}
	return is_dead && move_owner(h, q->move) == asked(q)->branch.thread;
}

/* An order in which the move is the last one and sees that what it touches is gone; it may not
 * fail all the same. */
static enum arranged arrange_failing(const struct question *q, struct target target,
				     const uint32_t *least)
{
	struct mcr *m = q->search;
	target.touches = q->failing.at;
	target.end = q->move;
	return arrange(&m->arrangement, &m->history, &m->sources, least, &target);
}

/* What is known of the life of all that the move touches where it was made. */
static uint64_t life_now(const struct question *q)
{
	const struct sources *s = &q->search->sources;
	uint32_t first = s->touch_first.at[q->move];
	return sources_life_with(&q->search->history, s, q->move, q->enabled_by,
				 s->touches.at + first, s->touch_first.at[q->move + 1] - first);
}

void question_consider(struct question *q, uint64_t hash, uint32_t choices, struct opset *ops)
{
	struct mcr *m = q->search;
	const struct moves *h = &m->history;
	const struct move *x = asked(q);
	const uint32_t *past = past_at(q, q->touches.len);
	struct new_core core = { .search = m, .thread = x->branch.thread, .move = q->move };
	if (cancellation_check(&m->cancellation, STEPS_OF_QUESTION + h->moves.len))
		return;
	m->wanted.len = 0;
	vec_grow_zeroed(&m->wanted, 2 * m->sources.threads.len);
	uint32_t *least = m->wanted.at, *most = least + m->sources.threads.len;
	core.life = sources_life_with(h, &m->sources, q->move, q->enabled_by, q->touches.at,
				      q->touches.len);
	core.look = sources_look_with(h, &m->sources, q->move, q->touches.at, q->touches.len);
	const struct core_entry *old = core_entry_of(&q->node->core, x->branch.thread);
	if (old && old->length == x->index && core_is_partial(old->choices) &&
	    old->hash != (old->choices == ONLY_LIFE ? core.life : core.look))
		return;
	if (q->is_look)
		new_core_make(&core, q->node, past, core.look, ONLY_LOOK);
	else
		new_core_make(&core, q->node, past, hash, choices);
	if (new_core_is_explored(&core, q->node)) {
		m->excluded++;
		goto out;
	}
	/*
	 * Alive, an access that failed sees what is not known; and one that fails sees what
	 * others have written, too.  Where the same end of a life makes it fail again all that it
	 * sees is known.
	 */
	bool is_dead = find_freed(q), may_fail = !q->late && !q->is_look &&
						 core.life != life_now(q) &&
						 (is_dead || is_unknown(x->branch.ops));
	bool drops_reads = may_fail;
	if (FAULT(MCR_KEEPS_READS_OF_FREED))
		drops_reads = false;
	if (drops_reads) {
		core.core.entries.len = 0;
		new_core_make(&core, q->node, past, core.life, ONLY_LIFE);
	}
	question_part(q, &core.core, past, least);
	extend(q, least, most);
	struct target target = {
		q->move,     q->enabled_by, q->touches.at, q->touches.len, q->touches.len,
		q->added.at, q->added.len,  false,	   q->waker,	   question_end(q, least)
	};
	m->questions++;
	bool is_presumed = false;
	enum arranged answer =
		may_fail && is_dead ? arrange_failing(q, target, least) : ARRANGED_NOT;
	if (answer != ARRANGED)
		answer = arrange_most(m, &target, least, most);
	bool may_only_look = q->is_look || is_uncertain(x->branch.ops);
	if (FAULT(MCR_PREDICTED_MUST_CHANGE))
		may_only_look = false;
	if (answer == ARRANGED_NOT && !q->late && may_only_look) {
		target.only_sees = is_presumed = true;
		answer = arrange_most(m, &target, least, most);
	}
	if (m->cancellation.is_cancelled)
		goto out;
	m->unknown += answer == ARRANGED_UNKNOWN;
	/* A move before the end of the process is presumed not to end it itself. */
	enum need can = answer == ARRANGED ? can_be_made(q, &m->arrangement) : NEED_MISSING;
	if (can != NEED_MISSING && (!is_presumed || may_only_see(q, &m->arrangement)))
		add_task(q, &core, ops,
			 is_presumed || can == NEED_UNSURE || (may_fail && target.end != NOBODY) ||
				 may_have_to_wait(q));
out:
	core_release(&core.core);
}
