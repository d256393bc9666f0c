/* SPDX-License-Identifier: Apache-2.0 */
/* Random programs for the simulator, and random questions about their runs. */
#ifndef HEDDLE_TESTS_GENERATE_H
#define HEDDLE_TESTS_GENERATE_H

#include "oracle/question.h"
#include "simulate.h"

/* A question about a history; false if nothing can be asked. */
bool generate_question(const struct history *h, struct sim_random *r, struct question *q);

#endif
