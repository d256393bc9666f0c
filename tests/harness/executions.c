/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs executions of a program under plans that are drawn at random, for tests of the worker and
 * of the runtime's side of exploration.  A plan is the beginning of an execution that was seen
 * before, followed by a step of another thread.
 *
 *   executions [options] PROGRAM [ARGUMENT...]
 *     --restart=exec|fork|inplace   (default fork)
 *     --against=exec|fork|inplace   run each plan there too: results must be equal
 *     --memory=sc|tso|pso
 *     --count=N      executions (default 50)
 *     --seed=N
 *     --print        list the operations of the first execution
 *     --kill         kill the program's process at a random moment of some executions
 *     --repeated     whether those were repeated by fork that had to be (worker.h), and no others
 *     --rate=N       executions in a second of processor time: N times a plan in which threads 1
 *                    and 2 take turns
 *
 * Prints one line for each kind of end with its count, and `# differs: ...` for each difference;
 * status 1 then.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/settings.h"
#include "exec/worker.h"

#define SEEN 16	    /* executions that plans are drawn from */
#define WAYS_MAX 64 /* to fail */

static const char *const end_names[] = {
	[EXPLORE_RUNNING] = "running",
	[EXPLORE_EXIT] = "exit",
	[EXPLORE_FAILURE] = "failure",
	[EXPLORE_REDUNDANT] = "redundant",
	[EXPLORE_ASSUMED] = "assumed",
	[EXPLORE_DIVERGED] = "diverged",
	[EXPLORE_STEP_LIMIT] = "step-limit",
	[EXPLORE_THREAD_LIMIT] = "thread-limit",
	[EXPLORE_FULL] = "full",
	[EXPLORE_UNSUPPORTED] = "unsupported",
	[EXPLORE_REPEATED] = "repeated",
	[EXPLORE_ROUND_LIMIT] = "round-limit",
	[EXPLORE_GONE] = "gone",
};
static const char *const restart_names[] = { "auto", "inplace", "fork", "exec" };

struct steps {
	struct wire_turn *at;
	size_t count;
};

static uint64_t random_state = 1;

static uint64_t draw(uint64_t n)
{
	random_state = random_state * 6364136223846793005ull + 1442695040888963407ull;
	return (uint64_t)((unsigned __int128)(random_state ^ random_state >> 31) * n >> 64);
}

static int place_of(const char *name, const char *const *names, int count)
{
	for (int i = 0; i < count; i++)
		if (!strcmp(name, names[i]))
			return i;
	fprintf(stderr, "executions: there is no '%s'\n", name);
	exit(2);
}

static int restart_of(const char *name)
{
	return place_of(name, restart_names, 4);
}

static void print_ops(const struct execution *e)
{
	OPS_EACH (op, e->ops, e->ops_count) {
		if (op->kind == OP_STEP) {
			printf("step %llu.%llu\n", (unsigned long long)op->object,
			       (unsigned long long)op->value);
			continue;
		}
		printf("  kind %u object %llx value %llx size %u mode %u flags %x\n", op->kind,
		       (unsigned long long)op->object, (unsigned long long)op->value, op->size,
		       op->mode, op->flags);
		if (op->kind == OP_OUTPUT)
			printf("  | %.*s\n", (int)op->size, (const char *)(op + 1));
	}
}

static struct steps steps_of(const struct execution *e)
{
	struct steps s = { mem_alloc((e->ops_count + 1) * sizeof(*s.at)), 0 };
	OPS_EACH (op, e->ops, e->ops_count) {
		if (op->kind == OP_STEP)
			s.at[s.count++] =
				(struct wire_turn){ (uint32_t)op->object,
						    op->flags & OPF_FLUSH ? TURN_FLUSH : TURN_STEP,
						    op->value };
	}
	return s;
}

/* A beginning, then the next step of a thread other than the one that came next. */
static struct steps draw_plan(const struct steps *from)
{
	struct steps s = { mem_alloc((from->count + 1) * sizeof(*s.at)), 0 };
	if (!from->count)
		return s;
	s.count = draw(from->count);
	memcpy(s.at, from->at, s.count * sizeof(*s.at));
	size_t next = s.count;
	while (next < from->count && from->at[next].thread == from->at[s.count].thread)
		next++;
	if (next < from->count)
		s.at[s.count++] = from->at[next];
	return s;
}

static bool same(const struct execution *a, const struct execution *b)
{
	return a->end == b->end && a->hash == b->hash && a->ops_count == b->ops_count &&
	       a->hooks == b->hooks &&
	       (a->end != EXPLORE_EXIT || a->exit_status == b->exit_status) &&
	       (a->end != EXPLORE_FAILURE || a->failure == b->failure);
}

