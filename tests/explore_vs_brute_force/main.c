/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Brute force on the real runtime: every order of steps of a program (`dfs`), put into classes,
 * and what the reduction makes of the same program.  Each class must be visited by exactly one
 * execution, which is what makes the reduction optimal, and the outcomes must be the same.
 *
 *   brute [--memory=sc|tso|pso] [--limit=SCHEDULES] [--spurious=N] [--alone]
 *   [--outcomes] [--verbose] PROGRAM FIRST LAST
 *
 * PROGRAM is run with each number from FIRST to LAST as its argument (build/check/ref c).  Those
 * with more schedules than the limit are left out, and counted.  With a deliberate fault
 * (wire/fault.h) it ends at the first difference.  --alone: the reduction only, which may
 * visit no class twice; for programs with too many orders.  How many executions were given up is
 * told then, and not judged.  --outcomes: classes are not judged, for programs in which threads
 * end the process while others run.
 *
 * Classes are found here by code of its own, from the list of operations alone; of the explorer's
 * only the table of dependence (wire/depend.h) is used.  An *event* is one visible operation.
 * Before it are the operations of its thread, those on which it depends, the creation of its
 * thread, the store that a flush brings to memory, what a step that needs an empty buffer has
 * waited for, and, where its thread spun before, all changes of what that waited for, since one
 * of them let it go on; and everything before those. The *name* of an event is a hash of what it
 * did and of the names of all events before it.  So an execution is a set of names, whatever its
 * order, and two executions are equivalent if their sets are equal.
 *
 * What cuts an execution off is judged by its cause: failures are one if the failing events have
 * one name, whatever others did besides.  And an exit while others could have gone on unseen is
 * the same as the one after they have: a set is no class of its own if a larger one with the same
 * exit contains it.
 *
 * Exactly once holds for classes that no failure cuts off.  A failure must be shown, but it may
 * be shown again: what others did beside it has orders, too, and nobody knows that a failure will
 * come when those are distinguished.  And after a failure, or an exit that comes before somebody's
 * output, the others run on without it, which is redundant if nothing else comes of it.  Both are
 * counted.
 *
 * Above 500 lines because it is a program of its own, with one use.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/map.h"
#include "exec/worker.h"
#include "explore/dpor/dpor.h"
#include "faults/choose.h"
#include "wire/depend.h"
#include "wire/finding.h"

#define EVENTS_MAX 1024
#define PAST_WORDS (EVENTS_MAX / 64)
#define THREADS_MAX 64
#define NO_EVENT UINT32_MAX
#define REDUNDANT_MAX 20 /* for each execution that may be made */

struct event {
	struct wire_op op;
	uint32_t thread;
	bool is_flush;
	uint64_t name;
	uint64_t past[PAST_WORDS];
};

/* One execution while its list of operations is read. */
struct reading {
	struct event events[EVENTS_MAX];
	size_t count;
	uint32_t last[THREADS_MAX];		    /* event of each thread */
	const struct wire_op *awaited[THREADS_MAX]; /* since then; NULL: nothing */
	uint32_t awaited_count[THREADS_MAX];
	uint32_t creator[THREADS_MAX];
	uint32_t cycle[THREADS_MAX]; /* threads that wait for each other */
	size_t cycle_count;
	size_t alive; /* threads */
	bool is_too_long;
};

/* ---- names ---- */

static void join_past(struct event *e, const struct reading *r, uint32_t other)
{
	if (other == NO_EVENT)
		return;
	e->past[other / 64] |= 1ull << other % 64;
	for (size_t i = 0; i < PAST_WORDS; i++)
		e->past[i] |= r->events[other].past[i];
}

static bool are_ordered(const struct event *a, const struct event *b)
{
	/* A thread sees its own stores before and after their flush. */
	if (a->thread == b->thread)
		return a->is_flush && b->is_flush && ops_depend(&a->op, &b->op);
	return ops_depend(&a->op, &b->op);
}

static bool is_release(const struct wire_op *store)
{
	return store->mode == MODE_RELEASE || store->mode == MODE_ACQ_REL;
}

