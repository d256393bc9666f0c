/* SPDX-License-Identifier: Apache-2.0 */
/*
 * validate [--prefix]: reads a trace in text form and checks that some machine could have behaved
 * like this.
 *
 * It keeps the simplest possible model of that machine (who runs, who holds which lock, what
 * every byte contains, which blocks live, which thread waits for what, how late it must be at least) and
 * steps through the events.  The first event that the model forbids is printed, with status 1;
 * otherwise "OK" and a few counts. It shares no code and no header with the tool, only the
 * documented text form, so that an error in the runtime, the decoder or the trace library cannot
 * hide behind itself.
 *
 * Time is a lower bound: the largest clock value from which a chain of program order, lock
 * hand-over, fork, join, signal and reads-from leads here; a thread that looks at the clock must
 * see more.
 *
 * --prefix: the trace was cut off, so it need not end with the end of the process.
 */
#include "../record_vs_validator/validator/memory.h"
#include "../record_vs_validator/validator/signals.h"

static void do_nothing(const struct event *e)
{
	(void)e;
}

static const struct {
	const char *kind;
	enum next as; /* which expectation it meets */
	void (*apply)(const struct event *e);
} rules[] = {
	{ "read", NEXT_ANY, do_read },
	{ "write", NEXT_ANY, do_write },
	{ "rmw", NEXT_ANY, do_rmw },
	{ "flush", NEXT_CHECKED, do_flush },
	{ "await", NEXT_ANY, do_nothing },
	{ "frame-left", NEXT_ANY, do_nothing },
	{ "flush-turn", NEXT_CHECKED, do_flush_turn },
	{ "initial", NEXT_ANY, do_initial },
	{ "outside-write", NEXT_ANY, do_outside_write },
	{ "alloc", NEXT_ANY, do_alloc },
	{ "resize", NEXT_ANY, do_resize },
	{ "free", NEXT_ANY, do_free },
	{ "request", NEXT_REQUEST, do_request },
	{ "acquire", NEXT_ACQUIRE, do_acquire },
	{ "release", NEXT_RELEASE, do_release },
	{ "try-fail", NEXT_CHECKED, do_try_fail },
	{ "ask", NEXT_ANY, do_ask },
	{ "annotation", NEXT_ANY, do_nothing },
	{ "timeout", NEXT_CHECKED, do_timeout },
	{ "init", NEXT_ANY, do_init },
	{ "destroy", NEXT_ANY, do_destroy },
	{ "orphan", NEXT_ANY, do_orphan },
	{ "consistent", NEXT_ANY, do_consistent },
	{ "sem-post", NEXT_ANY, do_sem_post },
	{ "sem-wait", NEXT_SEM_WAIT, do_sem_wait },
	{ "barrier-in", NEXT_ANY, do_barrier_in },
	{ "barrier-out", NEXT_BARRIER_OUT, do_barrier_out },
	{ "wait", NEXT_ANY, do_wait },
	{ "wake", NEXT_WAKE, do_wake },
	{ "signal", NEXT_ANY, do_signal },
	{ "broadcast", NEXT_ANY, do_broadcast },
	{ "fork", NEXT_ANY, do_fork },
	{ "begin", NEXT_BEGIN, do_begin },
	{ "end", NEXT_ANY, do_end },
	{ "join-wait", NEXT_ANY, do_join_wait },
	{ "join", NEXT_ANY, do_join },
	{ "detach", NEXT_ANY, do_detach },
	{ "sleep", NEXT_ANY, do_sleep },
	{ "clock", NEXT_ANY, do_clock },
	{ "choice", NEXT_ANY, do_choice },
	{ "process-end", NEXT_ANY, do_process_end },
	{ "fence", NEXT_ANY, do_nothing },
	{ "branch", NEXT_ANY, do_nothing },
	{ "yield", NEXT_ANY, do_nothing },
	{ "hidden", NEXT_ANY, do_nothing },
	{ "thread-name", NEXT_ANY, do_nothing },
	{ "input", NEXT_ANY, do_nothing },
	{ "input-data", NEXT_ANY, do_nothing },
	{ "io-wait", NEXT_ANY, do_nothing },
	{ "io-time", NEXT_ANY, do_nothing },
	{ "open", NEXT_ANY, do_nothing },
	{ "use", NEXT_ANY, do_nothing },
	{ "close", NEXT_ANY, do_nothing },
	{ "once-begin", NEXT_ANY, do_once },
	{ "once-end", NEXT_ANY, do_once },
	{ "cancel", NEXT_ANY, do_cancel },
	{ "cancelled", NEXT_CHECKED, do_cancelled },
	{ "kill", NEXT_ANY, do_kill },
	{ "handler-begin", NEXT_CHECKED, do_handler_begin },
	{ "handler-end", NEXT_ANY, do_handler_end },
	{ "signal-taken", NEXT_ANY, do_signal_taken },
};
#define RULES (sizeof(rules) / sizeof(*rules))

