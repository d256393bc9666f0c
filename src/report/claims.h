/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Findings from predictions: claims in words, with the end of their witnesses as the steps that
 * lead there.
 */
#ifndef HEDDLE_REPORT_CLAIMS_H
#define HEDDLE_REPORT_CLAIMS_H

#include "predict/confirm.h"
#include "report/finding.h"

/*
 * The events of a trace that claims are about.  First they are wanted, then taken from the trace
 * in one pass.
 */
struct claim_events {
	struct map index_of; /* event to index in events */
	VEC(struct event) events;
};

/* confirmation: of the claim; NULL: it was not tried. */
void claim_events_want(struct claim_events *e, const struct history *h, const struct claim *c,
		       const struct confirmation *confirmation);
void claim_events_take(struct claim_events *e, const struct event *event);
void claim_events_release(struct claim_events *e);
/* The event of an operation; it was wanted. */
const struct event *claim_event(const struct claim_events *e, const struct history *h, op_id op);

/* The first operation of its witness that is shown. */
size_t claim_first_step(const struct claim *c);
/* The steps that are shown: of the run that confirmed it, otherwise of the witness, with their
 * values. */
void claim_steps(const struct claim *c, const struct confirmation *confirmation,
		 const struct history *h, const struct claim_events *e, struct scene_steps *out);
/* A finding for a claim, perhaps confirmed; the scene of the names has followed the whole trace. */
void findings_add_claim(struct findings *f, const struct claim *c,
			const struct confirmation *confirmation, const struct history *h,
			const struct claim_events *e, struct names *names);

#endif
