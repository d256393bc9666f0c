/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the subcommands of `heddle trace` share; each has one file cmd/trace_<name>.c and one row
 * in trace.c.
 */
#ifndef HEDDLE_TRACE_CMD_H
#define HEDDLE_TRACE_CMD_H

#include "base/buf.h"
#include "cmd/cmd.h"
#include "cmd/trace_names.h"
#include "trace/trace.h"

/* argv[0] is the subcommand's name. */
int cmd_trace_check(int argc, char **argv);
int cmd_trace_convert(int argc, char **argv);
int cmd_trace_diff(int argc, char **argv);
int cmd_trace_index(int argc, char **argv);
int cmd_trace_print(int argc, char **argv);
int cmd_trace_slice(int argc, char **argv);
int cmd_trace_stat(int argc, char **argv);

/*
 * Parse the options and take the only operand, a trace.  -1: continue with *path; otherwise the
 * exit status, when --help was asked for or something was wrong.
 */
int trace_cmd_options(const struct opt_spec *spec, int argc, char **argv, const char **path);
/* The same for one or two traces. */
int trace_cmd_operands_of(const struct opt_spec *spec, int argc, char **argv, const char **paths,
			  int count);

/* What goes to standard output, gathered, and the first failure of writing it (a negated errno). */
struct trace_output {
	struct buf text;
	int failed;
};

/* Write what was gathered; false if that is not possible any more. */
bool trace_cmd_write(struct trace_output *out);

/*
 * The exit status for a trace that was read: rc and err are from the reader, 1 if there was more.
 * Says if the trace was cut off, or what is wrong with it, or that standard output could not be
 * written.
 */
int trace_cmd_finish(struct trace_reader *r, const struct trace_output *out, int rc,
		     const struct err *err);

/* Pieces of readable lines. */
void trace_cmd_kind(const struct event *e, struct buf *out); /* "read acquire" */
void trace_cmd_operands(struct trace_names *n, const struct trace_tables *t, const struct event *e,
			struct buf *out); /* "balance = 7" */
/* "main (a.c:12)" */
void trace_cmd_location(const struct trace_tables *t, loc_id loc, struct buf *out);
/* with anything unprintable escaped */
void trace_cmd_text(const char *text, size_t len, struct buf *out);

#endif
