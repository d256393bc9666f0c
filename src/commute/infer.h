/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conditions under which calls commute, proposed from the model of an object: as weak as calls
 * with small arguments show, in as few terms as a greedy choice finds.
 */
#ifndef HEDDLE_COMMUTE_INFER_H
#define HEDDLE_COMMUTE_INFER_H

#include "base/buf.h"
#include "commute/verify.h"

/* Adds a line `commute ...;` for each two methods with calls that commute.  Errors: those of
 * verify_samples(). */
int infer_conditions(const struct spec_object *o, const char *path, struct verify_limits limits,
		     struct buf *out, struct err *err);

#endif
