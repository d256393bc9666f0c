/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heddle replay: runs the schedule of a witness or a trace again and checks that everything
 * happens as it did.
 *
 * The run is told to stop before the first event that the reference does not have.  Whether a
 * program that wants to go on there has diverged depends on how the reference ends: with the end
 * of the process or a failure it has; a recording that was interrupted or cut off ends anywhere.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/settings.h"
#include "cmd/cmd.h"
#include "cmd/execution.h"
#include "cmd/replay_gdb.h"
#include "drive/compare.h"
#include "report/race.h"
#include "report/terminal.h"

#define NO_UNTIL REPLAY_GDB_NO_UNTIL
#define UNTIL_LINES 25

struct replay_options {
	uint64_t until;
	const char *output;
	bool is_forced;
	bool has_gdb;
	const char *gdb_args;
	uint64_t gdb_until; /* with gdb --until does not end the run */
	struct execution_options shared;
};

struct reference {
	const char *path;
	bool is_trace;
	bool is_sparse;		      /* a trace that has only what several threads touch */
	struct witness witness;	      /* of a trace: made from it */
	VEC(struct trace_fact) facts; /* of a trace: those before its events */
	bool is_cut_off;
};

static int parse(struct replay_options *o, int argc, char **argv, int *operand, bool *help,
		 struct err *err)
{
	const struct opt table[] = {
		{ 0, "until", OPT_NUMBER, &o->until, "N",
		  "Stop before event N and show where each thread is.", 0, NO_UNTIL - 1, NULL },
		{ 'o', "output", OPT_STRING, &o->output, "FILE", "Write the trace of the replay.",
		  0, 0, NULL },
		{ 0, "gdb", OPT_FLAG, &o->has_gdb, NULL,
		  "Run the program in gdb, with real threads; 'help heddle' in gdb lists what it "
		  "can do "
		  "there.",
		  0, 0, NULL },
		{ 0, "gdb-args", OPT_STRING, &o->gdb_args, "WORDS",
		  "Further arguments of gdb, for example --gdb-args='-ex \"break f\"'; implies "
		  "--gdb.",
		  0, 0, NULL },
		{ 0, "force", OPT_FLAG, &o->is_forced, NULL,
		  "Run the program even if it is not the recorded one.", 0, 0, NULL },
		{ 0, NULL, OPT_FLAG, NULL, NULL, NULL, 0, 0, NULL },
	};
	const struct opt_spec spec = {
		"replay",
		"WITNESS|TRACE [PROG [ARG...]]",
		"Runs a recorded schedule again, exactly.",
		"Program and arguments are those of the recording if they are not given.  The "
		"first "
		"difference\n"
		"to the recording ends the replay with status 4 and is explained.\n",
		table,
		NULL,
	};
	int rc = execution_parse(&spec, &o->shared, "witness", argc, argv, operand, help, err);
	o->has_gdb |= o->gdb_args != NULL;
	if (!rc && o->has_gdb && o->shared.backend == BACKEND_FIBERS)
		rc = err_set(err, ERR_USAGE,
			     "heddle replay: gdb shows real threads only; --gdb and "
			     "--backend=fibers exclude "
			     "each other");
	o->gdb_until = NO_UNTIL;
	if (o->has_gdb) {
		o->shared.backend = BACKEND_THREADS;
		o->gdb_until = o->until;
		o->until = NO_UNTIL;
	}
	return rc;
}

/* ---- the reference ---- */

static char *copy_fact(const struct trace_tables *t, const char *name)
{
	const char *value = trace_fact(t, name);
	return mem_strdup(value ? value : "");
}

static void keep_facts(struct reference *ref, const struct trace_tables *t)
{
	for (size_t i = 0; i < t->facts.len; i++) {
		struct trace_fact f = { mem_strdup(t->facts.at[i].name),
					mem_strdup(t->facts.at[i].value) };
		if (f.name[0])
			vec_push(&ref->facts, f);
		else
			mem_free(f.name), mem_free(f.value);
	}
}

static const char *numbered_fact(const struct trace_tables *t, const char *what, size_t i)
{
	char name[32];
	snprintf(name, sizeof(name), "%s.%zu", what, i);
	return trace_fact(t, name);
}

