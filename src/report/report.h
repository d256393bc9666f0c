/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Findings for people (text) and for programs (JSON, doc/JSON.md).  Everything is appended to a
 * buffer; printing is the command's business.
 */
#ifndef HEDDLE_REPORT_H
#define HEDDLE_REPORT_H

#include <stdbool.h>

#include "base/buf.h"
#include "report/finding.h"
#include "report/names.h"

struct report_style {
	bool has_color;
	unsigned width; /* columns */
};

/* One finding: headline, places, last steps.  `replay` is the command that shows it again; NULL:
 * none. */
void report_finding(const struct finding *f, struct names *n, const struct report_style *style,
		    const char *replay, struct buf *out);

/* Which steps are shown: the last `limit` ones from event `from` on that are of interest (steps.c
 * says which). */
struct report_choice {
	const uint64_t *objects; /* that it is about */
	size_t object_count;
	uint64_t from;
	size_t limit;
};

/* The steps of threads side by side. */
void report_steps(const struct scene_steps *steps, const struct report_choice *choice,
		  struct names *n, const struct report_style *style, struct buf *out);

/* Where each live thread stands. */
void report_threads(const struct scene *scene, struct names *n, const struct report_style *style,
		    struct buf *out);

struct report_summary {
	const char *command;
	bool is_complete;
	uint64_t executions;
	const char *inconclusive; /* why the run says less than it should; NULL if it does not */
	VEC(char *) assumptions;
};

/* The parts of a result's object, for commands that add members: begin, findings one by
 * one, the caller ends it. */
struct json;
/* opens the object, up to its findings */
void report_json_begin(struct json *j, const struct report_summary *s);
void report_json_finding(struct json *j, struct names *n, const struct finding *f);
void report_json(const struct report_summary *s, const struct findings *findings, struct names *n,
		 struct buf *out);

/* Words for what a result rests on; words.def has what each means. */
enum report_assumption {
#define ASSUMPTION(NAME, word, detail, meaning) ASSUMES_##NAME,
#include "report/words.def"
};
void report_assume(struct report_summary *s, enum report_assumption word);
/* With a detail behind the word; a word with the same detail again adds nothing. */
void report_assume_of(struct report_summary *s, enum report_assumption word, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void report_summary_release(struct report_summary *s);

#endif
