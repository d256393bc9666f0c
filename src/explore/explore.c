/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The loop of an exploration; see explore.h.  A worker asks the strategy for a plan, runs the
 * program by it, gives the execution to the strategy, and enters it into its result.
 *
 * Each worker is a thread; the first one is the caller's, which also reports progress and writes
 * the ledger.  A worker holds its lock during all of that except while its program runs.  So a
 * thread that has the locks of all workers sees a state between executions; executions that are
 * running count as not made.  Each worker has a result of its own until it is collected into the
 * common one.
 */
#include "explore/explore.h"

#include <pthread.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "explore/ledger.h"
#include "explore/loops.h"

#define PROGRESS_SECONDS 0.2
#define LONG_OPS \
	1000000 /* operations of an execution that is not taken when the search is to end */
/* An execution of so many times the hooks of the first one, after so many that each were the
 * longest so far: no end is in sight. */
#define GROWING_FACTOR 8
#define GROWING_RECORDS 50
#define DIVERGED_MAX 100 /* a program that does not do the same twice is not explored further */

struct explorer;

struct explore_worker {
	struct explorer *of;
	unsigned number;
	pthread_t thread;
	pthread_mutex_t lock;
	struct explore_result result; /* since the last time it was collected */
	/* What executions showed whose analysis was cancelled: it is reported, but not saved,
	 * because the search that continues runs their plans again. */
	struct explore_result late;
};

struct explorer {
	struct explore_config config;
	void *state;
	struct explore_result *result;
	struct explore_worker *workers;
	double start, looked;
	double earlier;	 /* seconds that were spent before it was continued */
	bool is_over;	 /* atomically set: there is no plan left */
	bool has_ended;	 /* atomically set: an execution has reached no limit */
	uint64_t begun;	 /* executions, atomically counted */
	uint64_t taken;	 /* those of the systematic search; likewise */
	uint64_t polled; /* explore_result.polled; likewise */
	/* hooks: of all systematic executions, of the first one, of the longest one; how often
	 * one was the longest so far.  Atomically accessed */
	uint64_t hooks, first_hooks, most_hooks, records;
	uint64_t diverged; /* those, and plans that were not followed; atomically counted */
	int stop;	   /* enum explore_stop, atomically set; STOP_DONE: it goes on */
	int rc;		   /* of the first worker that failed */
	struct err err;
	/* Idle workers. */
	pthread_mutex_t idle_lock;
	pthread_cond_t idle;
	uint64_t calls; /* how often idle workers were woken */
};

/* ---- idle workers ---- */

static void wake_idle(void *arg)
{
	struct explorer *e = arg;
	pthread_mutex_lock(&e->idle_lock);
	e->calls++;
	pthread_cond_broadcast(&e->idle);
	pthread_mutex_unlock(&e->idle_lock);
}

static uint64_t calls_so_far(struct explorer *e)
{
	pthread_mutex_lock(&e->idle_lock);
	uint64_t calls = e->calls;
	pthread_mutex_unlock(&e->idle_lock);
	return calls;
}

/* Until the number of calls is not `seen` any more, but not for long: the first worker reports
 * progress, and there is Ctrl-C. */
static void wait_for_wake(struct explorer *e, uint64_t seen)
{
	uint64_t end = clock_read_ns(CLOCK_REALTIME) + 50000000;
	struct timespec until = { (time_t)(end / NS_PER_SECOND), (long)(end % NS_PER_SECOND) };
	pthread_mutex_lock(&e->idle_lock);
	if (e->calls == seen)
		pthread_cond_timedwait(&e->idle, &e->idle_lock, &until);
	pthread_mutex_unlock(&e->idle_lock);
}

/* ---- when to end ---- */

static void set_stop(struct explorer *e, enum explore_stop stop)
{
	int none = STOP_DONE;
	__atomic_compare_exchange_n(&e->stop, &none, (int)stop, false, __ATOMIC_ACQ_REL,
				    __ATOMIC_ACQUIRE);
	wake_idle(e);
}

