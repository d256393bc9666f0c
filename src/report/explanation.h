/* SPDX-License-Identifier: Apache-2.0 */
/*
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

#endif
