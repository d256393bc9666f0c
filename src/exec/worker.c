/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Executions of one program; see worker.h, and wire/explore.h for the protocol.
 *
 * Tool and program hand over by two futexes, on one processor (processor.h).  While the tool
 * waits, it checks the program ten times per second: whether it has died, blocks outside heddle's
 * control, or computes without reaching a hook.
 *
 * The list of operations is in memory that the program could damage.  Its bounds are checked here
 * once: the data that an operation declares is within the list.  Code that iterates over the list
 * need not check again.
 */
#include "exec/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "wire/fault.h"
#include "base/hash.h"

#define SLEEP_NS 100000000L

int worker_start(struct worker *w, const struct worker_config *c, struct err *err)
{
	*w = (struct worker){ .config = *c, .session = { .fd = -1 } };
	bool has_threads = c->backend == BACKEND_THREADS;
	w->explore = (struct session_explore){
		.restart = has_threads			? RESTART_EXEC
			   : c->restart == RESTART_AUTO ? RESTART_INPLACE
							: c->restart,
		.step_limit = c->step_limit,
		.thread_limit = c->thread_limit,
		.round_limit = c->round_limit,
		.loop_limit = c->loop_limit,
		.counts_waits = c->counts_waits,
	};
	w->session_config = (struct session_config){
		.path = c->path,
		.argv = c->argv,
		.environment = c->environment,
		.policy = POLICY_EXPLORE,
		.until_event = UINT64_MAX,
		.backend = has_threads ? BACKEND_THREADS : BACKEND_FIBERS,
		.memory = c->memory,
		.heap = c->heap,
		.spurious_wakeups = c->spurious_wakeups,
		.mask = c->mask,
		.explore = &w->explore,
	};
	processor_init(&w->processor, c->worker, c->workers);
	return session_open(&w->session, &w->session_config, err);
}

/* ---- handover ---- */

