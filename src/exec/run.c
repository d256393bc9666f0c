/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The loop between ring and decoder; see run.h.
 *
 * Words are copied out of the shared ring before they are decoded, in pieces that fit into the
 * first-level cache.  The program may write to the ring at any time, and the words that were
 * checked must be those that are used.
 *
 * Waiting is adaptive: a few yields while the program is likely to write soon, then sleeps that
 * double up to a millisecond.  A signal to the tool or the end of the program ends a sleep early.
 */
#include "exec/run.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "exec/watchdog.h"

#define PIECE 1024u	   /* words copied at once */
#define SLEEP_MAX 1000000u /* nanoseconds */
#define YIELDS 20u
/*
 * with fewer words the tool waits before it reads again: otherwise both sides contend for the
 * same cache lines
 */
#define BATCH 8192u
#define GRACE 3000000000ull /* nanoseconds until an interrupted program is killed */

struct runner {
	const struct run_options *o;
	struct session session;
	struct decoder *d;
	struct run_result *r;
	struct watchdog watchdog;
	uint64_t tail;
	uint64_t *piece;
	size_t piece_words; /* its capacity; grows for long records */
	int signal_fd, pid_fd;
	struct debugger debugger;
	sigset_t mask;	   /* of the tool before the run */
	uint64_t deadline; /* UINT64_MAX: none */
	uint64_t kill_at;  /* an interrupted program is killed then */
	bool has_passed_signal;
	bool decoding; /* false once the stream is damaged or an error is on its way */
};

/*
 * A program that waits for space is woken when half of the ring is free, not after every piece:
 * otherwise most of the time would go into context switches.  The program also checks by itself
 * from time to time.
 */