static bool is_stopped(struct explorer *e)
{
	const struct explore_config *c = &e->config;
	if (c->stop && *c->stop)
		set_stop(e, STOP_INTERRUPTED);
	else if (c->max_seconds && clock_now_seconds() - e->start >= (double)c->max_seconds)
		set_stop(e, STOP_SECONDS);
	return __atomic_load_n(&e->stop, __ATOMIC_ACQUIRE) != STOP_DONE;
}

static bool is_stop_requested(void *arg)
{
	return is_stopped(arg);
}

/* Whether another execution may be made.  Drawn ones besides a systematic search are not limited.
 */
static bool may_begin(struct explorer *e, const struct plan *plan)
{
	bool is_besides =
		e->config.strategy->draws_besides && plan->free_run != FREE_RUN_NONPREEMPTIVE;
	uint64_t most = is_besides ? 0 : e->config.max_executions;
	if (is_stopped(e))
		return false;
	if (!most || __atomic_fetch_add(&e->begun, 1, __ATOMIC_RELAXED) < most)
		return true;
	set_stop(e, STOP_EXECUTIONS);
	return false;
}

/* Whether something became known that the search needs from its beginning. */
static bool begins_again(const struct explore_config *c, const struct explore_result *r)
{
	const struct wire_divided *d = c->divided;
	return (d && (wide_is_divisible(&r->races.wide, d) || r->signalled & ~d->signals ||
		      r->cancelled & ~d->cancels ||
		      (c->strategy->knows_loops && loops_are_new(r, d)))) ||
	       (c->idle && idle_has_news(c->idle));
}

/*
 * Whether executions become longer without an end in sight.  A loop whose number of rounds has no
 * bound makes one execution after the other the longest so far, until they have many times the
 * length of the first.  A program in which all lengths are bounded may do so, too, so there must
 * have been much work before.  Counts only, so that one worker always gives the same result.
 */
