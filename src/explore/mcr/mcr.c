/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The search of maximal causality reduction; see mcr.h.
 *
 * Why no behaviour is lost.  Let C be any complete execution.  Claim: if the core of a task is a
 * part of C (the empty core of the first task is), then C is explored by that task or by tasks
 * that follow from it.  Let E be the execution of the task.  E has the core.
 *
 *   E = C        C is explored.
 *   E differs    Take an order of C, and in it the first move m that E does not have with the same
 *                past.  All moves before m are in E, so E has m too (its thread is deterministic),
 *                but there it sees other sources; its sources in C are all in E.  The task for m
 *                and those sources has as its core the past of m in C, and the old core.  Both are
 *                parts of C, so the new core is, and the order of C is an order for it.  So the
 *                task is made and run; its core is a larger part of C.
 *
 * Four kinds of moves need more:
 *
 *   choices      a move is the same only with the same answers.  A new task leaves open those of
 *                the move it was made for; the other answers are tasks of that task's execution.
 *   ends         where a move ends the process, other threads may have been cut off, and E need
 *                not have m at all.  Then the same core is run again while the ending move sleeps.
 *                C contains that move only as its last one, and that was explored.
 *   blocked      the next move of a thread that is blocked at the end of E is a move like others.
 *                An execution in which a thread waits is distinguished from one in which it
 *                continues by later moves: waits.c.
 *   timeouts     a thread that is woken in E may time out in C and make another move, because its
 *                waker comes later or not at all.  Its next move in E is the one in question,
 *                whether E has it or the thread still waits for its mutex at the end of E.  The
 *                new core has the past of the timeout and not the waker, so it is a part of C.
 *
 * No class is explored twice where that is known in advance: a task whose core contains the core
 * of an earlier task on the same path (of an execution above, or of the same) would find only
 * executions that contain both cores, which the earlier one explores.  (This is switch equivalence
 * of Huang's SE-MCR with a correction: the requirements of cores are compared, not one order of
 * them.)  Only these cores are kept, so memory grows with the depth of the search and not with its
 * length.  The order of tasks counts, not when they are run: tree.h.
 */
#include "explore/mcr/mcr.h"

#include "base/alloc.h"
#include "wire/fault.h"

void mcr_init(struct mcr *m, struct mcr_tree *tree)
{
	*m = (struct mcr){ .tree = tree, .version = NO_VERSION };
	m->sources.values.is_on = tree->by_value;
	m->sources.cancellation = &m->cancellation;
	m->history.number_buffer = worktree_number_buffer;
	m->history.number_arg = &tree->work;
}

void mcr_release(struct mcr *m)
{
	mcr_task_release(&m->first);
	moves_release(&m->history);
	sources_release(&m->sources);
	arrangement_release(&m->arrangement);
	vec_release(&m->plan.turns);
	vec_release(&m->plan.choices);
	vec_release(&m->plan.sleepers);
	vec_release(&m->plan.sleeper_ops);
	vec_release(&m->wanted);
}

static const struct mcr_task *task_of(const struct mcr *m)
{
	const struct mcr_node *n = mcr_claim_node(&m->claim);
	return n ? &n->tasks.at[m->claim.work.via] : &m->first;
}

/* ---- cores ---- */

bool core_is_in_history(const struct mcr *m, const struct core *c)
{
	const struct sources *s = &m->sources;
	for (size_t i = 0; i < c->entries.len; i++) {
		const struct core_entry *e = &c->entries.at[i];
		uint32_t column = sources_column(s, e->thread);
		if (column == NOBODY || s->made.at[column] < e->length ||
		    sources_hash(&m->history, s, sources_move(s, column, e->length), e->choices) !=
			    e->hash)
			return false;
	}
	return true;
}

bool mcr_any_explored(const struct mcr *m, bool (*ask)(const void *arg, const struct core *c),
		      const void *arg)
{
	const struct mcr_node *n = m->tree->excludes ? mcr_claim_node(&m->claim) : NULL;
	for (size_t via = m->claim.work.via; n;
	     via = n->work.via, n = (const struct mcr_node *)n->work.above) {
		if (FAULT(MCR_EXCLUDES_OWN_TASK) && ask(arg, &n->tasks.at[via].core))
			return true;
		for (size_t k = 0; k < via; k++)
			if (ask(arg, &n->tasks.at[k].core))
				return true;
	}
	return false;
}

static bool is_in_history(const void *arg, const struct core *c)
{
	return core_is_in_history(arg, c);
}

/* ---- plans ---- */

static void make_plan(struct mcr *m, const struct mcr_task *t)
{
	struct dpor_plan *p = &m->plan;
	p->turns.len = p->choices.len = p->sleepers.len = p->sleeper_ops.len = 0;
	for (size_t i = 0; i < t->turns.len; i++)
		vec_push(&p->turns, t->turns.at[i]);
	for (size_t i = 0; i < t->choices.len; i++)
		vec_push(&p->choices, t->choices.at[i]);
	for (size_t i = 0; i < t->held.len; i++) {
		const struct branch *b = &t->held.at[i].branch;
		struct wire_turn turn = moves_turn(&m->history, b->thread, 0);
		struct wire_sleeper s = { turn.thread, turn.kind, turn.hook,
					  (uint32_t)p->sleeper_ops.len, b->ops->count };
		for (uint32_t o = 0; o < b->ops->count; o++)
			vec_push(&p->sleeper_ops, b->ops->ops[o]);
		vec_push(&p->sleepers, s);
	}
	dpor_plan_end(p);
}