static void take_identity(struct witness *w, const struct trace_tables *t)
{
	w->program = copy_fact(t, "program");
	w->build_id = copy_fact(t, "build-id");
	const char *steps = trace_fact(t, "steps");
	for (; steps && *steps >= '0' && *steps <= '9'; steps++)
		w->step_limit = w->step_limit * 10 + (uint64_t)(*steps - '0');
	const char *branches = trace_fact(t, TRACE_FACT_BRANCHES);
	w->has_branches = branches && !strcmp(branches, TRACE_BRANCHES_FULL);
	const char *model = trace_fact(t, "memory-model"), *heap = trace_fact(t, "heap");
	int place = model ? name_index(memory_names, model, strlen(model)) : -1;
	w->memory = place < 0 ? MEMORY_SC : (enum wire_memory)place;
	place = heap ? name_index(heap_names, heap, strlen(heap)) : -1;
	w->heap = place < 0 ? HEAP_FRESH : (enum wire_heap)place;
	const char *stores = trace_fact(t, "stores");
	w->waits_for_stores = stores && !strcmp(stores, "awaited");
	const char *spurious = trace_fact(t, "spurious-wakeups");
	w->spurious_wakeups = spurious ? strtoull(spurious, NULL, 10) : 0;
	const char *name;
	for (size_t i = 0; i < WIRE_DIVIDED_MAX && (name = numbered_fact(t, "divided", i)); i++)
		w->divided.places[w->divided.count++] = strtoull(name, NULL, 16);
	name = trace_fact(t, "signals");
	w->divided.signals = name ? strtoull(name, NULL, 16) : 0;
	name = trace_fact(t, "cancels");
	w->divided.cancels = name ? strtoull(name, NULL, 16) : 0;
	name = trace_fact(t, "name");
	if (name)
		w->name = mem_strdup(name);
	for (size_t i = 0; (name = numbered_fact(t, "arg", i)); i++)
		vec_push(&w->args, mem_strdup(name));
	for (size_t i = 0; (name = numbered_fact(t, "env", i)); i++)
		vec_push(&w->environment, mem_strdup(name));
}

static uint64_t number_fact(const struct trace_tables *t, const char *name)
{
	const char *value = trace_fact(t, name);
	return value ? strtoull(value, NULL, 10) : 0;
}

/* The run had events that the trace does not have; how many, only a complete one says. */
static int count_left_out(struct reference *ref, const struct trace_tables *t, struct err *err)
{
	const char *accesses = trace_fact(t, TRACE_FACT_ACCESSES);
	ref->is_sparse = accesses && !strcmp(accesses, TRACE_ACCESSES_SHARED);
	if (!ref->is_sparse)
		return 0;
	if (ref->is_cut_off)
		return err_set(err, ERR_SUPPORT,
			       "%s was cut off and was recorded with --accesses=shared: where the "
			       "run ended "
			       "is not known, so it cannot be replayed",
			       ref->path);
	ref->witness.events +=
		number_fact(t, TRACE_FACT_LEFT_OUT) - number_fact(t, TRACE_FACT_ADDED);
	return 0;
}

/* A trace holds its schedule: its switches and choices make the witness. */
static int load_trace(struct reference *ref, struct err *err)
{
	struct trace_reader *r;
	int rc = trace_reader_open(&r, ref->path, err);
	if (rc)
		return rc;
	ref->is_trace = true;
	const struct trace_tables *t = trace_reader_tables(r);
	struct event e;
	bool is_first = true;
	while ((rc = trace_reader_next(r, &e, err)) > 0) {
		if (is_first)
			keep_facts(ref, t);
		is_first = false;
		witness_add(&ref->witness, &e, t);
	}
	witness_finish(&ref->witness, t);
	take_identity(&ref->witness, t);
	ref->is_cut_off = !rc && !trace_reader_is_complete(r);
	if (!rc)
		rc = count_left_out(ref, t, err);
	trace_reader_close(r);
	return rc;
}

static int load_reference(struct reference *ref, const char *path, struct err *err)
{
	ref->path = path;
	witness_init(&ref->witness);
	FILE *f = fopen(path, "re");
	if (!f)
		return err_set(err, ERR_IO, "cannot open %s: %m", path);
	char bytes[32];
	size_t n = fread(bytes, 1, sizeof(bytes), f);
	fclose(f);
	if (!witness_is(bytes, n))
		return load_trace(ref, err);
	return witness_load(&ref->witness, path, err);
}