/* How many stores of the thread to that place have been flushed before event `end`. */
static size_t flushes_before(const struct reading *r, size_t end, uint32_t thread, uint64_t object)
{
	size_t n = 0;
	for (size_t i = 0; i < end; i++)
		n += r->events[i].is_flush && r->events[i].thread == thread &&
		     r->events[i].op.object == object;
	return n;
}

static bool is_store_of(const struct event *e, uint32_t thread, uint64_t object)
{
	return !e->is_flush && e->thread == thread && e->op.kind == EV_WRITE &&
	       e->op.flags & EVF_BUFFERED && e->op.object == object;
}

/* The store that a flush brings to memory: of its thread's to that place the oldest that is still
 * there. */
static uint32_t store_of(const struct reading *r, size_t flush)
{
	const struct event *f = &r->events[flush];
	size_t gone = flushes_before(r, flush, f->thread, f->op.object);
	for (uint32_t i = 0; i < flush; i++)
		if (is_store_of(&r->events[i], f->thread, f->op.object) && !gone--)
			return i;
	return NO_EVENT;
}

static bool has_fence_between(const struct reading *r, uint32_t from, uint32_t to)
{
	for (uint32_t i = from + 1; i < to; i++)
		if (r->events[i].thread == r->events[from].thread &&
		    r->events[i].op.kind == EV_FENCE)
			return true;
	return false;
}

/* What must leave a buffer before the store of this flush may. */
static void join_flushes(struct reading *r, struct event *e, size_t number, enum wire_memory memory)
{
	uint32_t store = store_of(r, number);
	join_past(e, r, store);
	for (uint32_t i = 0; i < number && store != NO_EVENT; i++) {
		const struct event *f = &r->events[i];
		if (!f->is_flush || f->thread != e->thread)
			continue;
		uint32_t older = store_of(r, i);
		if (older != NO_EVENT && older < store &&
		    (memory == MEMORY_TSO || is_release(&r->events[store].op) ||
		     has_fence_between(r, older, store)))
			join_past(e, r, i);
	}
}

/* What another thread of a cycle of waits did before it waited, which it does with an empty buffer.
 */
static void join_wait(struct event *e, const struct reading *r, uint32_t thread)
{
	join_past(e, r, r->last[thread]);
	for (uint32_t i = 0; i < r->count; i++)
		if (r->events[i].is_flush && r->events[i].thread == thread)
			join_past(e, r, i);
}

/* What it did: which of several posts came first nobody sees, nor who was the last to ask in a
 * cycle of waits. */
static uint64_t describe(const struct event *e)
{
	const struct wire_op *op = &e->op;
	if (op->kind == EV_FAILURE && op->value == FAILURE_LOCK_CYCLE)
		return hash_mix(3, FAILURE_LOCK_CYCLE);
	uint64_t h =
		hash_mix(hash_mix(1 + e->is_flush, e->thread), (uint64_t)op->kind << 8 | op->mode);
	h = hash_mix(hash_mix(h, op->object), op->kind == EV_SEM_POST ? 0 : op->value);
	return hash_mix(h, (uint64_t)op->size << 32 | (op->flags & EVF_FAILED));
}

static bool was_awaited(const struct reading *r, const struct event *by, uint32_t thread)
{
	if (by->thread == thread)
		return false;
	for (uint32_t i = 0; r->awaited[thread] && i < r->awaited_count[thread]; i++)
		if (ops_depend(&r->awaited[thread][i], &by->op))
			return true;
	return false;
}

static void add_event(struct reading *r, const struct wire_op *op, uint32_t thread, bool is_flush,
		      bool is_drained, enum wire_memory memory)
{
	if (r->count == EVENTS_MAX) {
		r->is_too_long = true;
		return;
	}
	uint32_t number = (uint32_t)r->count;
	struct event *e = &r->events[number];
	*e = (struct event){ .op = *op, .thread = thread, .is_flush = is_flush };
	if (!is_flush) {
		join_past(e, r, r->last[thread] != NO_EVENT ? r->last[thread] : r->creator[thread]);
		r->last[thread] = number;
	} else {
		join_flushes(r, e, number, memory);
	}
	for (uint32_t i = 0; i < number; i++) {
		bool waited_for =
			is_drained && r->events[i].is_flush && r->events[i].thread == thread;
		if (waited_for || are_ordered(&r->events[i], e) ||
		    (!is_flush && was_awaited(r, &r->events[i], thread)))
			join_past(e, r, i);
	}
	if (!is_flush)
		r->awaited[thread] = NULL;
	for (size_t i = 0; i < r->cycle_count && op->kind == EV_FAILURE; i++)
		join_wait(e, r, r->cycle[i]);
	uint64_t before = 0;
	for (uint32_t i = 0; i < number; i++)
		if (e->past[i / 64] >> i % 64 & 1)
			before += hash_mix(3, r->events[i].name);
	e->name = hash_mix(describe(e), before);
	if (op->kind == EV_FORK && op->object < THREADS_MAX)
		r->creator[op->object] = number;
	r->alive += op->kind == EV_FORK;
	r->alive -= op->kind == EV_END;
	r->count++;
}

