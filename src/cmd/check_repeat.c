/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An execution that matters is made again with all its events, so that a report can show it and a witness can
 * have it replayed.  The program's output is not shown a second time unless it goes to a terminal, which
 * programs can tell from other places.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "cmd/check.h"
#include "cmd/cmd.h"

#define INPUT_PIPE_MAX (1 << 20)	/* what the system allows anybody */

/* ---- kinds ---- */

static const struct {
	uint32_t number;
	enum finding_kind kind;
} failure_kinds[] = {
#define FAILURE(number, NAME, KIND, sentence) { number, FINDING_##KIND },
#include "wire/failure.def"
};

static const enum finding_kind all_kinds[] = {
#define FINDING_KIND(NAME, name) FINDING_##NAME,
#include "wire/failure.def"
};

int check_kind(const char *name, size_t len)
{
	for (size_t i = 0; i < sizeof(all_kinds) / sizeof(all_kinds[0]); i++) {
		const char *word = finding_kind_name(all_kinds[i]);
		if (strlen(word) == len && !memcmp(word, name, len))
			return (int)all_kinds[i];
	}
	return -1;
}

bool check_wants_kind(const struct check_options *o, enum finding_kind kind)
{
	if (!o->kinds)
		return true;
	for (const char *at = o->kinds; *at; at += *at == ',') {
		size_t len = strcspn(at, ",");
		if (check_kind(at, len) == (int)kind)
			return true;
		at += len;
	}
	return false;
}

int check_failure_kind(uint32_t failure)
{
	for (size_t i = 0; i < sizeof(failure_kinds) / sizeof(failure_kinds[0]); i++)
		if (failure_kinds[i].number == failure)
			return (int)failure_kinds[i].kind;
	return -1;
}

bool check_wants_failure(const struct check_options *o, uint32_t failure)
{
	int kind = check_failure_kind(failure);
	return kind < 0 || check_wants_kind(o, (enum finding_kind)kind);
}

/* ---- races: the two accesses in the execution that shows them ---- */

struct race_watch {
	struct check_repeat *repeat;
	const struct race *race;
	struct scene_place first, second;
	uint64_t object, event;
	uint8_t first_kind, second_kind;
	bool has_both;
	struct scene_steps steps;
};

static uint64_t pc_of(const struct observer *o, const struct event *e)
{
	const struct trace_tables *t = &o->decoder->tables;
	const struct location *l = &t->locations.at[e->loc];
	return e->loc ? t->regions.at[l->region].start + l->offset : 0;
}

/* The last access of the one before the first of the other that follows it. */
static int watch(void *arg, const struct event *e, struct err *err)
{
	(void)err;
	struct race_watch *w = arg;
	if (w->has_both ||
	    (e->kind != EV_READ && e->kind != EV_WRITE && e->kind != EV_RMW && e->kind != EV_FREE))
		return 0;
	uint64_t pc = pc_of(&w->repeat->observer, e);
	if (e->thread == w->race->first_thread && pc == w->race->first_pc) {
		w->first = scene_place_of(e);
		w->first_kind = e->kind;
		w->object = e->obj;
	} else if (e->thread == w->race->second_thread && pc == w->race->second_pc && w->first_kind) {
		w->second = scene_place_of(e);
		w->second_kind = e->kind;
		w->has_both = w->object < e->obj + e->size && e->obj < w->object + 8;
		w->event = e->index;
		if (w->has_both)
			scene_last_steps(&w->repeat->observer.scene, &w->steps);
	}
	return 0;
}

static const char *access_word(uint8_t kind)
{
	return kind == EV_READ ? "reads" : kind == EV_FREE ? "frees" : kind == EV_RMW ? "changes" : "writes";
}

