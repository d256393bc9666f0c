/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The oracle's question answered by trying everything: all executions of a small history, with
 * states that were seen before cut off.  It reads the definition in src/oracle/question.h once
 * more and shares no code with engines and checker.
 */
#ifndef HEDDLE_TESTS_BRUTE_H
#define HEDDLE_TESTS_BRUTE_H

#include "oracle/question.h"

#define BRUTE_OPS 64 /* at most */
#define BRUTE_THREADS 6
#define BRUTE_VARIABLES 6

/* VERDICT_UNKNOWN if there are too many states. */
enum verdict brute_ask(const struct history *h, const struct question *q, size_t states);
/* Whether this sequence is an execution that fulfils the question. */
bool brute_accepts(const struct history *h, const struct question *q, const op_id *sequence,
		   size_t count);

#endif