static bool is_visible(const struct wire_op *op)
{
	bool is_stored = (op->kind == EV_WRITE || op->kind == EV_FENCE) && op->flags & EVF_BUFFERED;
	return op->kind == EV_CHOICE || is_stored || op_footprint(op).space != SPACE_NONE;
}

static void read_execution(struct reading *r, const struct execution *x, enum wire_memory memory)
{
	uint32_t thread = 0;
	bool is_flush = false, is_drained = false;
	r->count = r->cycle_count = 0;
	r->is_too_long = false;
	r->alive = 1;
	for (size_t i = 0; i < THREADS_MAX; i++)
		r->last[i] = r->creator[i] = NO_EVENT, r->awaited[i] = NULL;
	OPS_EACH (op, x->ops, x->ops_count) {
		if (op->kind == OP_STEP) {
			thread = (uint32_t)op->object;
			is_flush = op->flags & OPF_FLUSH;
			is_drained = op->flags & OPF_DRAINED;
			r->is_too_long |= thread >= THREADS_MAX;
			if (r->is_too_long)
				return;
		} else if (op->kind == OP_IN_CYCLE) {
			r->cycle[r->cycle_count++ % THREADS_MAX] =
				(uint32_t)op->object % THREADS_MAX;
		} else if (op->kind == OP_AWAIT) {
			r->awaited[thread] = op + 1;
			r->awaited_count[thread] = op->size;
		} else if (op->kind != OP_BLOCKED && is_visible(op) &&
			   !(op->kind == EV_FAILURE &&
			     (op->value == FAILURE_DEADLOCK || op->value == FAILURE_LIVELOCK))) {
			add_event(r, op, thread, is_flush, is_drained, memory);
		}
	}
}

/* ---- classes ---- */

struct class
{
	uint64_t key;	 /* of all names, or of a failure's own */
	uint64_t end;	 /* name of the event that ended the process; 0: none did */
	bool is_cause;	 /* nothing but the failure counts */
	bool is_cut;	 /* it ended before the others did */
	uint64_t *names; /* sorted */
	size_t count;
	uint64_t by_dfs, by_dpor; /* executions */
};

struct classes {
	VEC(struct class) all;
	struct map places; /* by key: place in `all` */
};

