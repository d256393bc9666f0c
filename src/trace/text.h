/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines of the text form (doc/FORMAT.md), one function for each kind of line and way.  Private to
 * src/trace.
 */
#ifndef HEDDLE_TRACE_TEXT_H
#define HEDDLE_TRACE_TEXT_H

#include "base/buf.h"
#include "trace/block.h"

#define TEXT_MAGIC "heddle-trace "
#define TEXT_LINE_MAX (8u << 20) /* longer than any line that a writer makes */

void text_fact(const struct trace_fact *f, struct buf *out);
void text_region(uint32_t id, const struct region *r, struct buf *out);
void text_location(uint32_t id, const struct location *l, struct buf *out);
void text_stack(uint32_t id, const struct stack_node *s, struct buf *out);

/* What a line turned out to be. */
enum text_line { TEXT_NOTHING, TEXT_FACT, TEXT_DEFINITION, TEXT_EVENT, TEXT_END };

/*
 * Parse a line (ended by NUL, without its newline).  Facts and definitions go into the tables, an
 * event into *e with its data in `data`.  Returns enum text_line, or -1 with a clause in *flaw.
 */
int text_parse(const char *line, struct trace_tables *t, struct event *e, struct buf *data,
	       const char **flaw);

#endif
