// SPDX-License-Identifier: Apache-2.0
/*
 * The oracle's two engines behind one question: the fast one first, the complete one if that does not know.
 */
#include "oracle/oracle.h"

#include "base/err.h"

void oracle_ask(const struct history *h, const struct question *q, const struct oracle_limits *limits,
		struct answer *a)
{
	static const struct oracle_limits defaults;
	if (!limits)
		limits = &defaults;
	closure_ask(h, q, limits, a);
	if (a->verdict == VERDICT_UNKNOWN)
		solver_ask(h, q, limits, a);
	ASSERT(a->verdict != VERDICT_FEASIBLE || !witness_flaw(h, q, a->witness.at, a->witness.len));
}