const struct plan *mcr_plan(struct mcr *m)
{
	if (!m->claim.work.is_held && !mcr_tree_claim(m->tree, &m->history, &m->claim))
		return NULL;
	make_plan(m, task_of(m));
	return &m->plan.plan;
}

/* ---- ends ---- */

static bool ends_by_move(const struct execution *x)
{
	return x->end == EXPLORE_EXIT || x->end == EXPLORE_ASSUMED ||
	       (x->end == EXPLORE_FAILURE && !failure_is_of_all(x->failure));
}

/* Whether other threads could have continued instead: at an exit only those that are about to exit,
 * too. */
static bool cuts_off(const struct moves *h, const struct execution *x)
{
	uint32_t last = vec_last(&h->moves).branch.thread;
	for (size_t t = 0; t < h->threads.len && t < BUFFERS_FROM; t++) {
		const struct thread_now *now = &h->threads.at[t];
		if (FAULT(MCR_END_CUTS_NOTHING))
			break;
		if (now->is_there && !now->has_ended && t != last &&
		    (x->end != EXPLORE_EXIT || !now->pause.is_waiting))
			return true;
	}
	return false;
}

static struct held hold(const struct branch *b, uint32_t index)
{
	return (struct held){ branch_copy(b), index };
}

/* The core of the node without the move that ended the process, whose effect is open again. */
static void core_before_end(const struct mcr *m, const struct mcr_node *n, struct core *c)
{
	const struct sources *s = &m->sources;
	const struct move *cut = &m->history.moves.at[m->cut];
	for (size_t i = 0; i < n->core.entries.len; i++) {
		struct core_entry e = n->core.entries.at[i];
		if (e.thread == cut->branch.thread && e.length == cut->index) {
			e.length = values_trim(s, cut->column, cut->index - 1);
			e.choices = ALL_CHOICES;
			e.hash = e.length ? s->whole.at[sources_move(s, cut->column, e.length)] : 0;
		}
		if (e.length)
			vec_push(&c->entries, e);
	}
}

/* Whether a move of the free run has woken what was asleep at the end of the plan. */
static bool has_woken(const struct mcr *m, const struct branch *asleep)
{
	const struct moves *h = &m->history;
	size_t planned = task_of(m)->turns.len, turns = 0;
	for (size_t i = 0; i < m->cut; i++) {
		const struct branch *b = &h->moves.at[i].branch;
		if (turns >= planned && moves_depend(h, asleep, b))
			return true;
		turns += dpor_branch_turns(b);
	}
	return false;
}

/* The same core again, with the last move asleep after all others. */
static void hold_last(struct mcr *m, struct mcr_node *n)
{
	struct moves *h = &m->history;
	struct mcr_task t = { 0 };
	core_before_end(m, n, &t.core);
	struct dpor_plan *p = &m->plan;
	p->turns.len = p->choices.len = 0;
	for (size_t i = 0; i < m->cut; i++)
		dpor_plan_branch(p, h, &h->moves.at[i].branch);
	for (size_t i = 0; i < p->turns.len; i++)
		vec_push(&t.turns, p->turns.at[i]);
	for (size_t i = 0; i < p->choices.len; i++)
		vec_push(&t.choices, p->choices.at[i]);
	const struct move *last = &h->moves.at[m->cut];
	for (size_t i = 0; i < n->held.len; i++) {
		const struct held *b = &n->held.at[i];
		uint32_t column = sources_column(&m->sources, b->branch.thread);
		uint32_t made = column == NOBODY ? 0 : m->sources.made.at[column];
		if (b->branch.thread != last->branch.thread && made < b->index &&
		    !has_woken(m, &b->branch))
			vec_push(&t.held, hold(&b->branch, b->index));
	}
	vec_push(&t.held, hold(&last->branch, last->index));
	vec_push(&n->tasks, t);
}

/* ---- what came of a plan ---- */

/* The end itself is in the core, with all that it sees: nothing else can come of it. */
static bool has_ended_in_core(const struct mcr *m, const struct core *c)
{
	const struct move *cut = &m->history.moves.at[m->cut];
	for (size_t i = 0; i < c->entries.len; i++) {
		const struct core_entry *e = &c->entries.at[i];
		if (e->thread == cut->branch.thread && e->length >= cut->index &&
		    !core_is_partial(e->choices))
			return true;
	}
	return false;
}

/*
 * An execution that contains a failure contains its past, and nothing else counts: that has been
 * explored.  It is no task, but a core to skip.  This does not hold for an exit, after which other
 * threads may still show races.
 */
