/* SPDX-License-Identifier: Apache-2.0 */
/* heddle record: one controlled run of a program, kept as a trace. */
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/settings.h"
#include "cmd/cmd.h"
#include "cmd/execution.h"
#include "drive/recording.h"

struct record_options {
	struct recording how;
	const char *output;
	const char *witness;
	bool has_stats;
	struct execution_options shared;
};

static int parse(struct record_options *o, int argc, char **argv, int *operand, bool *help,
		 struct err *err)
{
	const struct opt table[] = {
		{ 0, "seed", OPT_NUMBER, &o->how.seed, "N", "Seed of the schedule (default 1).", 0,
		  UINT64_MAX, NULL },
		{ 0, "schedule", OPT_CHOICE, &o->how.schedule, NULL,
		  "How the next thread is picked (default random).", 0, 0, recording_schedules },
		{ 0, "preempt", OPT_NUMBER, &o->how.preempt, "N",
		  "With random, one preemption in about N hooks (default 3, 10, 30 or 100, as the "
		  "seed says); with roundrobin, hooks in a turn "
		  "(default 20); with pct, number of priority changes, at most 1024 (default 3).",
		  1, UINT32_MAX, NULL },
		{ 0, "length", OPT_NUMBER, &o->how.length, "N",
		  "With pct, draw the changes from N hooks, as --stats counts those with several "
		  "threads (default: from growing parts of the run).",
		  1, UINT64_MAX, NULL },
		{ 0, "steps", OPT_NUMBER, &o->how.steps, "N",
		  "End the run after N hooks, 0 for never (default 0).", 0, UINT64_MAX, NULL },
		{ 'o', "output", OPT_STRING, &o->output, "FILE",
		  "The trace (default: the program's name and .trace, here).", 0, 0, NULL },
		{ 0, "witness", OPT_STRING, &o->witness, "FILE",
		  "Write a witness there even if nothing is found (default: beside the trace, if "
		  "something is found).",
		  0, 0, NULL },
		{ 0, "memory", OPT_CHOICE, &o->how.memory, NULL,
		  "When stores of a thread become visible to the others: at once, or later, in "
		  "their order (tso) or in that of each location (pso) (default sc).",
		  0, 0, memory_names },
		{ 0, "heap", OPT_CHOICE, &o->how.heap, NULL,
		  "Whether an allocation may get a block that was freed: never, within wide "
		  "bounds, or as the schedule says (default fresh).",
		  0, 0, heap_names },
		{ 0, "accesses", OPT_CHOICE, &o->how.accesses, NULL,
		  "How accesses are kept: in chunks that say only what is unexpected; as records, "
		  "each in full, which is slower and a check of the chunks; or shared, without "
		  "those to memory that only one thread has touched by the end of a group of 65536 "
		  "events (default chunks).",
		  0, 0, recording_accesses },
		{ 0, "branches", OPT_CHOICE, &o->how.branches, NULL,
		  "What is kept of branches: a hash of each thread's path where it stops running, "
		  "and a mark on the event after a branch; or full, every branch an event of its "
		  "own (default path).",
		  0, 0, recording_branches },
		{ 0, "stats", OPT_FLAG, &o->has_stats, NULL,
		  "Say how many hooks were passed and how much processor time the program and "
		  "heddle used.",
		  0, 0, NULL },
		{ 0, NULL, OPT_FLAG, NULL, NULL, NULL, 0, 0, NULL },
	};
	const struct opt_spec spec = {
		"record",
		"PROG [ARG...]",
		"Runs a program under control and keeps an exact trace of it.",
		"The program must have been built by 'heddle cc' or 'heddle c++'.  Its input, "
		"output,\n"
		"environment and exit status are its own; the status is kept in the trace.  The "
		"same seed\n"
		"and input give the same trace.\n",
		table,
		NULL,
	};
	int rc = execution_parse(&spec, &o->shared, "program", argc, argv, operand, help, err);
	/* A store and its flush belong together, and memory may become shared between them. */
	if (!rc && !*help && o->how.accesses == ACCESSES_SHARED && o->how.memory)
		rc = err_set(err, ERR_USAGE, "heddle record: --accesses=shared needs --memory=sc");
	if (!rc && !*help && o->how.schedule == RECORDING_PCT && o->how.preempt > 1024)
		rc = err_set(err, ERR_USAGE, "heddle record: pct changes at most 1024 priorities");
	if (!rc && !*help && o->how.schedule != RECORDING_PCT && o->how.length)
		rc = err_set(err, ERR_USAGE, "heddle record: --length needs --schedule=pct");
	return rc;
}