static void release_reference(struct reference *ref)
{
	witness_release(&ref->witness);
	for (size_t i = 0; i < ref->facts.len; i++) {
		mem_free(ref->facts.at[i].name);
		mem_free(ref->facts.at[i].value);
	}
	vec_release(&ref->facts);
}

/* Whether the reference ends where the program cannot go on. */
static bool ends_by_itself(const struct reference *ref)
{
	const struct witness_segment *last = &vec_last(&ref->witness.segments);
	return !ref->is_cut_off &&
	       (last->last_kind == EV_PROCESS_END || last->last_kind == EV_FAILURE);
}

/* ---- the run ---- */

/* Compares, and takes the two accesses of a race that the witness is of. */
struct replay_judge {
	struct compare compare;
	struct race_side first, second;
};

static int judge_event(void *arg, const struct event *e, struct err *err)
{
	struct replay_judge *j = arg;
	const struct witness *w = j->compare.witness;
	struct observer *o = j->compare.run;
	int rc = compare_event(&j->compare, e, err);
	if (rc || !witness_has_race(w))
		return rc;
	if (e->index == w->race[0])
		race_side_take(&j->first, e, &o->scene);
	if (e->index == w->race[1] && j->first.is_taken) {
		race_side_take(&j->second, e, &o->scene);
		struct finding f = finding_of_race(&j->first, &j->second, &o->scene, &o->names);
		f.status = FINDING_CONFIRMED;
		vec_push(&o->findings.list, f);
	}
	return 0;
}

static void judge_release(struct replay_judge *j)
{
	compare_release(&j->compare);
	race_side_release(&j->first);
	race_side_release(&j->second);
}

/* The event before which the replay stops: the end of the run, or of the race that the witness is
 * of. */
static uint64_t end_of(const struct witness *w)
{
	return witness_has_race(w) ? w->race[1] + 1 : w->events;
}

static int check_identity(const struct reference *ref, const struct target *p, bool is_forced,
			  struct err *err)
{
	const char *wanted = ref->witness.build_id;
	if (is_forced || !strcmp(wanted, p->info.build_id))
		return 0;
	return err_set(
		err, ERR_PROGRAM,
		"%s is not the program that %s was made with: its build-id is %s, not %s; --force "
		"runs it all the same",
		p->path.at, ref->path, p->info.build_id[0] ? p->info.build_id : "missing",
		wanted[0] ? wanted : "missing");
}

static void tell_word(struct trace_writer *w, const char *name, uint64_t word)
{
	char text[24];
	snprintf(text, sizeof(text), "%016llx", (unsigned long long)word);
	trace_writer_fact(w, name, text);
}

static void tell_divided(struct trace_writer *w, const struct wire_divided *d)
{
	if (d->signals)
		tell_word(w, "signals", d->signals);
	if (d->cancels)
		tell_word(w, "cancels", d->cancels);
	for (uint64_t i = 0; i < d->count; i++) {
		char name[32];
		snprintf(name, sizeof(name), "divided.%llu", (unsigned long long)i);
		tell_word(w, name, d->places[i]);
	}
}

static int open_output(struct observer *obs, const struct reference *ref, const char *path,
		       struct err *err)
{
	int rc = trace_writer_open(&obs->writer, path, TRACE_BINARY, err);
	if (rc)
		return rc;
	trace_writer_expect_chunks(obs->writer);
	/* This one has everything. */
	for (size_t i = 0; i < ref->facts.len; i++)
		if (strcmp(ref->facts.at[i].name, TRACE_FACT_ACCESSES))
			trace_writer_fact(obs->writer, ref->facts.at[i].name,
					  ref->facts.at[i].value);
	if (!ref->is_trace) {
		trace_writer_fact(obs->writer, "program", ref->witness.program);
		trace_writer_fact(obs->writer, "build-id", ref->witness.build_id);
		trace_writer_fact(obs->writer, "schedule", "witness");
		if (ref->witness.has_branches)
			trace_writer_fact(obs->writer, TRACE_FACT_BRANCHES, TRACE_BRANCHES_FULL);
		trace_writer_fact(obs->writer, "memory-model", memory_names[ref->witness.memory]);
		trace_writer_fact(obs->writer, "heap", heap_names[ref->witness.heap]);
		if (ref->witness.waits_for_stores)
			trace_writer_fact(obs->writer, "stores", "awaited");
		tell_divided(obs->writer, &ref->witness.divided);
		if (ref->witness.spurious_wakeups) {
			char number[24];
			snprintf(number, sizeof(number), "%llu",
				 (unsigned long long)ref->witness.spurious_wakeups);
			trace_writer_fact(obs->writer, "spurious-wakeups", number);
		}
	}
	return 0;
}