static void add_race(struct check_repeat *repeat, const struct race_watch *w)
{
	struct observer *o = &repeat->observer;
	struct finding f = { .kind = FINDING_RACE,
			     .status = FINDING_OBSERVED,
			     .event = w->event,
			     .count = w->race->executions };
	struct buf first = {0}, second = {0}, object = {0};
	names_thread(&o->names, w->first.thread, &first);
	names_thread(&o->names, w->second.thread, &second);
	names_object(&o->names, w->object, &object);
	struct buf message = {0};
	buf_printf(&message, "%s %s %s and %s %s it, in no order", first.at, access_word(w->first_kind),
		   object.at, second.at, access_word(w->second_kind));
	f.message = buf_take(&message);
	finding_add_place(&f, &w->first, "%s %s %s", first.at, access_word(w->first_kind), object.at);
	finding_add_place(&f, &w->second, "%s %s it", second.at, access_word(w->second_kind));
	vec_push(&f.objects, w->object);
	f.steps = w->steps;
	vec_push(&o->findings.list, f);
	buf_release(&first);
	buf_release(&second);
	buf_release(&object);
}

/* ---- the execution ---- */

/* Descriptors that are no terminals lead nowhere for a while; gives what they were. */
static void hide_output(int kept[2])
{
	fflush(NULL);
	for (int i = 0; i < 2; i++) {
		kept[i] = -1;
		int nowhere = isatty(i + 1) ? -1 : open("/dev/null", O_WRONLY | O_CLOEXEC);
		if (nowhere < 0)
			continue;
		kept[i] = fcntl(i + 1, F_DUPFD_CLOEXEC, 3);
		dup2(nowhere, i + 1);
		close(nowhere);
	}
}

static void show_output(const int kept[2])
{
	for (int i = 0; i < 2; i++) {
		if (kept[i] < 0)
			continue;
		dup2(kept[i], i + 1);
		close(kept[i]);
	}
}

static struct check_repeat *add_repeat(struct check *c, size_t *index)
{
	struct check_repeat *r = mem_zero(1, sizeof(*r));
	*index = c->repeats.len;
	vec_push(&c->repeats, r);
	return r;
}

/* By a signal from outside: what the program does to itself is a finding. */
static bool was_killed(const struct check_repeat *r)
{
	return (r->result.end == RUN_ENDED || r->result.end == RUN_UNCONTROLLED) &&
	       WIFSIGNALED(r->result.wait_status) && !r->observer.findings.list.len;
}

/* What the watchdog says in passing was said while the search ran. */
static void ignore(void *arg, const char *text)
{
	(void)arg;
	(void)text;
}

/*
 * What the search read from standard input is there again, through a pipe, as it was for the search; gives
 * what it was before.  -1: nothing is known of it, or it does not fit, and it stays.
 */
static int give_input(const struct check *c)
{
	const struct wire_explore *x = c->outside ? c->outside->explore : NULL;
	size_t count = x && x->input_count <= x->input_room ? (size_t)x->input_count : 0;
	int ends[2], kept = -1;
	if (!x || (!count && !x->input_has_ended) || pipe2(ends, O_CLOEXEC | O_NONBLOCK))
		return -1;
	fcntl(ends[1], F_SETPIPE_SZ, (int)(count < INPUT_PIPE_MAX ? count + 1 : INPUT_PIPE_MAX));
	bool fits = !file_write_fd(ends[1], (const char *)x + x->input_offset, count);
	if (fits && !fcntl(ends[0], F_SETFL, 0)) {
		kept = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
		if (kept >= 0)
			dup2(ends[0], STDIN_FILENO);
	}
	close(ends[0]);
	close(ends[1]);
	return kept;
}

static int run_once(struct check *c, struct check_repeat *r, const struct run_options *run,
		    struct race_watch *w, struct err *err)
{
	observer_init(&r->observer, c->program.path.at, true);
	if (w->race) {
		r->observer.judge = watch;
		r->observer.judge_arg = w;
	}
	int kept[2];
	hide_output(kept);
	int input = give_input(c);
	int rc = observer_run(&r->observer, run, &r->result, err);
	if (input >= 0) {
		dup2(input, STDIN_FILENO);
		close(input);
	}
	show_output(kept);
	r->observer.judge = NULL;
	return rc;
}