static void mark_end(struct mcr *m, struct mcr_node *n)
{
	const struct sources *s = &m->sources;
	const uint32_t *past = moves_clock(&m->history, m->cut);
	struct mcr_task seen = { .state = TASK_DONE };
	for (uint32_t c = 0; c < s->threads.len; c++) {
		uint32_t length = values_trim(s, c, past[c]);
		if (length)
			vec_push(&seen.core.entries,
				 ((struct core_entry){ s->threads.at[c], length, ALL_CHOICES,
						       s->whole.at[sources_move(s, c, length)] }));
	}
	vec_push(&n->tasks, seen);
	n->work.finished++;
}

/* The execution as a node, with its tasks. */
static struct mcr_node *go_on(struct mcr *m, const struct execution *x)
{
	struct moves *h = &m->history;
	const struct mcr_task *task = task_of(m);
	struct mcr_node *n = mem_zero(1, sizeof(*n));
	for (size_t i = 0; i < task->core.entries.len; i++)
		vec_push(&n->core.entries, task->core.entries.at[i]);
	for (size_t i = 0; i < task->held.len; i++)
		vec_push(&n->held, hold(&task->held.at[i].branch, task->held.at[i].index));
	if (m->cut != NOBODY && has_ended_in_core(m, &n->core))
		return n;
	if (m->cut != NOBODY && x->end != EXPLORE_EXIT)
		mark_end(m, n);
	mcr_ask(m, n);
	moves_truncate(h, m->sources.real);
	if (m->cut != NOBODY && cuts_off(h, x))
		hold_last(m, n);
	return n;
}

/* Sources, by all that is known.  If they change what moves see, the search restarts with this
 * execution, or the next. */
static void find_sources(struct mcr *m, const struct execution *x)
{
	size_t made = m->history.moves.len;
	uint64_t generation = m->claim.generation, known;
	bool is_change, is_refined;
	do {
		moves_truncate(&m->history, made);
		mcr_tree_refine(m->tree, &m->sources, &m->version);
		known = sources_refinements(&m->sources);
		is_change = sources_find(&m->sources, &m->history);
		is_refined = is_change || sources_refinements(&m->sources) != known;
	} while (is_refined && !mcr_tree_publish(m->tree, &m->sources, &m->version, &m->claim,
						 is_change, x->end == EXPLORE_DIVERGED));
	m->restarts += m->claim.generation != generation;
	sources_find_pasts(&m->sources, &m->history);
}

/*
 * Whether the plan lets a thread pass a round in which it waits for a change, as it did where the
 * plan comes from.  There another thread found the lock of that round taken, which is an effect
 * (src/rt/await.c), but no past of the thread that waits; the plan makes that attempt later.  A
 * round has no other effect.  So all that could follow in such an execution also follows in one
 * in which the thread waits earlier, and nothing is lost.
 */
static bool waits_earlier(const struct mcr *m, const struct execution *x)
{
	const struct mcr_task *t = task_of(m);
	if (x->end != EXPLORE_DIVERGED || x->diverged_turn >= t->turns.len)
		return false;
	const struct wire_turn *turn = &t->turns.at[x->diverged_turn];
	if (turn->kind != TURN_STEP || turn->thread >= m->history.threads.len)
		return false;
	const struct pause *p = &m->history.threads.at[turn->thread].pause;
	return p->awaits && turn->hook > p->hook;
}

/* The analysis of the execution was cancelled: its plan is to be run again. */
static void give_up(struct mcr *m, struct mcr_node *n)
{
	mcr_node_release(n);
	mcr_tree_give_back(m->tree, &m->claim);
}

int mcr_take(struct mcr *m, const struct execution *x, bool *is_redundant, struct err *err)
{
	struct moves *h = &m->history;
	struct mcr_node *n = NULL;
	size_t found;
	int rc = moves_read(h, x, 0, &found, err);
	if (rc)
		return rc;
	*is_redundant = x->end == EXPLORE_REDUNDANT || x->end == EXPLORE_DIVERGED;
	m->cut = ends_by_move(x) && h->moves.len ? (uint32_t)h->moves.len - 1 : NOBODY;
	m->was_presumed = task_of(m)->is_presumed || waits_earlier(m, x);
	m->cancellation.is_cancelled = false;
	find_sources(m, x);
	if (m->cancellation.is_cancelled) {
		give_up(m, NULL);
		return 0;
	}
	if (mcr_tree_is_past(m->tree, &m->claim)) {
		*is_redundant = true;
	} else if (x->end == EXPLORE_DIVERGED || !core_is_in_history(m, &task_of(m)->core)) {
		m->diverged += !m->was_presumed && x->end != EXPLORE_REDUNDANT;
		m->presumed += m->was_presumed;
		*is_redundant = true;
	} else {
		*is_redundant |= mcr_any_explored(m, is_in_history, m);
		n = go_on(m, x);
	}
	if (m->cancellation.is_cancelled) {
		give_up(m, n);
		return 0;
	}
	mcr_tree_finish(m->tree, &m->claim, n, *is_redundant);
	return 0;
}

bool mcr_expects_divergence(const struct mcr *m)
{
	return m->was_presumed;
}
