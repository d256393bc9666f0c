/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The search of heddle check: its workers and its ledger, an end by signal, and then everything
 * that was found once more, with all its events.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/stop.h"
#include "check/check.h"
#include "heddle/version.h"

const char *const *const check_strategy_words = strategy_words;
const char *const check_strategy_help = strategy_help;

#define SHORTEN_SECONDS 0.4	/* for all findings of a search that was to end early */
#define EARLY_NS 1000000000ull	/* the same, for everything up to the report */
#define RANDOM_EXECUTIONS 10000 /* of a random search without another limit */
#define LEDGER_SECONDS 2	/* a search that is shorter has none unless it was asked for */

/* ---- interruption: what was found is kept ---- */

volatile sig_atomic_t check_is_interrupted;
static uint64_t executions_end_by; /* worker.h */

/* ---- the search ---- */

bool check_wants_no_witness(const struct check_options *o)
{
	return o->output && !strcmp(o->output, "none");
}

/* What one worker of the explorer is. */
struct member {
	struct worker worker;
	struct check_suspects *suspects;
};

static int run_worker(void *program, const struct plan *plan, struct execution *out,
		      struct err *err)
{
	struct member *m = program;
	int rc = worker_run(&m->worker, plan, out, err);
	if (!rc && m->suspects)
		check_suspects_look(m->suspects, out);
	return rc;
}

/* ---- the search ends, and what it found is shown ---- */

/*
 * A search that was to end spends little time on showing what it has found.  What there is no
 * time for is named, and is in the ledger.  Returns the seconds for schedules to be shortened, 0
 * for any number.
 */
static double set_end(struct check *c, uint64_t start)
{
	uint64_t now = clock_now_ns(), budget = c->options.seconds * 1000000000ull,
		 limit = start + budget;
	c->end_by = 0;
	if (c->result.stop == STOP_INTERRUPTED) {
		c->end_by = now + EARLY_NS;
		return SHORTEN_SECONDS;
	}
	if (!budget)
		return 0;
	c->end_by = (limit > now ? limit : now) + (budget / 10 > EARLY_NS ? budget / 10 : EARLY_NS);
	double left = limit > now ? 1e-9 * (double)(limit - now) : 0;
	return left > SHORTEN_SECONDS ? left : SHORTEN_SECONDS;
}

/* Deepening rests on a theorem about sequential consistency. */
static const struct strategy *systematic_of(const struct check_options *o)
{
	return o->memory == MEMORY_SC ? &strategy_deepening : &strategy_dpor;
}

/* By default schedules are drawn besides; drawn ones know no bound of preemptions. */
static const struct strategy *strategy_of(const struct check_options *o)
{
	const struct strategy *s = strategy_at((size_t)o->strategy);
	bool is_bounded = o->preemptions != UINT64_MAX;
	return s == &strategy_portfolio && is_bounded ? systematic_of(o) : s;
}

/* ---- the ledger ---- */

/* Everything that the search depends on; bounds of time and executions and the number of workers
 * may change. */
static int identify(struct check *c, struct err *err)
{
	const struct check_options *o = &c->options;
	struct buf program = { 0 }, *id = &c->ledger.identity;
	int rc = file_read(c->program.path.at, &program, err);
	if (!rc) {
		buf_printf(id, "heddle %s\n", HEDDLE_VERSION);
		buf_printf(id, "program %016llx\n",
			   (unsigned long long)hash_bytes(0, program.at, program.len));
		for (size_t i = 1; c->argv[i]; i++)
			buf_printf(id, "argument %s\n", c->argv[i]);
		buf_printf(id, "--strategy=%s\n--memory=%d\n--heap=%d\n--backend=%d\n",
			   strategy_word(strategy_of(o)), o->memory, o->heap, o->backend);
		buf_printf(id, "--steps=%llu\n--threads=%llu\n", (unsigned long long)o->steps,
			   (unsigned long long)o->threads);
		if (o->has_rounds)
			buf_printf(id, "--rounds=%llu\n", (unsigned long long)o->rounds);
		if (o->has_loops)
			buf_printf(id, "--loops=%llu\n", (unsigned long long)o->loops);
		if (o->depend)
			buf_printf(id, "--depend=taint\n");
		buf_printf(id, "--spurious=%llu\n", (unsigned long long)o->spurious);
		buf_printf(id, "--preemptions=%llu\n--seed=%llu\n--kinds=%s\n",
			   (unsigned long long)o->preemptions, (unsigned long long)o->seed,
			   o->kinds ? o->kinds : "all");
		buf_printf(id, "--outcomes=%d\n--continue=%d\n", o->has_outcomes,
			   o->goes_on || o->has_outcomes);
		if (o->ignores_output_order)
			buf_printf(id, "--ignore-output-order\n");
	}
	buf_release(&program);
	return rc;
}

/* Gives the ledger to use; NULL: none is wanted. */
static int open_ledger(struct check *c, struct ledger **use, struct err *err)
{
	const struct check_options *o = &c->options;
	*use = NULL;
	if (!o->resume && o->ledger && !strcmp(o->ledger, "none"))
		return 0;
	if (o->resume || o->ledger)
		buf_str(&c->ledger_path, o->resume ? o->resume : o->ledger);
	else
		buf_printf(&c->ledger_path, "%s.ledger",
			   o->output && !check_wants_no_witness(o)
				   ? o->output
				   : file_base_name(c->program.path.at));
	c->ledger.path = c->ledger_path.at;
	c->ledger.is_continued = o->resume != NULL;
	c->ledger.first_seconds = o->resume || o->ledger ? 0 : LEDGER_SECONDS;
	int rc = identify(c, err);
	if (!rc)
		rc = ledger_open(&c->ledger, err);
	*use = &c->ledger;
	return rc;
}