int check_repeat(struct check *c, const struct plan *plan, const struct race *race, const char *witness,
		 size_t *index, struct err *err)
{
	struct session_explore explore = {
		.restart = RESTART_EXEC,
		.step_limit = c->options.steps,
		.recorded = plan,
	};
	struct run_options run = {
		.session = {
			.path = c->program.path.at,
			.argv = c->argv,
			.policy = POLICY_EXPLORE,
			.step_limit = c->options.steps,
			.until_event = UINT64_MAX,
			.memory = (enum wire_memory)c->options.memory,
			.heap = (enum wire_heap)c->options.heap,
			.spurious_wakeups = (uint32_t)c->options.spurious,
			.backend = (enum wire_backend)c->options.backend,
			.explore = &explore,
		},
		.end_by = c->end_by,
		.is_dispensable = true,
		.warn = ignore,
	};
	/* One that was given up, because it had more operations than fit, is not longer now. */
	if (!c->options.steps && c->result.most_hooks)
		explore.step_limit = run.session.step_limit = 2 * c->result.most_hooks + 1000;
	struct check_repeat *r = add_repeat(c, index);
	struct race_watch w = { .repeat = r, .race = race };
	int rc = run_once(c, r, &run, &w, err);
	/* As in the search (worker.h). */
	for (int tries = 1; tries < WORKER_TRIES && !rc && was_killed(r); tries++) {
		vec_release(&w.steps.events);
		w = (struct race_watch){ .repeat = r, .race = race };
		observer_release(&r->observer);
		rc = run_once(c, r, &run, &w, err);
	}
	if (rc)
		return rc;
	r->is_done = true;
	if (race && w.has_both)
		add_race(r, &w);
	r->is_whole = r->result.end != RUN_TIMEOUT && r->result.end != RUN_INTERRUPTED;
	c->is_cut |= !r->is_whole;
	if (!witness || !r->is_whole)
		return 0;
	/* What was found is told also where no witness can be written. */
	struct err why;
	if (execution_write_witness(&r->observer, &c->program, c->argv, &run, witness, &why)) {
		if (!c->no_witness.text[0])
			c->no_witness = why;
		return 0;
	}
	buf_str(&r->witness, witness);
	for (size_t i = 0; i < r->observer.findings.list.len; i++)
		r->observer.findings.list.at[i].witness = mem_strdup(witness);
	return 0;
}

void check_name(struct check *c, enum finding_kind kind, uint64_t executions, const char *why, size_t *index)
{
	if (*index == NO_REPEAT)
		observer_init(&add_repeat(c, index)->observer, c->program.path.at, true);
	struct check_repeat *r = c->repeats.at[*index];
	struct buf message = {0};
	buf_printf(&message, "found in %llu execution%s, and not shown, because %s",
		   (unsigned long long)executions, executions == 1 ? "" : "s", why);
	struct finding f = { .kind = kind, .status = FINDING_OBSERVED, .count = 1 };
	f.message = buf_take(&message);
	vec_push(&r->observer.findings.list, f);
	r->is_done = true;
}

bool check_is_shown(const struct check *c, size_t index)
{
	return index != NO_REPEAT && c->repeats.at[index]->is_done &&
	       c->repeats.at[index]->observer.findings.list.len;
}

void check_repeats_release(struct check *c)
{
	for (size_t i = 0; i < c->repeats.len; i++) {
		observer_release(&c->repeats.at[i]->observer);
		buf_release(&c->repeats.at[i]->witness);
		mem_free(c->repeats.at[i]);
	}
	vec_release(&c->repeats);
	vec_release(&c->failure_repeat);
	vec_release(&c->race_repeat);
	vec_release(&c->outcome_repeat);
}