static void tell_until(struct observer *obs)
{
	struct report_style style = terminal_style(STDERR_FILENO);
	struct buf text = { 0 };
	buf_printf(&text, "stopped before event %llu\n", (unsigned long long)obs->decoder->events);
	report_threads(&obs->scene, &obs->names, &style, &text);
	struct scene_steps steps;
	scene_last_steps(&obs->scene, &steps);
	buf_str(&text, "\n  last steps\n");
	report_steps(&steps, &(struct report_choice){ .limit = UNTIL_LINES }, &obs->names, &style,
		     &text);
	vec_release(&steps.events);
	fwrite(text.at, 1, text.len, stderr);
	buf_release(&text);
}

/* Whether the run is the recorded one, after it ended. */
static int judge_end(struct compare *c, const struct reference *ref, const struct replay_options *o,
		     const struct run_result *r, struct err *err)
{
	if (r->diverged)
		return compare_explain(c, r, err);
	if (r->end == RUN_UNTIL && witness_has_race(&ref->witness))
		return 0;
	if (r->end == RUN_UNTIL) {
		/* What a sparse trace has of the last events is not compared yet. */
		if (ref->is_sparse && o->until >= ref->witness.events && !ends_by_itself(ref))
			return compare_end(c, err);
		if (o->until < ref->witness.events || !ends_by_itself(ref))
			return 0;
		return err_set(
			err, ERR_DIVERGED,
			"the replay diverged: the program goes on after event %llu, where the "
			"recorded run ended",
			(unsigned long long)ref->witness.events);
	}
	return r->end == RUN_ENDED ? compare_end(c, err) : 0;
}

static int conclude(struct observer *obs, const struct reference *ref,
		    const struct replay_options *o, const struct run_result *r)
{
	if (r->end == RUN_DIVERGED)
		return execution_status(obs, r);
	execution_report(obs, NULL);
	for (size_t i = 0; i < obs->findings.list.len; i++)
		obs->findings.list.at[i].witness = mem_strdup(ref->path);
	int status = execution_status(obs, r);
	bool is_whole = r->end == RUN_ENDED || r->end == RUN_UNTIL;
	if (r->end == RUN_UNTIL && o->until < end_of(&ref->witness))
		tell_until(obs);
	else if (r->end == RUN_UNTIL && witness_has_race(&ref->witness) && !o->shared.is_quiet)
		fprintf(stderr, "\nheddle: replayed %llu events, identical up to the race\n",
			(unsigned long long)obs->decoder->events);
	else if (is_whole && !o->shared.is_quiet)
		fprintf(stderr, "%sheddle: replayed %llu events, identical%s\n", status ? "\n" : "",
			(unsigned long long)obs->decoder->events,
			ref->is_cut_off ? " up to where the trace is cut off" : "");
	return status;
}