static int compare_names(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

static struct class *class_of(struct classes *c, const struct reading *r, const struct execution *x)
{
	struct class new = { .names = mem_alloc((r->count + 1) * sizeof(uint64_t)) };
	uint64_t sum = 0;
	for (size_t i = 0; i < r->count; i++) {
		const struct event *e = &r->events[i];
		new.names[new.count++] = e->name;
		sum += hash_mix(5, e->name);
		if (e->op.kind == EV_FAILURE || e->op.kind == EV_PROCESS_END) {
			new.end = e->name;
			new.is_cause = e->op.kind == EV_FAILURE;
			new.is_cut = new.is_cause || r->alive > 1;
		}
	}
	new.key = hash_mix(x->end, new.is_cause ? new.end : sum);
	bool is_new;
	uint64_t *place = map_put(&c->places, new.key, &is_new);
	if (!is_new) {
		mem_free(new.names);
		return &c->all.at[*place];
	}
	*place = c->all.len;
	qsort(new.names, new.count, sizeof(uint64_t), compare_names);
	vec_push(&c->all, new);
	return &vec_last(&c->all);
}

static bool contains(const struct class *large, const struct class *small)
{
	size_t i = 0;
	for (size_t k = 0; i < small->count && k < large->count; k++)
		i += large->names[k] == small->names[i];
	return i == small->count && large->count > small->count;
}

/* Whether others could have gone on unseen before the exit. */
static bool is_part(const struct classes *c, const struct class *x)
{
	if (!x->end || x->is_cause)
		return false;
	for (size_t i = 0; i < c->all.len; i++)
		if (c->all.at[i].end == x->end && contains(&c->all.at[i], x))
			return true;
	return false;
}

static void classes_release(struct classes *c)
{
	for (size_t i = 0; i < c->all.len; i++)
		mem_free(c->all.at[i].names);
	vec_release(&c->all);
	map_release(&c->places);
}

/* ---- searches ---- */

struct config {
	struct worker_config worker;
	uint64_t limit;
	bool is_verbose;
	bool only_outcomes;
	bool is_alone; /* nothing is known but what the reduction has found */
};

struct totals {
	uint64_t programs, left_out, schedules, classes, executions, different;
	uint64_t again, redundant; /* both where executions are cut off */
};

static void fail(const char *text)
{
	fprintf(stderr, "brute: %s\n", text);
	exit(3);
}

/* What it prints to standard output and to standard error, each by itself, and its end. */
static uint64_t outcome_of(const struct execution *x)
{
	uint64_t printed[2] = { 0, 0 };
	OPS_EACH (op, x->ops, x->ops_count) {
		if (op->kind == OP_OUTPUT) {
			const uint8_t *bytes = (const void *)(op + 1);
			for (uint32_t k = 0; k < op->size; k++) /* in however many parts */
				printed[op->object & 1] =
					hash_mix(printed[op->object & 1], bytes[k]);
		}
	}
	uint64_t end = hash_mix(hash_mix(x->end, (uint64_t)x->exit_status),
				x->end == EXPLORE_FAILURE ? x->failure : 0);
	return hash_mix(hash_mix(end, printed[0]), printed[1]);
}

/* One search of a program.  False: it has more executions than the limit, or something in it
 * cannot be judged. */
static bool search(struct worker *w, const struct config *c, bool is_total, struct classes *classes,
		   struct map *outcomes, uint64_t *executions, uint64_t *redundant)
{
	static struct reading r;
	struct dpor d;
	const struct plan *plan;
	bool is_fine = true;
	dpor_init(&d, is_total, NULL);
	*executions = *redundant = 0;
	while (is_fine && (plan = dpor_plan(&d))) {
		struct execution x;
		struct err err;
		bool is_redundant;
		if (worker_run(w, plan, &x, &err) || dpor_take(&d, &x, &is_redundant, &err))
			fail(err.text);
		if (is_redundant) {
			if (++*redundant > REDUNDANT_MAX * c->limit)
				fail("executions that show nothing new come without end");
			continue;
		}
		is_fine = ++*executions <= c->limit &&
			  (x.end == EXPLORE_EXIT || x.end == EXPLORE_FAILURE);
		map_put(outcomes, outcome_of(&x), NULL);
		read_execution(&r, &x, c->worker.memory);
		is_fine &= !r.is_too_long;
		if (is_fine) {
			struct class *in = class_of(classes, &r, &x);
			in->by_dfs += is_total;
			in->by_dpor += !is_total;
		}
	}
	if (is_fine && (d.diverged || d.missed))
		fail("a plan was not followed");
	dpor_release(&d);
	return is_fine;
}

static size_t missing(const struct map *from, const struct map *in)
{
	size_t n = 0;
	for (size_t i = 0; i < from->cap; i++)
		n += from->slots[i].used && !map_get(in, from->slots[i].key);
	return n;
}

static void judge(const struct config *c, int number, const struct classes *classes,
		  const struct map *by_dfs, const struct map *by_dpor, uint64_t redundant,
		  struct totals *t)
{
	uint64_t count = 0, unseen = 0, often = 0, strange = 0, cut = 0;
	for (size_t i = 0; i < classes->all.len; i++) {
		const struct class *x = &classes->all.at[i];
		bool counts = !is_part(classes, x);
		count += counts;
		cut += x->is_cut;
		unseen += counts && !x->by_dpor;
		often += !x->is_cause && (x->by_dpor > 1 || (!counts && x->by_dpor));
		strange += !x->by_dfs && !c->is_alone;
		t->again += x->is_cause && x->by_dpor ? x->by_dpor - 1 : 0;
	}
	size_t lost = missing(by_dfs, by_dpor),
	       invented = c->is_alone ? 0 : missing(by_dpor, by_dfs);
	t->classes += count;
	t->redundant += redundant;
	bool differs = lost || invented ||
		       (!c->only_outcomes &&
			(unseen || often || strange || (redundant && !cut && !c->is_alone)));
	t->different += differs;
	if (differs || c->is_verbose)
		printf("%sprogram %d: %llu classes, %llu not visited, %llu visited again, %llu not "
		       "by dfs, %llu redundant executions, "
		       "%zu outcomes missing, %zu too many\n",
		       differs ? "" : "# ", number, (unsigned long long)count,
		       (unsigned long long)unseen, (unsigned long long)often,
		       (unsigned long long)strange, (unsigned long long)redundant, lost, invented);
}

static void compare(const struct config *c, int number, struct totals *t)
{
	char text[16];
	char *argv[] = { (char *)c->worker.path, text, NULL };
	struct config own = *c;
	struct worker w;
	struct err err;
	struct classes classes = { .all = { 0 } };
	struct map by_dfs = { 0 }, by_dpor = { 0 };
	uint64_t schedules = 0, executions, redundant, none;
	snprintf(text, sizeof(text), "%d", number);
	own.worker.argv = argv;
	if (worker_start(&w, &own.worker, &err))
		fail(err.text);
	/* The reduction makes fewer executions, so it is asked first whether it is worth while. */
	if (search(&w, &own, false, &classes, &by_dpor, &executions, &redundant) &&
	    (c->is_alone || search(&w, &own, true, &classes, &by_dfs, &schedules, &none))) {
		t->programs++;
		t->schedules += schedules;
		t->executions += executions;
		judge(c, number, &classes, &by_dfs, &by_dpor, redundant, t);
	} else {
		t->left_out++;
	}
	worker_release(&w);
	classes_release(&classes);
	map_release(&by_dfs);
	map_release(&by_dpor);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "memory", 1, NULL, 'm' },   { "limit", 1, NULL, 'l' },
		{ "spurious", 1, NULL, 's' }, { "verbose", 0, NULL, 'v' },
		{ "alone", 0, NULL, 'a' },    { "outcomes", 0, NULL, 'o' },
		{ NULL, 0, NULL, 0 }
	};
	struct config c = { .worker = { .step_limit = 20000, .is_trusted = true }, .limit = 5000 };
	struct totals t = { 0 };
	for (int o; (o = getopt_long(argc, argv, "+", options, NULL)) != -1;) {
		if (o == 'm')
			c.worker.memory = !strcmp(optarg, "tso")   ? MEMORY_TSO
					  : !strcmp(optarg, "pso") ? MEMORY_PSO
								   : MEMORY_SC;
		else if (o == 'l')
			c.limit = strtoull(optarg, NULL, 10);
		else if (o == 's')
			c.worker.spurious_wakeups = (uint32_t)strtoul(optarg, NULL, 10);
		else if (o == 'v')
			c.is_verbose = true;
		else if (o == 'a')
			c.is_alone = true;
		else if (o == 'o')
			c.only_outcomes = true;
		else
			return 2;
	}
	if (argc - optind != 3)
		return 2;
	c.worker.path = argv[optind];
	for (int number = atoi(argv[optind + 1]);
	     number <= atoi(argv[optind + 2]) && !(fault_any_is_on() && t.different); number++)
		compare(&c, number, &t);
	printf("%llu programs (%llu left out), %llu schedules, %llu classes, %llu executions; "
	       "where they are cut off %llu "
	       "again, %llu redundant; %llu different\n",
	       (unsigned long long)t.programs, (unsigned long long)t.left_out,
	       (unsigned long long)t.schedules, (unsigned long long)t.classes,
	       (unsigned long long)t.executions, (unsigned long long)t.again,
	       (unsigned long long)t.redundant, (unsigned long long)t.different);
	return t.different != 0;
}