static void publish_tail(struct runner *x, uint64_t head)
{
	struct wire_session *s = x->session.shared;
	__atomic_store_n(&s->tail, x->tail, __ATOMIC_SEQ_CST);
	if (head - x->tail <= x->session.ring_words / 2 &&
	    __atomic_load_n(&s->waiting_for_space, __ATOMIC_SEQ_CST)) {
		__atomic_store_n(&s->waiting_for_space, 0, __ATOMIC_SEQ_CST);
		syscall(SYS_futex, &s->waiting_for_space, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
	}
}

static void end_with(struct runner *x, enum run_end end)
{
	x->r->end = end;
	x->session.shared->tool_gone = 1;
	session_signal(&x->session, SIGKILL);
}

/*
 * Decode the content of the ring.  *moved becomes the number of words.  A damaged stream ends the
 * run; an error of the sink is returned.
 */
static int drain(struct runner *x, uint64_t *moved, struct err *err)
{
	uint64_t head = __atomic_load_n(&x->session.shared->head, __ATOMIC_ACQUIRE);
	*moved = 0;
	while (x->decoding && head != x->tail) {
		uint64_t there = head - x->tail;
		if (there > x->session.ring_words) {
			x->decoding = false;
			err_set(&x->r->text, ERR_PROGRAM,
				"the program damaged its event stream at word %llu: its end is out "
				"of range",
				(unsigned long long)x->tail);
			end_with(x, RUN_DAMAGED);
			return 0;
		}
		size_t count = there < x->piece_words ? there : x->piece_words, used;
		memcpy(x->piece, x->session.ring + (x->tail & (x->session.ring_words - 1)),
		       count * 8);
		int rc = decode_words(x->d, x->piece, count, &used, err);
		x->tail += used;
		*moved += used;
		publish_tail(x, head);
		if (rc == -ERR_PROGRAM) {
			x->decoding = false;
			x->r->text = *err;
			end_with(x, RUN_DAMAGED);
			return 0;
		}
		if (rc)
			return rc;
		if (!used && count == there)
			break; /* the record is not complete yet */
		if (!used) {
			x->piece_words *= 2;
			x->piece = mem_resize(x->piece, x->piece_words, sizeof(*x->piece));
		}
	}
	return 0;
}

/* "thread 2 at foo.c:12 (last event 1234)" */
static void last_seen(struct runner *x, char *text, size_t size)
{
	const struct location *l = &x->d->tables.locations.at[x->d->last_loc];
	unsigned long long events = x->d->events;
	if (x->d->last_loc && l->file[0])
		snprintf(text, size, "thread %u at %s:%u (last event %llu)", x->d->thread, l->file,
			 l->line, events);
	else
		snprintf(text, size, "thread %u (last event %llu)", x->d->thread, events);
}

/* The program handles the signal, or waits for it, and may go on or end in an orderly way.  Once:
 * the next signal ends the run. */
static bool is_for_program(struct runner *x, const struct signalfd_siginfo *info)
{
	uint64_t heard = x->session.shared->signals_heard;
	if (x->has_passed_signal || !(heard >> (info->ssi_signo - 1) & 1))
		return false;
	x->has_passed_signal = true;
	return true;
}

static void handle_signals(struct runner *x, uint64_t now)
{
	struct signalfd_siginfo info;
	while (x->signal_fd >= 0 && read(x->signal_fd, &info, sizeof(info)) == sizeof(info)) {
		if (x->o->debugger && info.ssi_signo == SIGINT)
			continue; /* Ctrl-C is for the debugger */
		bool is_passed = is_for_program(x, &info);
		bool is_second = x->r->end == RUN_INTERRUPTED;
		/* The terminal sends signals to the whole foreground group, so the program has it
		 * already. */
		if (info.ssi_code != SI_KERNEL)
			session_signal(&x->session, (int)info.ssi_signo);
		if (is_passed)
			continue;
		x->r->end = RUN_INTERRUPTED;
		err_set(&x->r->text, ERR_IO, "interrupted by SIG%s",
			sigabbrev_np((int)info.ssi_signo));
		if (is_second || x->o->is_dispensable)
			session_signal(&x->session, SIGKILL);
		else
			x->kill_at = now + GRACE;
	}
	if (now >= x->kill_at)
		session_signal(&x->session, SIGKILL);
}

static void watch(struct runner *x)
{
	uint64_t now = clock_now_ns();
	handle_signals(x, now);
	if (x->r->end != RUN_ENDED)
		return;
	if (x->o->debugger && debugger_reap(&x->debugger)) {
		bool was_attached = x->session.shared->debugger == DEBUGGER_ATTACHED;
		err_set(&x->r->text, ERR_SUPPORT,
			was_attached ? "the debugger was left before the end of the run"
				     : "gdb did not attach to the program");
		end_with(x, was_attached ? RUN_LEFT : RUN_NOT_ATTACHED);
		return;
	}
	if (now >= x->deadline) {
		err_set(&x->r->text, ERR_IO,
			"the program did not end within %llu seconds and was stopped",
			(unsigned long long)x->o->timeout);
		end_with(x, RUN_TIMEOUT);
		return;
	}
	const char *call = "";
	enum watchdog_verdict verdict = watchdog_check(&x->watchdog, x->session.shared, now, &call);
	if (verdict == WATCHDOG_FINE)
		return;
	char where[512], text[1024];
	last_seen(x, where, sizeof(where));
	if (verdict == WATCHDOG_SPINNING) {
		err_set(&x->r->text, ERR_PROGRAM,
			"the program computes without passing a point that heddle controls, in %s",
			where);
		end_with(x, RUN_SPINNING);
		return;
	}
	snprintf(text, sizeof(text),
		 "the program sleeps in %s() outside heddle's control, called from %s", call,
		 where);
	if (verdict == WATCHDOG_WARN) {
		x->o->warn(x->o->warn_arg, text);
		return;
	}
	err_set(&x->r->text, ERR_PROGRAM, "%s", text);
	end_with(x, RUN_ASLEEP);
}

static void wait_a_little(struct runner *x, unsigned *idle)
{
	if ((*idle)++ < YIELDS) {
		sched_yield();
		return;
	}
	unsigned doublings = *idle - YIELDS < 7 ? *idle - YIELDS : 7;
	long ns = 10000L << doublings;
	struct timespec t = { 0, ns < (long)SLEEP_MAX ? ns : (long)SLEEP_MAX };
	struct pollfd fds[3] = { { .fd = x->signal_fd, .events = POLLIN },
				 { .fd = x->pid_fd, .events = POLLIN },
				 { .fd = x->debugger.fd, .events = POLLIN } };
	ppoll(fds, 3, &t, NULL);
}

static int follow(struct runner *x, struct err *err)
{
	unsigned idle = 0, round = 0;
	for (;;) {
		/*
		 * Check before draining: then everything that the program wrote before its death
		 * is in the ring.
		 */
		bool gone = (idle || !(++round & 63)) && session_reap(&x->session);
		/*
		 * gdb sends questions while the program is stopped, so all events up to then are
		 * in the ring.
		 */
		bool has_question = x->o->debugger && debugger_has_question(&x->debugger);
		uint64_t moved;
		int rc = drain(x, &moved, err);
		if (rc)
			return rc;
		if (has_question)
			debugger_answer(&x->debugger);
		if (gone)
			return 0;
		if (moved >= BATCH && round & 63) {
			idle = 0;
			continue;
		}
		watch(x);
		if (moved)
			idle = moved >= BATCH ? 0 : YIELDS;
		if (moved < BATCH)
			wait_a_little(x, &idle);
	}
}

/* The user may keep using the debugger after the program has ended. */
static void wait_for_debugger(struct runner *x)
{
	unsigned idle = YIELDS;
	if (x->pid_fd >= 0)
		close(x->pid_fd);
	x->pid_fd = -1;
	while (!debugger_reap(&x->debugger)) {
		debugger_answer(&x->debugger);
		handle_signals(x, clock_now_ns());
		if (x->r->end == RUN_INTERRUPTED)
			return;
		wait_a_little(x, &idle);
	}
}

static int follow_with_debugger(struct runner *x, struct err *err)
{
	int rc = debugger_start(&x->debugger, x->o->debugger, x->o->session.path, x->session.pid,
				&x->mask, err);
	if (rc)
		return rc;
	rc = follow(x, err);
	if (rc)
		session_signal(&x->session, SIGKILL);
	wait_for_debugger(x);
	return rc;
}

/* Receive signals that are not ignored through a descriptor; the program gets the original mask. */
static void catch_signals(struct runner *x)
{
	static const int wanted[] = { SIGINT, SIGTERM, SIGHUP };
	sigset_t set;
	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		struct sigaction now;
		if (!sigaction(wanted[i], NULL, &now) && now.sa_handler != SIG_IGN)
			sigaddset(&set, wanted[i]);
	}
	sigprocmask(SIG_BLOCK, &set, &x->mask);
	x->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static void conclude(struct runner *x)
{
	const struct wire_session *s = x->session.shared;
	struct run_result *r = x->r;
	r->wait_status = x->session.wait_status;
	r->hooks = s->hooks;
	r->concurrent_hooks = s->concurrent_hooks;
	r->diverged = s->diverged;
	r->diverged_reason = s->diverged_reason;
	r->diverged_step = s->diverged_step;
	r->diverged_hooks = s->diverged_hooks;
	r->diverged_call = s->diverged_call;
	r->diverged_wanted = s->diverged_wanted;
	r->diverged_thread = s->diverged_thread;
	if (r->end != RUN_ENDED)
		return;
	if (s->stopped_at_until)
		r->end = RUN_UNTIL;
	/* gdb kills the program when the user quits. */
	if (x->o->debugger && WIFSIGNALED(r->wait_status) && WTERMSIG(r->wait_status) == SIGKILL) {
		r->end = RUN_LEFT;
		err_set(&r->text, ERR_IO, "the debugger was left before the end of the run");
	}
	if (!x->d->words) {
		r->end = RUN_UNCONTROLLED;
		if (WIFEXITED(r->wait_status))
			err_set(&r->text, ERR_PROGRAM,
				"the program ended with status %d before heddle's runtime took "
				"control of it",
				WEXITSTATUS(r->wait_status));
		else
			err_set(&r->text, ERR_PROGRAM,
				"the program was killed by SIG%s before heddle's runtime took "
				"control of it",
				sigabbrev_np(WTERMSIG(r->wait_status)));
	}
}

int run_program(const struct run_options *o, struct decoder *d, struct run_result *r,
		struct err *err)
{
	struct runner x = { .o = o,
			    .d = d,
			    .r = r,
			    .signal_fd = -1,
			    .pid_fd = -1,
			    .decoding = true,
			    .session = { .fd = -1 },
			    .debugger = { .fd = -1 },
			    .piece_words = PIECE,
			    .kill_at = UINT64_MAX };
	*r = (struct run_result){ 0 };
	x.piece = mem_alloc(x.piece_words * sizeof(*x.piece));
	catch_signals(&x);
	struct session_config config = o->session;
	config.mask = &x.mask;
	int rc = session_start(&x.session, &config, err);
	if (!rc) {
		uint64_t now = clock_now_ns();
		x.deadline = o->timeout	 ? now + o->timeout * NS_PER_SECOND
			     : o->end_by ? o->end_by
					 : UINT64_MAX;
		watchdog_init(&x.watchdog, x.session.pid, now);
		x.pid_fd = (int)syscall(SYS_pidfd_open, x.session.pid, 0);
		rc = o->debugger ? follow_with_debugger(&x, err) : follow(&x, err);
	}
	if (!rc)
		conclude(&x);
	if (x.pid_fd >= 0)
		close(x.pid_fd);
	debugger_release(&x.debugger);
	session_release(&x.session);
	if (x.signal_fd >= 0)
		close(x.signal_fd);
	sigprocmask(SIG_SETMASK, &x.mask, NULL);
	mem_free(x.piece);
	return rc;
}