static int replay(const struct replay_options *o, struct reference *ref, const struct target *p,
		  char *const *argv, struct err *err)
{
	if (ref->witness.environment.len)
		vec_push(&ref->witness.environment, NULL); /* as execve wants it */
	struct witness_schedule schedule;
	witness_schedule(&ref->witness, &schedule);
	int inputs;
	int failed = inputs_file(&ref->witness.inputs, &inputs, err);
	if (failed) {
		witness_schedule_release(&schedule);
		return failed;
	}
	struct run_options run = {
		.session = {
			.path = p->path.at,
			.argv = argv,
			.environment = ref->witness.environment.len
					       ? ref->witness.environment.at
					       : NULL,
			.policy = POLICY_REPLAY,
			.memory = ref->witness.memory,
			.heap = ref->witness.heap,
			.spurious_wakeups = (uint32_t)ref->witness.spurious_wakeups,
			.awaits = ref->witness.awaits,
			.divided = &ref->witness.divided,
			.waits_for_stores = ref->witness.waits_for_stores,
			.step_limit = ref->witness.step_limit,
			.until_event = o->until < end_of(&ref->witness)
					       ? o->until
					       : end_of(&ref->witness),
			.schedule = schedule.steps.at,
			.schedule_count = schedule.steps.len,
			.choices = schedule.choices.at,
			.choices_count = schedule.choices.len,
			.inputs_fd = inputs,
			.inputs_size = ref->witness.inputs.size,
			.branch_events = ref->witness.has_branches,
		},
	};
	execution_configure(&o->shared, &run);
	struct observer obs;
	observer_init(&obs, p->path.at, true);
	obs.names.all_frames = o->shared.all_frames;
	struct replay_judge judge = { .compare = { .run = &obs, .witness = &ref->witness } };
	struct compare *compare = &judge.compare;
	obs.judge = judge_event;
	obs.judge_arg = &judge;
	obs.status = FINDING_CONFIRMED;
	struct run_result result = { 0 };
	int status = 0, rc = 0;
	struct replay_gdb gdb = { 0 };
	if (o->has_gdb) {
		rc = replay_gdb_init(&gdb, &obs, &ref->witness, o->gdb_args, o->gdb_until, err);
		run.session.has_debugger = true;
		/* So that the tool, which the debugger asks, knows every access at once. */
		run.session.plain_accesses = true;
		compare->ignores_hashes = true;
		run.debugger = &gdb.config;
	}
	if (!rc && ref->is_trace)
		rc = trace_reader_open(&compare->trace, ref->path, err);
	if (!rc && ref->is_sparse)
		compare_only_shared(compare);
	if (!rc && o->output)
		rc = open_output(&obs, ref, o->output, err);
	if (!rc)
		rc = observer_run(&obs, &run, &result, err);
	if (!rc)
		rc = judge_end(compare, ref, o, &result, err);
	if (rc == -ERR_DIVERGED) {
		result.end = RUN_DIVERGED;
		result.text = *err;
		rc = 0;
	}
	if (!rc)
		status = conclude(&obs, ref, o, &result);
	if (!rc && o->shared.json)
		rc = execution_write_json(&obs, &result, p, "replay", o->shared.json, err);
	judge_release(&judge);
	replay_gdb_release(&gdb);
	observer_release(&obs);
	witness_schedule_release(&schedule);
	return rc ? rc : status;
}

/*
 * The program's argument vector: as given, completed from the reference.  Its own name is the
 * recorded one, wherever the program stands now.
 */
static char **make_argv(const struct reference *ref, int argc, char **argv)
{
	size_t n = argc > 1 ? (size_t)argc - 1 : ref->witness.args.len;
	char **out = mem_zero(n + 2, sizeof(*out));
	out[0] = ref->witness.name ? ref->witness.name : ref->witness.program;
	for (size_t i = 0; i < n; i++)
		out[i + 1] = argc > 1 ? argv[i + 1] : ref->witness.args.at[i];
	return out;
}

int cmd_replay(int argc, char **argv)
{
	struct replay_options o = { .until = NO_UNTIL };
	struct err err;
	int operand;
	bool help = false;
	int rc = parse(&o, argc, argv, &operand, &help, &err);
	if (rc)
		return cmd_fail(rc, &err);
	if (help)
		return EXIT_NOTHING;
	bool is_prediction;
	int status = cmd_replay_prediction(
		argv[operand], argc - operand > 1 ? argv + operand + 1 : NULL, &is_prediction);
	if (is_prediction)
		return status;
	struct reference ref = { 0 };
	struct target p = { 0 };
	char **program_argv = NULL;
	rc = load_reference(&ref, argv[operand], &err);
	if (!rc) {
		program_argv = make_argv(&ref, argc - operand - 1, argv + operand + 1);
		rc = target_find(&p, argc - operand > 1 ? argv[operand + 1] : ref.witness.program,
				 &err);
	}
	if (!rc)
		rc = check_identity(&ref, &p, o.is_forced, &err);
	if (!rc)
		rc = replay(&o, &ref, &p, program_argv, &err);
	mem_free(program_argv);
	target_release(&p);
	release_reference(&ref);
	return rc < 0 ? cmd_fail(rc, &err) : rc;
}
