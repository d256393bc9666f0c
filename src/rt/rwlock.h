/* SPDX-License-Identifier: Apache-2.0 */
/* What others ask about read-write locks (rwlock.c). */
#ifndef HEDDLE_RT_RWLOCK_H
#define HEDDLE_RT_RWLOCK_H

#include "rt/rt.h"
#include "wire/wire.h"

struct hold;
struct sync;

bool rwlock_is_to_be_had(const struct sync *s, enum sync_mode mode); /* now, by any thread */
bool rwlock_lets_writers_first(const struct sync *s);
void rwlock_forget_reader(struct hold *h); /* its share ends without an event */

#endif
