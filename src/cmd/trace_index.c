/* SPDX-License-Identifier: Apache-2.0 */
/* heddle trace index: builds the index of a trace and keeps it beside it, or checks one that is
 * there. */
#include <string.h>

#include "cmd/trace_cmd.h"
#include "trace/index.h"

static void describe(const struct trace_index *x, const char *path, struct buf *out)
{
	uint64_t busiest = 0;
	for (uint64_t i = 0; i < x->cell_count; i++)
		busiest = x->cells[i].count > busiest ? x->cells[i].count : busiest;
	buf_printf(out,
		   "%s: %llu events, %u threads, %llu cells (at most %llu events of one), %llu "
		   "objects, %zu bytes\n",
		   path, (unsigned long long)x->count, x->threads,
		   (unsigned long long)x->cell_count, (unsigned long long)busiest,
		   (unsigned long long)x->object_count, x->map_size);
}

static int run(const char *trace, const char *out_path, bool is_check)
{
	struct trace_output out = { 0 };
	struct trace_index x;
	struct buf path = { 0 };
	struct err err;
	int rc;
	if (out_path)
		buf_str(&path, out_path);
	else
		buf_printf(&path, "%s.index", trace);
	if (!strcmp(trace, "-"))
		rc = err_set(
			&err, ERR_USAGE,
			"heddle trace index: an index belongs to a file, not to standard input");
	else if (is_check)
		rc = index_open(&x, path.at, trace, &err);
	else
		rc = index_build(&x, trace, path.at, &err);
	if (!rc) {
		describe(&x, path.at, &out.text);
		index_close(&x);
	}
	trace_cmd_write(&out);
	buf_release(&path);
	buf_release(&out.text);
	if (out.failed)
		rc = err_set(&err, ERR_IO, "cannot write to standard output: %s",
			     strerror(-out.failed));
	return rc ? cmd_fail(rc, &err) : EXIT_NOTHING;
}

int cmd_trace_index(int argc, char **argv)
{
	const char *out_path = NULL, *trace;
	bool is_check = false;
	const struct opt table[] = {
		{ 'o', "output", OPT_STRING, &out_path, "FILE",
		  "Where the index is (default: TRACE.index).", 0, 0, NULL },
		{ 0, "check", OPT_FLAG, &is_check, NULL,
		  "Check an index that is there instead of building one: that it is undamaged and "
		  "of this trace.",
		  0, 0, NULL },
		{ 0 },
	};
	const struct opt_spec spec = {
		.command = "trace index",
		.operands = "TRACE",
		.summary = "Builds the index of a trace.",
		.table = table,
		.details = "The index holds, for each event, what analyses ask for: its place in "
			   "its thread, the write that a read saw, the release that belongs to an "
			   "acquire, the branch after a read, the locks that are held; and for "
			   "each piece of memory and lock its events. It is built in one pass and "
			   "mapped when it is used. A trace whose events could not have happened "
			   "is refused with status 3, as by 'heddle trace check'.",
	};
	int status = trace_cmd_options(&spec, argc, argv, &trace);
	return status >= 0 ? status : run(trace, out_path, is_check);
}
