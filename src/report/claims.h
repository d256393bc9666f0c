/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Findings from predictions: claims in words, with the end of their witnesses as the steps that lead there.
 */
#ifndef HEDDLE_REPORT_CLAIMS_H
#define HEDDLE_REPORT_CLAIMS_H

#include "predict/confirm.h"
#include "report/finding.h"

#define CLAIM_STEPS 200		/* of a witness that are kept */

/*
 * The events of a trace that claims speak of.  First they are wanted, then taken from the trace in one pass.
 */
struct claim_events {
	struct map index_of;		/* event to index in events */
	VEC(struct event) events;
};

void claim_events_want(struct claim_events *e, const struct history *h, const struct claim *c);
void claim_events_take(struct claim_events *e, const struct event *event);
void claim_events_release(struct claim_events *e);

/* A finding for a claim, perhaps confirmed; the scene has followed the whole trace. */
void findings_add_claim(struct findings *f, const struct claim *c, const struct confirmation *confirmation,
			const struct history *h, const struct claim_events *e, const struct scene *scene,
			struct names *names);

#endif