static void print_difference(const struct execution *a, const struct execution *b)
{
	printf("# differs: %s with %zu ops and %llu hooks, against %s with %zu ops and %llu hooks; "
	       "%s; %s\n",
	       end_names[a->end], a->ops_count, (unsigned long long)a->hooks, end_names[b->end],
	       b->ops_count, (unsigned long long)b->hooks, a->text, b->text);
	for (size_t i = 0; i < a->ops_count && i < b->ops_count; i++) {
		const struct wire_op *x = &a->ops[i], *y = &b->ops[i];
		if (!memcmp(x, y, sizeof(*x)))
			continue;
		printf("# op %zu: kind %u object %llx value %llx size %u against kind %u object "
		       "%llx value %llx size %u\n",
		       i, x->kind, (unsigned long long)x->object, (unsigned long long)x->value,
		       x->size, y->kind, (unsigned long long)y->object,
		       (unsigned long long)y->value, y->size);
		return;
	}
}

static void run(struct worker *w, const struct plan *plan, struct execution *out)
{
	struct err err;
	if (worker_run(w, plan, out, &err)) {
		fprintf(stderr, "executions: %s\n", err.text);
		exit(2);
	}
}

static void start(struct worker *w, struct worker_config *config, int restart)
{
	struct err err;
	config->restart = (enum explore_restart)restart;
	if (worker_start(w, config, &err)) {
		fprintf(stderr, "executions: %s\n", err.text);
		exit(2);
	}
}

