/* SPDX-License-Identifier: Apache-2.0 */
/* heddle trace check: does a trace make sense, from its first event to its last? */
#include "cmd/trace_cmd.h"
#include "trace/consistency.h"

int cmd_trace_check(int argc, char **argv)
{
	const struct opt table[] = { { 0 } };
	const struct opt_spec spec = {
		.command = "trace check",
		.operands = "TRACE",
		.summary = "Checks that a trace is well-formed and consistent.",
		.table = table,
		.details = "TRACE is a trace in binary or text form, or - for standard input. "
			   "Besides its form, its content is checked: a lock is released by its "
			   "holder and never has two owners, a read sees what was written last, a "
			   "thread makes events between its creation and its end. The first event "
			   "that could not have happened is named, and the exit status is 3. A "
			   "trace that was cut off is checked up to where it is complete, with a "
			   "warning.",
	};
	struct trace_output out = { 0 };
	struct trace_reader *r;
	struct event e;
	struct err err;
	const char *path;
	uint64_t events = 0;
	int status = trace_cmd_options(&spec, argc, argv, &path);
	if (status >= 0)
		return status;
	int rc = trace_reader_open(&r, path, &err);
	if (rc)
		return cmd_fail(rc, &err);
	struct consistency *c = consistency_new();
	while ((rc = consistency_next(c, r, &e, &err)) == 1)
		events++;
	if (!rc)
		buf_printf(&out.text, "%llu event%s, no contradiction\n",
			   (unsigned long long)events, events == 1 ? "" : "s");
	trace_cmd_write(&out);
	status = trace_cmd_finish(r, &out, rc, &err);
	consistency_free(c);
	trace_reader_close(r);
	buf_release(&out.text);
	return status;
}
