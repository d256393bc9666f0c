/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heddle replay: runs the schedule of a witness or a trace again and checks that everything
 * happens as it did (drive/replay.h).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "cmd/cmd.h"
#include "cmd/execution.h"
#include "cmd/replay_gdb.h"
#include "drive/replay.h"
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
		  "can do there.",
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
		"first difference\n"
		"to the recording ends the replay with status 4 and is explained.\n",
		table,
		NULL,
	};
	int rc = execution_parse(&spec, &o->shared, "witness", argc, argv, operand, help, err);
	o->has_gdb |= o->gdb_args != NULL;
	if (!rc && o->has_gdb && o->shared.backend == BACKEND_FIBERS)
		rc = err_set(err, ERR_USAGE,
			     "heddle replay: gdb shows real threads only; --gdb and "
			     "--backend=fibers exclude each other");
	o->gdb_until = NO_UNTIL;
	if (o->has_gdb) {
		o->shared.backend = BACKEND_THREADS;
		o->gdb_until = o->until;
		o->until = NO_UNTIL;
	}
	return rc;
}

static void print_until(struct observer *obs)
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
	if (r->end == RUN_UNTIL && o->until < reference_end(ref))
		print_until(obs);
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
	struct replay r;
	struct replay_gdb gdb = { 0 };
	int status = 0, rc = replay_prepare(&r, ref, p, argv, o->until, err);
	execution_configure(&o->shared, &r.run);
	r.observer.names.all_frames = o->shared.all_frames;
	if (!rc && o->has_gdb) {
		rc = replay_gdb_init(&gdb, &r.observer, &ref->witness, o->gdb_args, o->gdb_until,
				     err);
		replay_use_debugger(&r, &gdb.config);
	}
	if (!rc)
		rc = replay_run(&r, o->output, err);
	if (!rc)
		status = conclude(&r.observer, ref, o, &r.result);
	if (!rc && o->shared.json)
		rc = execution_write_json(&r.observer, &r.result, p, "replay", o->shared.json, err);
	replay_gdb_release(&gdb);
	replay_release(&r);
	return rc ? rc : status;
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
	rc = reference_load(&ref, argv[operand], &err);
	if (!rc) {
		program_argv = reference_argv(&ref, argc - operand - 1, argv + operand + 1);
		rc = target_find(&p, argc - operand > 1 ? argv[operand + 1] : ref.witness.program,
				 &err);
	}
	if (!rc && !o.is_forced)
		rc = reference_check_program(&ref, &p, &err);
	if (!rc)
		rc = replay(&o, &ref, &p, program_argv, &err);
	mem_free(program_argv);
	target_release(&p);
	reference_release(&ref);
	return rc < 0 ? cmd_fail(rc, &err) : rc;
}