static double processor_seconds(void)
{
	double total = 0;
	for (int who = RUSAGE_CHILDREN; who <= RUSAGE_SELF; who++) {
		struct rusage u;
		getrusage(who, &u);
		total += (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
			 (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
	}
	return total;
}

/* The main thread's first steps, then one step of each of the two threads that it has created, in
 * turn. */
static struct steps alternating(const struct steps *from)
{
	struct steps s = { mem_alloc((from->count + 1) * sizeof(*s.at)), 0 };
	size_t i = 0, next[3] = { 0 };
	while (i < from->count && from->at[i].thread == 0)
		s.at[s.count++] = from->at[i++];
	bool is_left = true;
	for (uint32_t thread = 1; is_left; thread = 3 - thread) {
		is_left = false;
		for (size_t k = i; k < from->count; k++)
			is_left |= from->at[k].thread && k >= next[from->at[k].thread & 1];
		size_t k = next[thread & 1] > i ? next[thread & 1] : i;
		while (k < from->count && from->at[k].thread != thread)
			k++;
		next[thread & 1] = k + 1;
		if (k < from->count)
			s.at[s.count++] = from->at[k];
	}
	return s;
}

static void measure(struct worker *w, long count)
{
	struct execution e;
	struct plan plan = { 0 };
	run(w, &plan, &e);
	struct steps free_run = steps_of(&e), steps = alternating(&free_run);
	plan.turns = steps.at;
	plan.turns_count = steps.count;
	double before = processor_seconds();
	for (long i = 0; i < count; i++)
		run(w, &plan, &e);
	worker_release(w); /* what its processes have used is counted when they have ended */
	printf("%s: %.0f executions/s, %zu ops, %llu hooks\n", restart_names[e.restart_used],
	       (double)count / (processor_seconds() - before), e.ops_count,
	       (unsigned long long)e.hooks);
	if (e.end != EXPLORE_EXIT)
		printf("# but it ended with %s\n", end_names[e.end]);
	mem_free(free_run.at);
	mem_free(steps.at);
}

/* A process that kills the program's after a moment. */
static pid_t killer(struct worker *w)
{
	unsigned pause = (unsigned)draw(2000);
	pid_t pid = fork();
	if (pid)
		return pid;
	usleep(pause);
	pid_t victim =
		w->session.explore->process ? (pid_t)w->session.explore->process : w->session.pid;
	if (victim > 1)
		kill(victim, SIGKILL);
	_exit(0);
}

/* How executions have failed, written out; and how many have been the first of their way, or had
 * their turn. */
struct ways {
	struct buf seen[WAYS_MAX];
	size_t count;
	uint64_t repeated;
};

static bool is_new_way(struct ways *ways, const struct execution *e)
{
	struct buf way = { 0 };
	buf_printf(&way, "failure %u", e->failure);
	OPS_EACH (op, e->ops, e->ops_count) {
		if (op->kind == EV_FAILURE)
			buf_printf(&way, " at %llx", (unsigned long long)op->pc);
		if (op->kind == OP_OUTPUT) {
			buf_printf(&way, " wrote to %llu:", (unsigned long long)op->object);
			buf_add(&way, op + 1, op->size);
		}
	}
	for (size_t i = 0; i < ways->count; i++) {
		if (ways->seen[i].len == way.len && !memcmp(ways->seen[i].at, way.at, way.len)) {
			buf_release(&way);
			return false;
		}
	}
	if (ways->count == WAYS_MAX)
		abort();
	ways->seen[ways->count++] = way;
	return true;
}

struct setting {
	int restart, against, memory; /* against: a restart, or -1 */
	long count, rate;
	bool prints, kills, counts_repeated;
};

static bool read_options(int argc, char **argv, struct setting *out)
{
	static const struct option options[] = {
		{ "restart", 1, NULL, 'r' },  { "against", 1, NULL, 'a' },
		{ "count", 1, NULL, 'c' },    { "seed", 1, NULL, 's' },
		{ "memory", 1, NULL, 'm' },   { "print", 0, NULL, 'p' },
		{ "kill", 0, NULL, 'k' },     { "rate", 1, NULL, 't' },
		{ "repeated", 0, NULL, 'w' }, { NULL, 0, NULL, 0 },
	};
	*out = (struct setting){
		.restart = RESTART_FORK, .against = -1, .memory = MEMORY_SC, .count = 50
	};
	for (int o; (o = getopt_long(argc, argv, "+", options, NULL)) != -1;) {
		switch (o) {
		case 'r':
			out->restart = restart_of(optarg);
			break;
		case 'm':
			out->memory = name_index(memory_names, optarg, strlen(optarg));
			break;
		case 'a':
			out->against = restart_of(optarg);
			break;
		case 'c':
			out->count = strtol(optarg, NULL, 10);
			break;
		case 's':
			random_state = strtoull(optarg, NULL, 10) * 2 + 1;
			break;
		case 'p':
			out->prints = true;
			break;
		case 'k':
			out->kills = true;
			break;
		case 't':
			out->rate = strtol(optarg, NULL, 10);
			break;
		case 'w':
			out->counts_repeated = true;
			break;
		default:
			return false;
		}
	}
	return optind < argc;
}

/* What the executions have shown. */
struct tally {
	struct ways ways;
	size_t ends[EXPLORE_GONE + 1], used[4];
	bool differs;
};

/* Draws plans from executions that were seen, and runs each, also on the other worker if there is
 * one. */
static void run_drawn(const struct setting *s, struct worker *w, struct worker *other,
		      struct tally *tally)
{
	struct steps seen[SEEN] = { { NULL, 0 } };
	for (long i = 0; i < s->count; i++) {
		struct steps drawn = i ? draw_plan(&seen[draw((uint64_t)(i < SEEN ? i : SEEN))])
				       : (struct steps){ NULL, 0 };
		struct plan plan = { .turns = drawn.at, .turns_count = drawn.count };
		struct execution e, o;
		pid_t helper = s->kills && i % 3 == 1 ? killer(w) : 0;
		run(w, &plan, &e);
		if (helper)
			waitpid(helper, NULL, 0);
		tally->ends[e.end <= EXPLORE_GONE ? e.end : EXPLORE_GONE]++;
		bool fails_anew = e.end == EXPLORE_FAILURE && is_new_way(&tally->ways, &e);
		tally->ways.repeated += fails_anew || i % WORKER_CHECK_EVERY == 0;
		tally->used[e.restart_used & 3]++;
		if (s->prints && !i)
			print_ops(&e);
		if (other) {
			session_copy_inputs(&other->session, &w->session);
			run(other, &plan, &o);
			if (!same(&e, &o)) {
				print_difference(&e, &o);
				tally->differs = true;
			}
		}
		mem_free(drawn.at);
		if (e.end == EXPLORE_UNSUPPORTED || (e.end == EXPLORE_GONE && !s->kills)) {
			printf("# %s: %s\n", end_names[e.end], e.text);
			break;
		}
		size_t place = (size_t)i < SEEN ? (size_t)i : draw(SEEN);
		mem_free(seen[place].at);
		seen[place] = steps_of(&e);
	}
	for (size_t i = 0; i < SEEN; i++)
		mem_free(seen[i].at);
}

static void print_tally(const struct setting *s, const struct worker *w, struct tally *tally)
{
	for (int i = 0; i <= EXPLORE_GONE; i++)
		if (tally->ends[i])
			printf("%s %zu\n", end_names[i], tally->ends[i]);
	for (int i = 0; i < 4; i++)
		if (tally->used[i])
			printf("# %zu by %s\n", tally->used[i], restart_names[i]);
	if (w->fallback[0])
		printf("# %s\n", w->fallback);
	if (s->counts_repeated) {
		printf("%llu repeated, %zu ways to fail\n", (unsigned long long)w->checks,
		       tally->ways.count);
		tally->differs |= w->checks != tally->ways.repeated;
	}
}

int main(int argc, char **argv)
{
	struct setting s;
	if (!read_options(argc, argv, &s))
		return 2;
	struct worker_config config = { .path = argv[optind],
					.argv = argv + optind,
					.step_limit = 20000,
					.memory = (enum wire_memory)s.memory };
	config.is_trusted = s.against >= 0;
	struct worker w, other;
	start(&w, &config, s.restart);
	if (s.against >= 0)
		start(&other, &config, s.against);
	if (s.rate) {
		measure(&w, s.rate);
		return 0;
	}
	struct tally tally = { 0 };
	run_drawn(&s, &w, s.against >= 0 ? &other : NULL, &tally);
	print_tally(&s, &w, &tally);
	for (size_t i = 0; i < tally.ways.count; i++)
		buf_release(&tally.ways.seen[i]);
	worker_release(&w);
	if (s.against >= 0)
		worker_release(&other);
	return tally.differs;
}
