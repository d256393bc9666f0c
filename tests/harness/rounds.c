/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Iterative deepening by plain enumeration: round by round, every interleaving of two threads
 * that changes threads at the points of that round only, without any reduction; then what they
 * show becomes the points of the next one.  The numbers of interleavings and of classes are known
 * for a few programs, and the deepening of the explorer must see every class that enumeration
 * sees.
 *
 *   rounds [--points=lock,unlock,heap,atomic,after] [--heap=fresh|reuse] [--no-recycling] [--pairs]
 *   [--everywhere] PROGRAM
 *
 * The main thread of PROGRAM creates two threads and joins them; it runs up to its first join
 * before anything else does.  A choice between the two is made at the start, at each point, and
 * when the one that runs has to wait, yields or ends.  Points: in front of an acquisition, behind
 * a release, on both sides of malloc and free and of atomic accesses, as chosen, and in front of
 * each racing instruction found so far, `after`: behind it, too.  Of a heap with reuse, freed
 * memory is always taken; candidates across lives of a block make no points, unless there is no
 * such rule (--no-recycling).
 *
 * Prints for each round `round N: R races, I interleavings, C classes, F failing`, with the kinds
 * of failures, then `recycled: P pairs`; with --pairs what spaces with one or two of the racing
 * instructions show, with --everywhere what changes of threads in front of every operation show;
 * then for the explorer's own deepening `space N: R races, E executions, C classes, M classes
 * missing`.
 *
 * Above 500 lines because it is a program of its own, with one use.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "exec/worker.h"
#include "explore/deepening/deepen.h"
#include "wire/depend.h"

#define ROUNDS_MAX 8

enum { AT_LOCK = 1, AT_UNLOCK = 2, AT_HEAP = 4, AT_ATOMIC = 8, AFTER_RACES = 16 };

/* What one of the two threads does from one point to its next. */
struct segment {
	uint32_t thread;
	uint64_t first_hook, last_hook;
	uint64_t needs; /* the mutex that its first step acquires; 0: none */
	/* the mutex that the thread holds after it; 0: none (there is one in these programs) */
	uint64_t holds;
};

struct path {
	VEC(struct segment) at;
	bool is_cut;	   /* by a failure */
	bool has_ended[3]; /* by thread */
};

static struct worker worker;
static unsigned sync_points;
static struct points points;
static struct candidates candidates;
static const struct point_set *chosen; /* racing instructions that count; NULL: all */
static bool is_everywhere;	       /* every operation is a point */
static bool recycled_count;	       /* candidates across lives of a block make points, too */
/* instructions that are calls of malloc and free: points by AT_HEAP only */
static struct map heap_calls;
static struct wire_turn main_turn;
static const uint32_t reuse_always[64] = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 };

static struct map classes, causes; /* of the round, as class_of() and with only_cause */
static uint64_t interleavings, failing;
static uint64_t failures[128];

static const char *const failure_names[128] = {
#define FAILURE(number, NAME, KIND, does, sentence) [number] = #KIND,
#include "wire/finding.def"
};

static void run(const struct plan *plan, struct execution *x)
{
	struct err err;
	if (worker_run(&worker, plan, x, &err)) {
		fprintf(stderr, "rounds: %s\n", err.text);
		exit(3);
	}
	if (x->end != EXPLORE_EXIT && x->end != EXPLORE_FAILURE && x->end != EXPLORE_REDUNDANT) {
		fprintf(stderr, "rounds: an execution ended with %d: %s\n", (int)x->end, x->text);
		exit(3);
	}
}

/* ---- an execution in segments ---- */

static unsigned sync_class(const struct wire_op *op)
{
	switch (op->kind) {
	case EV_ACQUIRE:
		return AT_LOCK;
	case EV_RELEASE:
		return AT_UNLOCK;
	case EV_ALLOC:
	case EV_FREE:
		return AT_HEAP;
	case EV_RMW:
		return AT_ATOMIC;
	case EV_READ:
	case EV_WRITE:
		return op->mode == MODE_PLAIN ? 0 : AT_ATOMIC;
	}
	return 0;
}

static bool is_shown(const struct wire_op *op)
{
	return op->kind == EV_READ || op->kind == EV_WRITE || sync_class(op);
}

struct reader {
	const struct execution *x;
	size_t next;
};

/* The next step of a thread other than main with something to see; false: there is none. */
static bool next_step(struct reader *r, struct wire_turn *step, struct step_ops *ops)
{
	while (r->next < r->x->ops_count) {
		const struct wire_op *head = &r->x->ops[r->next++];
		if (head->kind != OP_STEP)
			continue;
		*step = (struct wire_turn){ .thread = (uint32_t)head->object, .hook = head->value };
		ops->ops = head + 1;
		bool shows = false;
		for (; r->next < r->x->ops_count && r->x->ops[r->next].kind != OP_STEP; r->next++)
			shows |= is_shown(&r->x->ops[r->next]);
		ops->count = (size_t)(&r->x->ops[r->next] - ops->ops);
		if (shows && step->thread)
			return true;
	}
	return false;
}

static bool is_race_point(const struct wire_op *op)
{
	point_id id = points_find(&points, op->pc);
	return id != POINT_FORCED && !map_get(&heap_calls, op->pc) &&
	       (recycled_count || !points.all.at[id].is_recycled) &&
	       (!chosen || point_set_has(chosen, id));
}

static bool is_point(const struct step_ops *before, const struct step_ops *after)
{
	for (size_t i = 0; i < before->count; i++)
		if (sync_class(&before->ops[i]) & sync_points & (AT_UNLOCK | AT_HEAP | AT_ATOMIC) ||
		    (sync_points & AFTER_RACES && is_race_point(&before->ops[i])))
			return true;
	for (size_t i = 0; i < after->count; i++)
		if (sync_class(&after->ops[i]) & sync_points & (AT_LOCK | AT_HEAP | AT_ATOMIC) ||
		    is_race_point(&after->ops[i]))
			return true;
	return is_everywhere;
}

/* Segments of the plan stay what they are: it may have changed threads where one has yielded. */
static void read_path(const struct execution *x, const struct path *planned, struct path *path)
{
	struct reader r = { .x = x };
	struct wire_turn step;
	struct step_ops ops, before[3] = { { 0 } };
	uint32_t last_thread = 0;
	uint64_t held[3] = { 0 };
	path->is_cut = x->end == EXPLORE_FAILURE;
	for (size_t i = 0; i < x->ops_count; i++)
		if (x->ops[i].kind == EV_END && x->ops[i].object < 3)
			path->has_ended[x->ops[i].object] = true;
	while (next_step(&r, &step, &ops)) {
		if (step.thread > 2) {
			fprintf(stderr, "rounds: more than two threads\n");
			exit(3);
		}
		size_t n = path->at.len;
		bool is_new = step.thread != last_thread || is_point(&before[step.thread], &ops) ||
			      (n < planned->at.len && step.hook > planned->at.at[n - 1].last_hook);
		if (is_new)
			vec_push(&path->at, ((struct segment){ .thread = step.thread,
							       .first_hook = step.hook }));
		struct segment *s = &vec_last(&path->at);
		for (size_t i = 0; i < ops.count; i++) {
			if (ops.ops[i].kind == EV_ACQUIRE) {
				held[step.thread] = ops.ops[i].object;
				if (is_new)
					s->needs = ops.ops[i].object;
			}
			if (ops.ops[i].kind == EV_RELEASE)
				held[step.thread] = 0;
		}
		s->last_hook = step.hook;
		s->holds = held[step.thread];
		last_thread = step.thread;
		before[step.thread] = ops;
	}
}

/*
 * Distinct orders of conflicting accesses: the hash of all ordered pairs of them.  With
 * `only_cause`, of an execution that fails what does not come before its failure is left out: the
 * reduction may cut that off anywhere.
 */
static uint64_t class_of(const struct execution *x, bool only_cause)
{
	struct named {
		struct wire_op op;
		uint32_t thread, number;
		bool counts;
	};
	static VEC(struct named) all;
	uint32_t numbers[3] = { 0 }, thread = 0;
	all.len = 0;
	OPS_EACH_AND_AWAITED (op, x->ops, x->ops_count) {
		if (op->kind == OP_STEP)
			thread = (uint32_t)op->object;
		else if (thread && thread < 3 && is_shown(op))
			vec_push(&all, ((struct named){ *op, thread, numbers[thread]++, false }));
	}
	/* The thread that acted last is the one that failed. */
	bool has_all = !only_cause || x->end != EXPLORE_FAILURE;
	for (size_t i = all.len; i-- > 0;) {
		struct named *a = &all.at[i];
		a->counts = has_all || a->thread == thread;
		for (size_t k = i + 1; k < all.len && !a->counts; k++)
			a->counts = all.at[k].counts && (all.at[k].thread == a->thread ||
							 ops_depend(&a->op, &all.at[k].op));
		numbers[a->thread] -= !a->counts;
	}
	uint64_t sum = (uint64_t)numbers[1] << 32 | numbers[2];
	for (size_t i = 0; i < all.len; i++)
		for (size_t k = i + 1; k < all.len; k++) {
			const struct named *a = &all.at[i], *b = &all.at[k];
			if (!a->counts || !b->counts || a->thread == b->thread ||
			    !ops_depend(&a->op, &b->op))
				continue;
			uint64_t pair =
				(uint64_t)a->thread << 48 | (uint64_t)a->number << 24 | b->number;
			pair = (pair + 1) * 0x9e3779b97f4a7c15ull;
			pair = (pair ^ pair >> 29) * 0xbf58476d1ce4e5b9ull;
			/* a set of pairs: their order does not matter */
			sum += pair ^ pair >> 32;
		}
	return sum;
}

/* ---- enumeration ---- */

/*
 * Where the other thread goes on after `depth` segments of the path; false: it has ended, or it
 * would have to wait.  In an execution that a failure has cut off it may not have gone on: then
 * that is tried, and counts only if it does.
 */
static bool alternative(const struct path *path, size_t depth, struct segment *next)
{
	const struct segment *taken = &path->at.at[depth];
	*next = (struct segment){ .thread = 3 - taken->thread };
	uint64_t held = 0;
	for (size_t i = 0; i < depth; i++) {
		if (path->at.at[i].thread == taken->thread)
			held = path->at.at[i].holds;
		else
			next->first_hook = next->last_hook = path->at.at[i].last_hook + 1;
	}
	for (size_t i = depth + 1; i < path->at.len; i++)
		if (path->at.at[i].thread == next->thread) {
			/* How far it goes is seen when it has gone: only its first step is planned.
			 */
			*next = path->at.at[i];
			next->last_hook = next->first_hook;
			return !next->needs || next->needs != held;
		}
	return path->is_cut && !path->has_ended[next->thread];
}

static void enumerate(const struct path *prefix)
{
	VEC(struct wire_turn) turns = { 0 };
	vec_push(&turns, main_turn);
	for (size_t i = 0; i < prefix->at.len; i++)
		vec_push(&turns, ((struct wire_turn){ .thread = prefix->at.at[i].thread,
						      .hook = prefix->at.at[i].last_hook }));
	struct plan plan = { .turns = turns.at,
			     .turns_count = turns.len,
			     .choices = reuse_always,
			     .choices_count = 16 };
	struct execution x;
	struct path path = { 0 };
	run(&plan, &x);
	vec_release(&turns);
	read_path(&x, prefix, &path);
	if (prefix->at.len &&
	    (path.at.len < prefix->at.len ||
	     path.at.at[prefix->at.len - 1].thread != vec_last(&prefix->at).thread))
		goto out;
	interleavings++;
	map_put(&classes, class_of(&x, false), NULL);
	map_put(&causes, class_of(&x, true), NULL);
	if (x.end == EXPLORE_FAILURE) {
		failing++;
		failures[x.failure & 63]++;
	}
	candidates_collect(&candidates, &x);
	for (size_t i = 0; i < x.ops_count; i++)
		if (sync_class(&x.ops[i]) == AT_HEAP)
			map_put(&heap_calls, x.ops[i].pc, NULL);
	for (size_t depth = prefix->at.len; depth < path.at.len; depth++) {
		struct path next = { 0 };
		struct segment other;
		if (!alternative(&path, depth, &other))
			continue;
		for (size_t i = 0; i < depth; i++)
			vec_push(&next.at, path.at.at[i]);
		vec_push(&next.at, other);
		enumerate(&next);
		vec_release(&next.at);
	}
out:
	vec_release(&path.at);
}

static void find_main_turn(void)
{
	struct plan plan = { 0 };
	struct execution x;
	run(&plan, &x);
	for (size_t i = 0; i < x.ops_count; i++) {
		if (x.ops[i].kind != OP_STEP)
			continue;
		if (x.ops[i].object)
			break;
		main_turn = (struct wire_turn){ .thread = 0, .hook = x.ops[i].value };
	}
}

static size_t missing(const struct map *all, const struct map *some)
{
	size_t n = 0;
	for (size_t i = 0; i < all->cap; i++)
		n += all->slots[i].used && !map_get(some, all->slots[i].key);
	return n;
}

static size_t races(void)
{
	size_t n = 0;
	for (size_t i = POINT_FIRST_RACE; i < points.all.len; i++)
		n += (recycled_count || !points.all.at[i].is_recycled) &&
		     !map_get(&heap_calls, points.all.at[i].pc);
	return n;
}

static void count_interleavings(void)
{
	interleavings = failing = 0;
	memset(failures, 0, sizeof(failures));
	map_clear(&classes);
	enumerate(&(struct path){ .is_cut = false });
}

static void tell(size_t number_of_races)
{
	printf("%zu races, %llu interleavings, %zu classes, %llu failing", number_of_races,
	       (unsigned long long)interleavings, classes.len, (unsigned long long)failing);
	for (unsigned i = 0; i < 64; i++)
		if (failures[i])
			printf(" (%llu %s)", (unsigned long long)failures[i], failure_names[i]);
	printf("\n");
}

static struct map *enumerate_rounds(size_t *rounds)
{
	static struct map of_round[ROUNDS_MAX];
	size_t before;
	*rounds = 0;
	do {
		before = races();
		count_interleavings();
		printf("round %zu: ", *rounds + 1);
		tell(before);
		of_round[*rounds] = causes;
		causes = (struct map){ 0 };
		for (size_t i = 0; i < candidates.found.len; i++) {
			const struct candidate *c = &candidates.found.at[i];
			bool is_new;
			points_add(&points, c->earlier, true, c->is_recycled, &is_new);
			points_add(&points, c->later, false, c->is_recycled, &is_new);
		}
	} while (++*rounds < ROUNDS_MAX && races() != before);
	size_t recycled = 0;
	for (size_t i = 0; i < candidates.found.len; i++)
		recycled += candidates.found.at[i].is_recycled;
	printf("recycled: %zu pairs\n", recycled);
	return of_round;
}

/* Spaces with one or two of the racing instructions: those that fail are reported. */
static void enumerate_pairs(void)
{
	size_t tried = 0, fail = 0;
	for (point_id a = POINT_FIRST_RACE; a < points.all.len; a++)
		for (point_id b = a; b < points.all.len; b++) {
			struct point_set set = { { 0 } };
			point_set_add(&set, a);
			point_set_add(&set, b);
			chosen = &set;
			count_interleavings();
			tried++;
			if (failing) {
				fail++;
				printf("points %u and %u: ", a - POINT_FIRST_RACE,
				       b - POINT_FIRST_RACE);
				tell(point_set_count(&set));
			}
			point_set_release(&set);
		}
	chosen = NULL;
	printf("pairs: %zu tried, %zu failing\n", tried, fail);
}

/* A change of threads anywhere shows no class that the last round does not. */
static void enumerate_everywhere(const struct map *last)
{
	map_clear(&causes);
	is_everywhere = true;
	count_interleavings();
	is_everywhere = false;
	printf("everywhere: ");
	tell(races());
	printf("everywhere: %zu new classes, %zu missing\n", missing(&causes, last),
	       missing(last, &causes));
}

/* ---- the explorer's ---- */

static void compare_explorer(const struct map *of_round, size_t rounds)
{
	struct deepen d;
	struct explore_config config = { .workers = 1,
					 .max_preemptions = UINT64_MAX,
					 .goes_on = true };
	deepen_init(&d, &config);
	uint64_t failed_plans = 0;
	bool is_over;
	const struct plan *plan;
	struct map seen[ROUNDS_MAX] = { { 0 } };
	uint64_t failed[ROUNDS_MAX] = { 0 };
	while ((plan = deepen_plan(&d, 0, &is_over))) {
		struct execution x;
		struct err err;
		struct taken taken = { 0 };
		run(plan, &x);
		size_t space = d.spaces.len - 1;
		if (deepen_take(&d, 0, &x, &taken, &err) || space >= ROUNDS_MAX) {
			fprintf(stderr, "rounds: the explorer's deepening is damaged\n");
			exit(3);
		}
		failed_plans += taken.failed_plans;
		if (!taken.is_redundant) {
			map_put(&seen[space], class_of(&x, true), NULL);
			failed[space] += x.end == EXPLORE_FAILURE;
		}
	}
	for (size_t i = 0; i < d.spaces.len; i++) {
		printf("space %zu: %zu races, %llu executions, %llu failing, %zu classes", i + 1,
		       d.spaces.at[i].races, (unsigned long long)d.spaces.at[i].executions,
		       (unsigned long long)failed[i], seen[i].len);
		if (i < rounds && rounds == d.spaces.len)
			printf(", %zu missing", missing(&of_round[i], &seen[i]));
		printf("\n");
		map_release(&seen[i]);
	}
	if (!deepen_is_complete(&d) || failed_plans)
		printf("not complete\n");
	deepen_release(&d);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "points", 1, NULL, 'p' },	  { "heap", 1, NULL, 'h' },
		{ "no-recycling", 0, NULL, 'n' }, { "pairs", 0, NULL, '2' },
		{ "everywhere", 0, NULL, 'e' },	  { NULL, 0, NULL, 0 }
	};
	/* Thousands of executions fail: they are not made twice. */
	struct worker_config config = { .step_limit = 20000, .is_trusted = true };
	bool tries_pairs = false, tries_everywhere = false;
	for (int o; (o = getopt_long(argc, argv, "+", options, NULL)) != -1;) {
		if (o == 'p') {
			sync_points = (strstr(optarg, "unlock") ? AT_UNLOCK : 0) |
				      (strstr(optarg, "heap") ? AT_HEAP : 0) |
				      (strstr(optarg, "atomic") ? AT_ATOMIC : 0) |
				      (strstr(optarg, "after") ? AFTER_RACES : 0) |
				      (!strncmp(optarg, "lock", 4) ? AT_LOCK : 0);
		} else if (o == 'h') {
			config.heap = !strcmp(optarg, "reuse") ? HEAP_REUSE : HEAP_FRESH;
		} else if (o == 'n') {
			recycled_count = true;
		} else if (o == '2') {
			tries_pairs = true;
		} else if (o == 'e') {
			tries_everywhere = true;
		} else {
			return 2;
		}
	}
	if (optind >= argc)
		return 2;
	config.path = argv[optind];
	config.argv = argv + optind;
	struct err err;
	if (worker_start(&worker, &config, &err)) {
		fprintf(stderr, "rounds: %s\n", err.text);
		return 3;
	}
	points_init(&points);
	find_main_turn();
	size_t rounds;
	struct map *of_round = enumerate_rounds(&rounds);
	if (tries_pairs)
		enumerate_pairs();
	if (tries_everywhere)
		enumerate_everywhere(&of_round[rounds - 1]);
	compare_explorer(of_round, rounds);
	for (size_t i = 0; i < rounds; i++)
		map_release(&of_round[i]);
	map_release(&classes);
	map_release(&causes);
	map_release(&heap_calls);
	candidates_release(&candidates);
	points_release(&points);
	worker_release(&worker);
	return 0;
}
