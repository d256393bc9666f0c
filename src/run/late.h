/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Late writes: racing writes that a read may see although they were recorded after it.
 *
 * A thread can be preempted between the hook of a read and its load.  A write that is recorded in
 * between finds the cell of the read, and the load may return its value.  Then the read is after
 * the write in the weak order (reads-from).  So the writer adds itself to a list of the reader,
 * and the reader orders itself after all writes in the list before it does anything else that
 * counts.
 *
 * If the list is full, or if the shadow was reset in between so that writers could not find the
 * read, actions up to this point are excluded from predictions.
 */
#ifndef HEDDLE_RUN_LATE_H
#define HEDDLE_RUN_LATE_H

#include <stdint.h>

#include "run/thr.h"

void late_add(struct thr *reader, const struct thr *writer);
void late_receive_all(struct thr *t);

static inline void late_receive(struct thr *t)
{
	if (unlikely(__atomic_load_n(&t->late.flags, __ATOMIC_ACQUIRE) ||
		     __atomic_load_n(&run_state.resets, __ATOMIC_RELAXED) != t->late.resets_seen))
		late_receive_all(t);
}

#endif
