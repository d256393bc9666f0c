/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copying from a reader to a writer.  The reader provides the definitions of a block before its
 * first event, so they are copied before that event.  The writer sorts definitions by kind, and
 * where it ends blocks depends on the events alone.  So a copy of a copy has the same bytes,
 * whatever the forms in between.
 */
#include "trace/trace.h"

int trace_copy_tables(const struct trace_tables *t, struct trace_copied *done,
		      struct trace_writer *w, struct err *err)
{
	int rc = 0;
	for (done->facts += !done->facts; done->facts < t->facts.len; done->facts++)
		trace_writer_fact(w, t->facts.at[done->facts].name, t->facts.at[done->facts].value);
	for (done->regions += !done->regions; !rc && done->regions < t->regions.len;
	     done->regions++)
		rc = trace_writer_region(w, &t->regions.at[done->regions], err);
	for (done->locations += !done->locations; !rc && done->locations < t->locations.len;
	     done->locations++)
		rc = trace_writer_location(w, &t->locations.at[done->locations], err);
	for (done->stacks += !done->stacks; !rc && done->stacks < t->stacks.len; done->stacks++)
		rc = trace_writer_stack(w, &t->stacks.at[done->stacks], err);
	return rc;
}

int trace_copy(struct trace_reader *r, struct trace_writer *w, struct err *err)
{
	const struct trace_tables *t = trace_reader_tables(r);
	struct trace_copied done = { 0 };
	struct event e;
	int rc = trace_copy_tables(t, &done, w, err);
	while (!rc && (rc = trace_reader_next(r, &e, err)) == 1) {
		rc = trace_copy_tables(t, &done, w, err);
		if (!rc)
			rc = trace_writer_event(w, &e, err);
	}
	if (!rc)
		rc = trace_copy_tables(t, &done, w, err);
	if (!rc && trace_reader_is_complete(r))
		return trace_writer_close(w, err);
	trace_writer_abandon(w);
	return rc;
}