static bool grows(struct explorer *e, const struct execution *x)
{
	uint64_t zero = 0, most = __atomic_load_n(&e->most_hooks, __ATOMIC_RELAXED);
	uint64_t hooks = __atomic_add_fetch(&e->hooks, x->hooks, __ATOMIC_RELAXED);
	__atomic_compare_exchange_n(&e->first_hooks, &zero, x->hooks, false, __ATOMIC_RELAXED,
				    __ATOMIC_RELAXED);
	while (x->hooks > most)
		if (__atomic_compare_exchange_n(&e->most_hooks, &most, x->hooks, false,
						__ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
			__atomic_fetch_add(&e->records, 1, __ATOMIC_RELAXED);
			break;
		}
	return e->config.max_growing && hooks >= e->config.max_growing &&
	       __atomic_load_n(&e->records, __ATOMIC_RELAXED) >= GROWING_RECORDS &&
	       __atomic_load_n(&e->most_hooks, __ATOMIC_RELAXED) >=
		       GROWING_FACTOR * __atomic_load_n(&e->first_hooks, __ATOMIC_RELAXED);
}

/* What an execution means for the rest of the search. */
static void judge(struct explorer *e, const struct explore_worker *w, const struct execution *x,
		  const struct taken *t)
{
	uint64_t failed = t->failed_plans + (x->end == EXPLORE_DIVERGED && !t->was_test);
	if (w->result.gaps.is_unsupported)
		set_stop(e, STOP_UNSUPPORTED);
	if (failed && __atomic_add_fetch(&e->diverged, failed, __ATOMIC_RELAXED) > DIVERGED_MAX)
		set_stop(e, STOP_DIVERGED);
	if (explore_ends_with(&e->config, x))
		set_stop(e, STOP_FOUND);
	uint64_t taken = __atomic_add_fetch(&e->taken, !t->is_drawn, __ATOMIC_RELAXED);
	uint64_t rounds = t->is_drawn ? 0 : explore_polled(x);
	uint64_t polled = __atomic_add_fetch(&e->polled, rounds, __ATOMIC_RELAXED);
	if ((e->config.max_polled && polled >= e->config.max_polled) ||
	    (e->config.max_with_polls && polled && taken >= e->config.max_with_polls))
		set_stop(e, STOP_POLLS);
	/* Loops that poll are bounded first, because that leaves out less. */
	if (!t->is_drawn && grows(e, x))
		set_stop(e, polled && e->config.max_with_polls ? STOP_POLLS : STOP_GROWS);
	if (begins_again(&e->config, &w->result))
		set_stop(e, STOP_AGAIN);
}

/* ---- progress and ledger ---- */

static void lock_all(struct explorer *e)
{
	for (unsigned i = 0; i < e->config.workers; i++)
		pthread_mutex_lock(&e->workers[i].lock);
}

static void unlock_all(struct explorer *e)
{
	for (unsigned i = 0; i < e->config.workers; i++)
		pthread_mutex_unlock(&e->workers[i].lock);
}

static void collect(struct explorer *e)
{
	for (unsigned i = 0; i < e->config.workers; i++)
		result_merge(e->result, &e->workers[i].result);
}

static void report_and_save(struct explorer *e)
{
	const struct explore_config *c = &e->config;
	double now = clock_now_seconds();
	if (now - e->looked < PROGRESS_SECONDS || (!c->tell_progress && !c->ledger))
		return;
	e->looked = now;
	lock_all(e);
	collect(e);
	struct explore_result *r = e->result;
	r->seconds = e->earlier + now - e->start;
	r->progress = c->strategy->progress ? c->strategy->progress(e->state) : 0;
	if (c->ledger && ledger_is_due(c->ledger, r->seconds))
		ledger_write(c->ledger, c, e->state, r);
	unlock_all(e);
	if (c->tell_progress)
		c->tell_progress(c->tell_arg, r);
}

/* ---- a worker ---- */

static void fail(struct explorer *e, int rc, const struct err *err)
{
	pthread_mutex_lock(&e->idle_lock);
	if (!e->rc) {
		e->rc = rc;
		e->err = *err;
	}
	pthread_mutex_unlock(&e->idle_lock);
	set_stop(e, STOP_INTERRUPTED);
}

/* The next plan, once there is one; NULL: the search is over, or a worker has failed. */
static const struct plan *next_plan(struct explore_worker *w)
{
	struct explorer *e = w->of;
	for (;;) {
		uint64_t calls = calls_so_far(e);
		bool is_over;
		pthread_mutex_lock(&w->lock);
		const struct plan *p = e->config.strategy->plan(e->state, w->number, &is_over);
		pthread_mutex_unlock(&w->lock);
		if (is_over)
			__atomic_store_n(&e->is_over, true, __ATOMIC_RELAXED);
		if (p || is_over || is_stopped(e))
			return p;
		if (!w->number)
			report_and_save(e);
		wait_for_wake(e, calls);
	}
}

/* Whether no execution has ended before this one reached a limit. */
static bool is_endless(struct explorer *e, const struct execution *x)
{
	const struct explore_config *c = &e->config;
	if ((c->ends_at_steps && x->end == EXPLORE_STEP_LIMIT) ||
	    (c->ends_at_threads && x->end == EXPLORE_THREAD_LIMIT))
		return !__atomic_load_n(&e->has_ended, __ATOMIC_RELAXED);
	__atomic_store_n(&e->has_ended, true, __ATOMIC_RELAXED);
	return false;
}

static int take(struct explore_worker *w, const struct execution *x, bool *is_given_up,
		struct err *err)
{
	struct explorer *e = w->of;
	struct taken t = { 0 };
	pthread_mutex_lock(&w->lock);
	int rc = 0;
	if (is_endless(e, x)) {
		t.is_given_up = true;
		set_stop(e, STOP_ENDLESS);
	} else if (x->ops_count > LONG_OPS && is_stopped(e)) {
		t.is_given_up = true; /* even reading it takes too long */
	} else {
		rc = e->config.strategy->take(e->state, w->number, x, &t, err);
	}
	if (!rc) {
		result_note(&e->config, t.is_given_up ? &w->late : &w->result, x, &t);
		judge(e, w, x, &t);
	}
	pthread_mutex_unlock(&w->lock);
	*is_given_up = t.is_given_up;
	return rc;
}

static void *work(void *arg)
{
	struct explore_worker *w = arg;
	struct explorer *e = w->of;
	const struct plan *plan;
	while ((plan = next_plan(w)) && may_begin(e, plan)) {
		struct execution x;
		struct err err;
		int rc = e->config.run(e->config.programs[w->number], plan, &x, &err);
		/* An execution that was ended with the search is not made. */
		bool is_interrupted = e->config.stop && *e->config.stop;
		if (!rc && x.end == EXPLORE_GONE && (x.is_cut || is_interrupted)) {
			set_stop(e, is_interrupted ? STOP_INTERRUPTED : STOP_SECONDS);
			break;
		}
		bool is_given_up = false;
		if (!rc && e->config.idle)
			idle_look(e->config.idle, w->number, &x);
		if (!rc)
			rc = take(w, &x, &is_given_up, &err);
		if (rc)
			fail(e, rc, &err);
		if (is_given_up)
			break;
		if (!w->number)
			report_and_save(e);
	}
	return NULL;
}

/* ---- all of them ---- */

static void run_workers(struct explorer *e)
{
	unsigned started = 1;
	sigset_t all, before;
	/* Signals are the caller's. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	for (; started < e->config.workers; started++)
		if (pthread_create(&e->workers[started].thread, NULL, work, &e->workers[started]))
			break;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	work(&e->workers[0]);
	wake_idle(e);
	for (unsigned i = 1; i < started; i++)
		pthread_join(e->workers[i].thread, NULL);
}

static void begin(struct explorer *e, const struct explore_config *c, double start,
		  struct explore_result *r)
{
	*r = (struct explore_result){ 0 };
	*e = (struct explorer){ .config = *c,
				.result = r,
				.idle_lock = PTHREAD_MUTEX_INITIALIZER,
				.idle = PTHREAD_COND_INITIALIZER };
	e->config.wake = wake_idle;
	e->config.wake_arg = e;
	e->config.cancellation =
		(struct cancellation){ .is_requested = is_stop_requested, .arg = e };
	e->start = e->looked = start;
	if (c->end_by)
		*c->end_by =
			c->max_seconds ? (uint64_t)(1e9 * (e->start + (double)c->max_seconds)) : 0;
	e->workers = mem_zero(c->workers, sizeof(*e->workers));
	for (unsigned i = 0; i < c->workers; i++) {
		e->workers[i].of = e;
		e->workers[i].number = i;
		pthread_mutex_init(&e->workers[i].lock, NULL);
	}
	e->state = c->strategy->new (&e->config);
}

static void end(struct explorer *e)
{
	collect(e);
	for (unsigned i = 0; i < e->config.workers; i++) {
		explore_result_release(&e->workers[i].result);
		explore_result_release(&e->workers[i].late);
		pthread_mutex_destroy(&e->workers[i].lock);
	}
	mem_free(e->workers);
	e->config.strategy->end(e->state);
	pthread_mutex_destroy(&e->idle_lock);
	pthread_cond_destroy(&e->idle);
}

/* `earlier`: what a search had found that this one replaces; NULL: there was none. */
static int explore_once(const struct explore_config *c, double start,
			struct explore_result *earlier, struct explore_result *r, struct err *err)
{
	struct explorer e;
	begin(&e, c, start, r);
	if (earlier)
		result_merge(r, earlier);
	int rc = c->ledger && !earlier ? ledger_read(c->ledger, &e.config, e.state, r, err) : 0;
	e.earlier = r->seconds;
	e.has_ended = r->executions > 0;
	e.taken = r->executions + r->redundant;
	e.polled = r->polled;
	/* A search that had found what it wanted, and was killed before it reported that. */
	if (r->stop == STOP_FOUND)
		set_stop(&e, STOP_FOUND);
	if (!rc && begins_again(c, r))
		set_stop(&e, STOP_AGAIN);
	if (!rc) {
		run_workers(&e);
		collect(&e);
		/* The last execution may have shown what is to be divided. */
		r->stop = e.is_over && e.stop != STOP_AGAIN ? STOP_DONE : (enum explore_stop)e.stop;
		ASSERT(e.is_over || r->stop != STOP_DONE);
		r->seconds = e.earlier + clock_now_seconds() - e.start;
		r->progress = r->stop == STOP_DONE ? 1 : r->progress;
		rc = e.rc;
		if (rc && err)
			*err = e.err;
		/* A short one that is done needs none, unless one was asked for. */
		bool is_done = r->stop == STOP_DONE || r->stop == STOP_FOUND;
		if (!rc && c->ledger && r->stop != STOP_AGAIN && r->stop != STOP_ENDLESS &&
		    (!is_done || c->ledger->fd >= 0 || r->seconds >= c->ledger->first_seconds))
			ledger_write(c->ledger, &e.config, e.state, r);
		for (unsigned i = 0; i < c->workers; i++)
			result_merge(r, &e.workers[i].late);
		if (c->strategy->sum_up)
			c->strategy->sum_up(e.state, r);
	}
	end(&e);
	return rc;
}

/* What a search that is given up leaves to the next one: its failures, which are real in any case.
 */
static struct explore_result failures_of(struct explore_result *r)
{
	struct explore_result left = { 0 };
	for (size_t i = 0; i < r->failures.len; i++) {
		r->failures.at[i].executions = r->failures.at[i].drawn = 0;
		vec_push(&left.failures, r->failures.at[i]);
	}
	r->failures.len = 0;
	return left;
}

static bool has_found_enough(const struct explore_config *c, const struct explore_result *r)
{
	for (size_t i = 0; i < r->failures.len && !c->goes_on; i++)
		if (!c->is_wanted || c->is_wanted(c->wanted_arg, r->failures.at[i].failure))
			return true;
	return false;
}

/*
 * The search restarts when something becomes known that plans depend on: plans name steps by
 * numbers, which change where copies are divided and after handlers of threads that look for
 * signals; and existing plans have no other answers for a choice that seemed idle.  Kept are what
 * is to be divided, the threads that get signals, the choices that are used, and the failures.  A
 * search that continues after failures finds them again unless it ends early.  Each restart adds
 * one of a small number of places.  The last execution of a search may cause one.
 */
int explore(const struct explore_config *c, struct explore_result *r, struct err *err)
{
	double start = clock_now_seconds();
	int rc = explore_once(c, start, NULL, r, err);
	while (!rc && (r->stop == STOP_AGAIN || (r->stop == STOP_DONE && begins_again(c, r)))) {
		/* By another worker at the same time. */
		if (has_found_enough(c, r)) {
			r->stop = STOP_FOUND;
			break;
		}
		struct explore_result left = failures_of(r);
		if (c->divided) {
			wide_divide(&r->races.wide, c->divided);
			c->divided->signals |= r->signalled;
			c->divided->cancels |= r->cancelled;
			if (c->strategy->knows_loops)
				loops_learn(c, r);
		}
		if (c->idle)
			idle_learn(c->idle);
		explore_result_release(r);
		if (c->ledger)
			ledger_begin_again(c->ledger);
		rc = explore_once(c, start, &left, r, err);
		explore_result_release(&left);
	}
	return rc;
}
