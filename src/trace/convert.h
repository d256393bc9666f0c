/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A whole trace in another form: the two of its own (trace.h), STD (std.h), or one for another
 * program (export.h).
 */
#ifndef HEDDLE_TRACE_CONVERT_H
#define HEDDLE_TRACE_CONVERT_H

#include "trace/std.h"

enum convert_form { FORM_BINARY, FORM_TEXT, FORM_STD, FORM_CHROME, FORM_CSV };

struct conversion {
	const char *in, *out; /* files; "-" is standard input or output */
	enum convert_form to;
	bool is_extended;     /* FORM_STD: also what RAPID does not read */
	enum std_begin begin; /* of an import: what begin and end delimit */
};

/* What is to be said about a conversion that succeeded; each is empty if there is nothing. */
struct conversion_notes {
	struct buf cut;	 /* why the trace ends early: it was cut off */
	struct buf lost; /* lines: what STD cannot express, counted */
};

/*
 * From a trace.  An output file in a form of another program is removed if the conversion fails.
 * FORM_STD reads the trace twice, so `in` must be a file then.  Errors: those of reading and
 * writing.
 */
int trace_convert(const struct conversion *c, struct conversion_notes *notes, struct err *err);
/* From STD, to FORM_BINARY or FORM_TEXT.  Errors: likewise; no output file is left. */
int trace_convert_std(const struct conversion *c, struct err *err);
void conversion_notes_release(struct conversion_notes *n);

#endif
