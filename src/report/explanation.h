/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the words of results mean, and the kinds of findings among them.
 *
 * What each kind of finding means, for people: one text for each in explanations/KIND.md, which
 * is part of the tool.  All have the same form (doc/adding.md); tests/e2e/explain runs what they
 * show.
 */
#ifndef HEDDLE_EXPLANATION_H
#define HEDDLE_EXPLANATION_H

#include "base/buf.h"
#include "report/finding.h"

/* The whole text. */
const char *finding_explanation(enum finding_kind kind);
/* What its first line says: "# KIND: SUMMARY". */
void finding_summary(enum finding_kind kind, struct buf *out);
/* The example program in it: the indented lines from the first #include on, without the
 * indentation. */
void finding_example(enum finding_kind kind, struct buf *out);

/* The other fixed words of results (words.def). */
struct result_word {
	const char *word;
	const char *detail;  /* stands for what a result adds to the word, after a colon; "" */
	const char *role;    /* "status of a finding", "assumption" */
	const char *meaning; /* a sentence without its end */
};
/* In the order of the table; NULL: there are no more. */
const struct result_word *result_word_at(size_t index);
/* As in a result, with a detail or without.  NULL: there is no such word. */
const struct result_word *result_word_named(const char *text);

#endif