/* ---- workers ---- */

struct team {
	struct member *members;
	void **programs;
	unsigned count;
	bool has_input; /* all of standard input is known */
};

static void team_release(struct team *t)
{
	for (unsigned i = 0; i < t->count; i++)
		worker_release(&t->members[i].worker);
	mem_free(t->members);
	mem_free(t->programs);
}

static int team_start(struct team *t, struct check *c, const sigset_t *mask, struct err *err)
{
	const struct check_options *o = &c->options;
	struct worker_config w = {
		.path = c->program.path.at,
		.argv = c->argv,
		.memory = (enum wire_memory)o->memory,
		.heap = (enum wire_heap)o->heap,
		.spurious_wakeups = (uint32_t)o->spurious,
		.divided = &c->divided,
		.backend = (enum wire_backend)o->backend,
		.restart = (enum explore_restart)o->restart,
		.step_limit = o->steps,
		.thread_limit = o->threads,
		.round_limit = o->rounds,
		.loop_limit = o->loops,
		.memory_limit = o->memory_limit << 20,
		.mask = mask,
		.stop = &check_is_interrupted,
		.end_by = &executions_end_by,
	};
	unsigned count = (unsigned)o->jobs;
	*t = (struct team){ mem_zero(count, sizeof(*t->members)),
			    mem_zero(count, sizeof(*t->programs)), 0, false };
	int rc = 0;
	w.workers = count;
	while (t->count < count && !rc) {
		w.worker = t->count;
		struct member *m = &t->members[t->count];
		rc = worker_start(&m->worker, &w, err);
		m->suspects = check_wants_kind(o, FINDING_UNINITIALISED) ? &c->suspects : NULL;
		t->programs[t->count] = m;
		t->count++;
	}
	return rc;
}

/*
 * Several processes cannot read one standard input; each gets all of it, if it is a file.
 * Otherwise the program may not read it, which is known afterwards.
 */
static int share_input(struct team *t, struct err *err)
{
	struct stat st;
	if (t->count < 2 || fstat(STDIN_FILENO, &st) || !S_ISREG(st.st_mode))
		return 0;
	struct buf input = { 0 };
	int rc = file_read("/dev/stdin", &input, err);
	for (unsigned i = 0; i < t->count && !rc; i++)
		if (!session_set_input(&t->members[i].worker.session, input.at, input.len))
			rc = err_set(err, ERR_SUPPORT,
				     "standard input is too large for several workers");
	t->has_input = true;
	buf_release(&input);
	return rc;
}

static int check_input(const struct team *t, struct err *err)
{
	for (unsigned i = 0; i < t->count && t->count > 1 && !t->has_input; i++)
		if (t->members[i].worker.session.explore->input_count)
			return err_set(err, ERR_SUPPORT,
				       "several workers cannot read one standard input: use -j1, "
				       "or let it come from a file");
	return 0;
}

/* ---- all of it ---- */

static bool is_wanted(const void *options, uint32_t failure)
{
	return check_wants_failure(options, failure);
}

static int search(struct check *c, const struct team *t, struct ledger *ledger, struct err *err)
{
	const struct check_options *o = &c->options;
	struct explore_config config = {
		.strategy = strategy_of(o),
		.systematic = systematic_of(o),
		.workers = t->count,
		.run = run_worker,
		.programs = t->programs,
		.max_executions = o->executions || o->seconds || strategy_of(o)->is_exhaustive
					  ? o->executions
					  : RANDOM_EXECUTIONS,
		.max_seconds = o->seconds,
		.max_preemptions = o->preemptions,
		.seed = o->seed,
		.divided = &c->divided,
		.idle = strategy_of(o)->is_exhaustive && c->idle.choices.len ? &c->idle : NULL,
		.depends = { c->unused.list.at, c->unused.list.len },
		.goes_on = o->goes_on || o->has_outcomes,
		.is_wanted = is_wanted,
		.wanted_arg = o,
		.keeps_outcomes = o->has_outcomes,
		.ignores_output_order = o->ignores_output_order,
		.finds_races = check_wants_kind(o, FINDING_RACE),
		.stop = &check_is_interrupted,
		.end_by = &executions_end_by,
		.ledger = ledger,
		.tell_progress = c->progress,
		.tell_arg = c->progress_arg,
	};
	uint64_t start = clock_now_ns();
	struct worker **workers = mem_zero(t->count, sizeof(struct worker *));
	for (unsigned i = 0; i < t->count; i++)
		workers[i] = &t->members[i].worker;
	int rc = check_explore(c, &config, workers, err);
	mem_free(workers);
	if (!rc)
		rc = check_input(t, err);
	if (rc)
		return rc;
	c->summary.is_complete = explore_is_complete(&config, &c->result);
	c->is_exhaustive = config.strategy->is_exhaustive;
	/* A second signal ends what follows. */
	check_is_interrupted = 0;
	double seconds = set_end(c, start);
	executions_end_by = c->end_by;
	c->outside = &t->members[0].worker.session;
	return check_show(c, &config, seconds, err);
}

int check_program(struct check *c, struct err *err)
{
	sigset_t mask;
	stop_on_signals(&check_is_interrupted, &mask);
	struct ledger *ledger;
	struct team team = { 0 };
	check_suspects_init(&c->suspects);
	int rc = open_ledger(c, &ledger, err);
	if (!rc)
		rc = team_start(&team, c, &mask, err);
	if (!rc)
		rc = share_input(&team, err);
	if (!rc)
		rc = search(c, &team, ledger, err);
	team_release(&team);
	check_suspects_release(&c->suspects);
	return rc;
}