static uint64_t locations, stacks;
static uint64_t fact_events = NONE, fact_exit = NONE;
static bool last_is_failure;

static void do_failure(const struct event *e)
{
	threads[e->thread].failure = e->a;
	threads[e->thread].failure_obj = e->obj;
}

/* Is this the event that the thread must make now? */
static void check_expectation(const struct event *e, enum next as)
{
	const struct thread *t = &threads[e->thread];
	bool comes_alone = as != NEXT_BEGIN && as != NEXT_WAKE && as != NEXT_BARRIER_OUT;
	if (as == NEXT_CHECKED || (t->next == NEXT_ANY && comes_alone))
		return;
	if (t->next != as)
		violation("T%" PRIu64 " makes '%s', but its next event must be: %s", e->thread,
			  e->kind, next_words[t->next]);
	if (as != NEXT_BEGIN && e->obj != t->obj)
		violation("T%" PRIu64 " makes '%s' of 0x%" PRIx64 " instead of 0x%" PRIx64,
			  e->thread, e->kind, e->obj, t->obj);
}

static void apply(const struct event *e)
{
	if (has_ended)
		violation("there is an event after the end of the process");
	if (e->location > locations || e->stack > stacks)
		violation("the event's location or stack has not been defined");
	if (e->thread >= THREADS)
		violation("there is no T%" PRIu64, e->thread);
	last_is_failure = !strcmp(e->kind, "failure");
	if (!strcmp(e->kind, "switch")) {
		do_switch(e);
		return;
	}
	if (e->thread != running)
		violation("T%" PRIu64 " makes '%s' while T%" PRIu64 " runs", e->thread, e->kind,
			  running);
	if (last_is_failure) {
		do_failure(e);
		return;
	}
	unsigned i = 0;
	while (i < RULES && strcmp(rules[i].kind, e->kind))
		i++;
	if (i == RULES)
		violation("'%s' is not a known kind of event", e->kind);
	check_order(e);
	check_expectation(e, rules[i].as);
	if (rules[i].as == NEXT_ACQUIRE)
		threads[e->thread].next = NEXT_ANY;
	rules[i].apply(e);
	threads[e->thread].failure = 0;
	threads[e->thread].is_asleep = rules[i].apply == do_sleep;
}

/* fact NAME "VALUE" */
static void note_fact(const char *line)
{
	uint64_t n;
	if (sscanf(line, "fact events \"%" SCNu64 "\"", &n) == 1)
		fact_events = n;
	if (sscanf(line, "fact end \"exit %" SCNu64 "\"", &n) == 1)
		fact_exit = n;
}

static void check_end(bool is_prefix, bool has_end_mark)
{
	if (is_prefix)
		return;
	if (!has_end_mark)
		violation("the trace has no end mark");
	if (!has_ended && !last_is_failure)
		violation("the trace ends without the end of the process and without a failure");
	if (fact_events != NONE && fact_events != event_number)
		violation("the trace says that it has %" PRIu64 " events", fact_events);
	if (has_ended && fact_exit != NONE && fact_exit != exit_status)
		violation("the process ends with %" PRIu64 ", the trace says %" PRIu64, exit_status,
			  fact_exit);
}

int main(int argc, char **argv)
{
	bool is_prefix = argc == 2 && !strcmp(argv[1], "--prefix");
	if (argc > 2 || (argc == 2 && !is_prefix)) {
		fprintf(stderr, "usage: validate [--prefix] <TRACE-AS-TEXT\n");
		return 2;
	}
	char *line = NULL;
	size_t space = 0;
	ssize_t len;
	bool has_end_mark = false;
	/* The first thread exists from the beginning; nobody created it. */
	new_thread(0)->creator = UINT32_MAX;
	while ((len = getline(&line, &space, stdin)) > 0) {
		line_number++;
		line[strcspn(line, "\n")] = 0;
		if (has_end_mark)
			violation("there is something after the end mark");
		if (line[0] == 'T') {
			struct event e = parse_event(line);
			apply(&e);
			event_number++;
		} else if (!strncmp(line, "location ", 9)) {
			locations++;
		} else if (!strncmp(line, "stack ", 6)) {
			stacks++;
		} else if (!strncmp(line, "region ", 7)) {
			note_region(line);
		} else if (!strncmp(line, "fact ", 5)) {
			note_fact(line);
			note_model(line);
		} else if (!strcmp(line, "end")) {
			has_end_mark = true;
		} else if (line[0] && line[0] != '#' && strncmp(line, "heddle-trace ", 13)) {
			unreadable("this is no line of a trace");
		}
	}
	free(line);
	if (!event_number)
		unreadable("there are no events");
	check_end(is_prefix, has_end_mark);
	printf("OK %" PRIu64 " events, %" PRIu64 " threads, %" PRIu64 " outside writes\n",
	       event_number, thread_total, outside_writes);
	return 0;
}