static void wake_program(struct wire_explore *x)
{
	if (__atomic_load_n(&x->program_sleeps, __ATOMIC_SEQ_CST))
		syscall(SYS_futex, &x->go, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static bool is_done(const struct wire_explore *x, uint32_t number)
{
	return __atomic_load_n(&x->done, __ATOMIC_SEQ_CST) == number;
}

/* Resident memory of a process; 0 if unknown. */
static uint64_t memory_of(pid_t pid)
{
	char path[64], text[128];
	snprintf(path, sizeof(path), "/proc/%d/statm", (int)pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);
	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = 0;
	unsigned long long size = 0, resident = 0;
	if (sscanf(text, "%llu %llu", &size, &resident) != 2)
		return 0;
	return resident * (uint64_t)sysconf(_SC_PAGESIZE);
}

static bool must_stop(const struct worker_config *c)
{
	uint64_t end_by = c->end_by ? __atomic_load_n(c->end_by, __ATOMIC_RELAXED) : 0;
	return (c->stop && *c->stop) || (end_by && clock_now_ns() >= end_by);
}

/* Check the program; returns why its execution is lost, or NULL. */
static const char *check_program(struct worker *w)
{
	struct wire_explore *x = w->session.explore;
	w->is_cut = must_stop(&w->config);
	if (w->is_cut)
		return "the search was stopped";
	if (session_reap(&w->session)) {
		w->has_died = true;
		return "the program's process ended unexpectedly";
	}
	/* With fork another process runs the execution.  Its id comes from the program, and is
	 * only used to read /proc. */
	pid_t pid = x->process ? (pid_t)x->process : w->session.pid;
	if (w->config.memory_limit && memory_of(pid) > w->config.memory_limit) {
		w->has_died = true;
		snprintf(w->text, sizeof(w->text), "the program needs more than %llu megabytes",
			 (unsigned long long)w->config.memory_limit >> 20);
		return w->text;
	}
	if (w->watched != x->go)
		watchdog_init(&w->watchdog, pid, clock_now_ns());
	w->watched = x->go;
	w->watchdog.pid = pid;
	const char *call = "";
	switch (watchdog_check(&w->watchdog, w->session.shared, clock_now_ns(), &call)) {
	case WATCHDOG_ASLEEP:
		snprintf(w->text, sizeof(w->text),
			 "the program sleeps in %s() outside heddle's control", call);
		return w->text;
	case WATCHDOG_SPINNING:
		return "the program computes without passing a point that heddle controls";
	default:
		return NULL;
	}
}

/* Wait for the end of the execution; returns why it is lost, or NULL. */
static const char *await(struct worker *w, uint32_t number)
{
	struct wire_explore *x = w->session.explore;
	const struct timespec moment = { 0, SLEEP_NS };
	while (!is_done(x, number)) {
		__atomic_store_n(&x->tool_sleeps, 1, __ATOMIC_SEQ_CST);
		uint32_t seen = __atomic_load_n(&x->done, __ATOMIC_SEQ_CST);
		long rc = seen == number ? 0
					 : syscall(SYS_futex, &x->done, FUTEX_WAIT, seen, &moment,
						   NULL, 0);
		x->tool_sleeps = 0;
		if (!rc || (errno != ETIMEDOUT && errno != EINTR) || is_done(x, number))
			continue;
		const char *wrong = check_program(w);
		/* The program may have finished the execution just before it died. */
		if (wrong && !is_done(x, number))
			return wrong;
	}
	return NULL;
}

/* ---- the result ---- */

/* A hash of a list of ops.  Each word of an op has a chain of its own, as one chain of
 * multiplications would take four times as long. */
struct list_hash {
	uint64_t words[4];
};

static inline void mix(struct list_hash *h, const struct wire_op *op)
{
	uint64_t words[4];
	_Static_assert(sizeof(words) == sizeof(*op), "an op is four words");
	memcpy(words, op, sizeof(words));
	for (int i = 0; i < 4; i++) {
		h->words[i] = (h->words[i] ^ words[i]) * 0x9e3779b97f4a7c15ull;
		h->words[i] ^= h->words[i] >> 29;
	}
}

/* Check bounds, and compute the hash and properties of the whole execution. */
static bool read_list(const struct wire_explore *x, struct execution *out)
{
	out->ops = (const struct wire_op *)((const char *)x + x->ops_offset);
	out->ops_count = x->ops_count;
	if (out->ops_count > x->ops_room)
		return false;
	struct list_hash h = { { 1, 2, 3, 4 } };
	for (size_t i = 0; i < out->ops_count; i++) {
		uint64_t data = op_data(&out->ops[i]);
		if (data > out->ops_count - i - 1)
			return false;
		out->has_outside_writes |= out->ops[i].kind == EV_OUTSIDE_WRITE;
		for (; data; data--)
			mix(&h, &out->ops[i++]);
		mix(&h, &out->ops[i]);
	}
	out->hash = hash_bytes(0, &h, sizeof(h));
	return true;
}

static void lose_execution(struct worker *w, struct execution *out, const char *why)
{
	if (why != w->text)
		snprintf(w->text, sizeof(w->text), "%s", why);
	*out = (struct execution){ .end = EXPLORE_GONE,
				   .text = w->text,
				   .restart_used = w->explore.restart,
				   .is_cut = w->is_cut };
	session_kill(&w->session);
}

static void take_result(struct worker *w, struct execution *out)
{
	struct wire_explore *x = w->session.explore;
	memcpy(w->text, x->text, sizeof(w->text) - 1);
	*out = (struct execution){
		.end = x->end,
		.exit_status = (int)x->exit_status,
		.failure = x->failure,
		.failure_object = x->failure_object,
		.failure_detail = x->failure_detail,
		.diverged_turn = x->diverged_turn,
		.hooks = x->hooks,
		.restart_used = x->restart_used,
		.is_round_cut = x->is_round_cut,
		.polls_count = x->polls_count < WIRE_POLLS ? x->polls_count : WIRE_POLLS,
		.text = w->text,
	};
	memcpy(out->polls, x->polls, sizeof(out->polls));
	out->loop_hooks_count = x->loop_hooks_count < WIRE_LOOP_HOOKS ? x->loop_hooks_count
								      : WIRE_LOOP_HOOKS;
	memcpy(out->loop_hooks, x->loop_hooks, sizeof(out->loop_hooks));
	if (out->end == EXPLORE_GONE) {
		w->has_died = true;
		lose_execution(w, out, "the program's process ended unexpectedly");
		return;
	}
	if (!read_list(x, out))
		lose_execution(w, out, "the program damaged its list of operations");
}

static int start_process(struct worker *w, struct err *err)
{
	int rc = session_launch(&w->session, &w->session_config, err);
	if (rc)
		return rc;
	w->processes++;
	processor_follow(&w->processor, w->session.pid);
	return 0;
}

static void switch_to_fork(struct worker *w)
{
	w->explore.restart = w->session.explore->restart = RESTART_FORK;
	session_kill(&w->session);
}

/* If the program cannot be restarted in place, use fork from the next execution on. */
static void check_in_place(struct worker *w)
{
	static const char *const others[] = {
		[KEEPS_SIZE] = "it has too much writable memory",
		[KEEPS_BACKEND] = "its threads must be real ones",
		[KEEPS_STACKS] = "its threads have stacks of their own, or are too many",
		[KEEPS_HEAP] = "it uses too much heap",
		[KEEPS_OUTSIDE_WRITES] =
			"it has large variables and writes that heddle does not see",
	};
	struct wire_explore *x = w->session.explore;
	uint32_t call = x->not_in_place, other = x->keeps_other;
	if (!call && !other)
		return;
	if (call)
		snprintf(w->fallback, sizeof(w->fallback),
			 "executions are made by fork, because the program calls %s()",
			 watchdog_call_name((long)call - 1));
	else
		snprintf(w->fallback, sizeof(w->fallback),
			 "executions are made by fork, because %s",
			 other < sizeof(others) / sizeof(*others) && others[other] ? others[other]
										   : "of a limit");
	switch_to_fork(w);
}

static int run_once(struct worker *w, const struct plan *plan, struct execution *out,
		    struct err *err)
{
	struct wire_explore *x = w->session.explore;
	int rc = session_set_plan(&w->session, plan, err);
	if (rc)
		return rc;
	x->step_limit = w->config.step_limit;
	if (plan->most_hooks && (!x->step_limit || plan->most_hooks < x->step_limit))
		x->step_limit = plan->most_hooks;
	if (w->config.divided)
		w->session.shared->divided = *w->config.divided;
	uint32_t number = x->done + 1;
	x->text[0] = 0;
	x->end = EXPLORE_RUNNING;
	x->ops_count = 0;
	x->process = 0;
	processor_choose(&w->processor, w->session.pid, x->restart == RESTART_INPLACE);
	__atomic_store_n(&x->go, number, __ATOMIC_SEQ_CST);
	if (w->session.pid)
		wake_program(x);
	else
		rc = start_process(w, err);
	if (rc)
		return rc;
	const char *wrong = await(w, number);
	if (wrong) {
		x->done = number;
		lose_execution(w, out, wrong);
		return 0;
	}
	take_result(w, out);
	if (x->process_ends && x->restart != RESTART_FORK)
		session_kill(&w->session);
	if (x->restart == RESTART_INPLACE)
		check_in_place(w);
	if (!w->text[0])
		out->text = w->fallback;
	return 0;
}

/* ---- repeating ---- */

/*
 * Run with retries: the process may have been killed from outside, or have grown too large over
 * many executions.
 */
static int run_with_retries(struct worker *w, const struct plan *plan, struct execution *out,
			    struct err *err)
{
	int rc = 0;
	for (int tries = 0; tries < WORKER_TRIES && !rc; tries++) {
		w->has_died = w->is_cut = false;
		rc = run_once(w, plan, out, err);
		if (!w->has_died || must_stop(&w->config))
			break;
	}
	return rc;
}

static bool is_same(const struct execution *a, const struct execution *b)
{
	return a->end == b->end && a->ops_count == b->ops_count && a->hash == b->hash &&
	       a->hooks == b->hooks &&
	       (a->end != EXPLORE_EXIT || a->exit_status == b->exit_status) &&
	       (a->end != EXPLORE_FAILURE || a->failure == b->failure);
}

static int start_checker(struct worker *w, struct err *err)
{
	struct worker_config config = w->config;
	config.restart = RESTART_FORK;
	w->checker = mem_alloc(sizeof(*w->checker));
	int rc = worker_start(w->checker, &config, err);
	w->checker->processor.is_fixed = true; /* the worker itself sets the affinity */
	return rc;
}

/* Repeat an execution by the same means.  The two must be equal. */
static int run_twice(struct worker *w, const struct plan *plan, struct execution *out,
		     struct err *err)
{
	struct execution first = *out;
	int rc = run_with_retries(w, plan, out, err);
	if (!rc && out->end != EXPLORE_GONE)
		out->is_unstable = !is_same(&first, out);
	return rc;
}

/* Repeat an execution by fork.  If the two differ, the forked one is correct, and restarts in
 * place end. */
static int repeat(struct worker *w, const struct plan *plan, struct execution *out, struct err *err)
{
	struct execution other;
	int rc = w->checker ? 0 : start_checker(w, err);
	if (rc)
		return rc;
	session_copy_inputs(&w->checker->session, &w->session);
	rc = run_with_retries(w->checker, plan, &other, err);
	if (rc || other.end == EXPLORE_GONE)
		return rc;
	w->checks++;
	session_copy_inputs(&w->session, &w->checker->session);
	if (is_same(out, &other))
		return 0;
	/*
	 * Either state left in memory by executions in place is the cause, or the program is
	 * nondeterministic.
	 */
	rc = run_twice(w->checker, plan, &other, err);
	if (rc || other.end == EXPLORE_GONE)
		return rc;
	*out = other;
	if (!w->fallback[0])
		snprintf(w->fallback, sizeof(w->fallback),
			 "executions are made by fork, because one in place differed from its "
			 "repetition");
	switch_to_fork(w);
	return 0;
}

/* Kind and place of the failure, and the output: what distinguishes findings and outcomes. */
static uint64_t failure_key(const struct execution *x)
{
	uint64_t key = hash_mix(1, x->failure);
	OPS_EACH (op, x->ops, x->ops_count) {
		if (op->kind == EV_FAILURE) {
			if (!FAULT(FAILURE_WITHOUT_PLACE))
				key = hash_mix(key, op->pc);
		}
		if (FAULT(FAILURE_WITHOUT_OUTPUT))
			continue;
		if (op->kind == OP_OUTPUT)
			key = hash_bytes(hash_mix(key, op->object), op + 1, op->size);
	}
	return key;
}

/* Whether no earlier execution failed in the same way. */
static bool is_new_failure(struct worker *w, const struct execution *x)
{
	bool is_new = false;
	if (FAULT(FAILURE_NEVER_NEW))
		return false;
	if (x->end == EXPLORE_FAILURE)
		map_put(&w->failures, failure_key(x), &is_new);
	return is_new;
}

/* In place, a process makes many executions, and check_program() only runs in long ones. */
static void check_size(struct worker *w)
{
	if (w->config.memory_limit && w->session.pid && w->executions % WORKER_CHECK_EVERY == 0 &&
	    memory_of(w->session.pid) > w->config.memory_limit)
		session_kill(&w->session);
}

int worker_run(struct worker *w, const struct plan *plan, struct execution *out, struct err *err)
{
	check_size(w);
	int rc = run_with_retries(w, plan, out, err);
	if (rc || out->end == EXPLORE_GONE || w->config.is_trusted)
		return rc;
	bool is_due = w->executions++ % WORKER_CHECK_EVERY == 0;
	if (out->restart_used != RESTART_INPLACE)
		return is_due ? run_twice(w, plan, out, err) : 0;
	return is_new_failure(w, out) || is_due ? repeat(w, plan, out, err) : 0;
}

void worker_limit_steps(struct worker *w, uint64_t steps)
{
	w->config.step_limit = w->explore.step_limit = steps;
	if (w->checker)
		worker_limit_steps(w->checker, steps);
}

void worker_limit_threads(struct worker *w, uint64_t threads)
{
	w->config.thread_limit = w->explore.thread_limit = threads;
	w->session.explore->thread_limit = threads;
	if (w->checker)
		worker_limit_threads(w->checker, threads);
}

void worker_limit_rounds(struct worker *w, uint64_t rounds)
{
	w->config.round_limit = w->explore.round_limit = rounds;
	w->session.explore->round_limit = rounds;
	if (w->checker)
		worker_limit_rounds(w->checker, rounds);
}

void worker_limit_loops(struct worker *w, uint64_t rounds)
{
	w->config.loop_limit = w->explore.loop_limit = rounds;
	w->session.explore->loop_limit = rounds;
	if (w->checker)
		worker_limit_loops(w->checker, rounds);
}

void worker_release(struct worker *w)
{
	if (w->checker)
		worker_release(w->checker);
	mem_free(w->checker);
	map_release(&w->failures);
	processor_leave(&w->processor);
	session_release(&w->session);
}