static void print_summary(const struct observer *o, const struct run_result *r, const char *trace)
{
	struct buf end = { 0 };
	observer_end_text(o, r, &end);
	size_t threads = 0;
	for (size_t i = 0; i < o->scene.threads.len; i++)
		threads += o->scene.threads.at[i].doing != DOING_NOTHING;
	struct stat st;
	fprintf(stderr, "heddle: %llu event%s, %zu thread%s, %llu switch%s, ended by %s",
		(unsigned long long)o->decoder->events, o->decoder->events == 1 ? "" : "s", threads,
		threads == 1 ? "" : "s", (unsigned long long)o->decoder->switches,
		o->decoder->switches == 1 ? "" : "es", end.at);
	if (o->sparse)
		fprintf(stderr, ", %llu kept", (unsigned long long)sparse_counts(o->sparse).kept);
	if (!stat(trace, &st) && S_ISREG(st.st_mode))
		fprintf(stderr, ", %s (%lld bytes)", trace, (long long)st.st_size);
	fputc('\n', stderr);
	buf_release(&end);
}

static double seconds_of(int who)
{
	struct rusage use;
	getrusage(who, &use);
	return (double)use.ru_utime.tv_sec + (double)use.ru_stime.tv_sec +
	       1e-6 * (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec);
}

/* The program is the tool's only child. */
static void print_stats(const struct run_result *r)
{
	fprintf(stderr,
		"heddle: %llu hooks, %llu of them with several threads, processor time: program "
		"%.3f s, heddle %.3f s\n",
		(unsigned long long)r->hooks, (unsigned long long)r->concurrent_hooks,
		seconds_of(RUSAGE_CHILDREN), seconds_of(RUSAGE_SELF));
}

static void default_names(const struct record_options *o, const char *program, struct buf *trace,
			  struct buf *witness)
{
	const char *base = file_base_name(program);
	if (o->output)
		buf_str(trace, o->output);
	else
		buf_printf(trace, "%s.trace", base);
	if (o->witness)
		buf_str(witness, o->witness);
	else
		buf_printf(witness, "%s.witness", strcmp(trace->at, "-") ? trace->at : base);
}

/* A witness beside the trace belongs to the trace that was there before; no other file is
 * touched. */
static void remove_stale_witness(const char *path)
{
	char start[32];
	FILE *f = fopen(path, "re");
	if (!f)
		return;
	size_t n = fread(start, 1, sizeof(start), f);
	fclose(f);
	if (witness_is(start, n))
		witness_remove(path);
}

static int record(const struct record_options *o, const struct target *p,
		  const struct run_options *run, struct observer *obs, struct err *err)
{
	struct buf trace = { 0 }, witness = { 0 };
	default_names(o, p->path.at, &trace, &witness);
	struct run_result result;
	int rc = trace_writer_open(&obs->writer, trace.at, TRACE_BINARY, err);
	if (!rc) {
		if (!obs->sparse)
			trace_writer_expect_chunks(obs->writer);
		recording_write_facts(obs->writer, &o->how, run, p);
	}
	obs->trace_path = trace.at;
	if (!rc)
		rc = observer_run(obs, run, &result, err);
	bool has_findings = obs->findings.list.len > 0;
	int status = 0;
	if (!rc && (has_findings || o->witness))
		rc = observer_write_witness(obs, p, run->session.argv, run, witness.at, err);
	if (!rc && !has_findings && !o->witness)
		remove_stale_witness(witness.at);
	for (size_t i = 0; i < obs->findings.list.len; i++)
		obs->findings.list.at[i].witness = mem_strdup(witness.at);
	if (!rc) {
		execution_print_random(p);
		execution_report(obs, &(struct execution_again){ witness.at, p->path.at });
		status = execution_status(obs, &result);
		if (!has_findings && !status && !o->shared.is_quiet)
			print_summary(obs, &result, trace.at);
		if (o->has_stats)
			print_stats(&result);
	}
	if (!rc && o->shared.json)
		rc = execution_write_json(obs, &result, p, "record", o->shared.json, err);
	buf_release(&trace);
	buf_release(&witness);
	return rc ? rc : status;
}

/* Can what is written there be read again?  A file that is not there yet will be a regular one. */
static bool is_regular(const char *path)
{
	struct stat st;
	return !path || (strcmp(path, "-") && (stat(path, &st) || S_ISREG(st.st_mode)));
}

int cmd_record(int argc, char **argv)
{
	struct record_options o = { .how = { .seed = 1 } };
	struct err err;
	int operand;
	bool help = false;
	int rc = parse(&o, argc, argv, &operand, &help, &err);
	if (rc)
		return cmd_fail(rc, &err);
	if (help)
		return EXIT_NOTHING;
	struct target p;
	rc = target_find(&p, argv[operand], &err);
	if (!rc) {
		struct run_options run;
		recording_configure(&o.how, &p, argv + operand, &run);
		execution_configure(&o.shared, &run);
		struct observer obs;
		observer_init(&obs, p.path.at,
			      !is_regular(o.output) || o.how.accesses == ACCESSES_SHARED);
		obs.names.all_frames = o.shared.all_frames;
		if (o.how.accesses == ACCESSES_SHARED)
			observer_keep_shared(&obs);
		rc = record(&o, &p, &run, &obs, &err);
		observer_release(&obs);
	}
	target_release(&p);
	return rc < 0 ? cmd_fail(rc, &err) : rc;
}
