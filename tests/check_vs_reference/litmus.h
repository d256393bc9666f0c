/* SPDX-License-Identifier: Apache-2.0 */
/* What a file says about the outcomes of its program, against what the reference finds. */
#ifndef CHECK_LITMUS_H
#define CHECK_LITMUS_H

#include "search.h"

extern const char *const model_names[MODELS];

/* How many expectations the text has; those that do not hold are printed with `name`, and counted in
 * *wrong. */
unsigned litmus_judge(const struct prog *p, const char *text, const char *name, unsigned *wrong);

#endif
