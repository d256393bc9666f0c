/* SPDX-License-Identifier: Apache-2.0 */
/* What executions that begin again in place find and leave; see explore_snapshot.c. */
#ifndef HEDDLE_RT_EXPLORE_SNAPSHOT_H
#define HEDDLE_RT_EXPLORE_SNAPSHOT_H

#include "rt/rt.h"

/* Part of a large area whose writes are not in the list: always put back. */
void snapshot_keep(uintptr_t start, size_t size);
void snapshot_add(uintptr_t start, size_t size, bool has_shadow); /* this memory, too */
/*
 * A large table of the runtime's state (RT_STATE) that most executions leave as it is: put back
 * only if *has_changed, which is part of the state itself.  Before snapshot_take().
 */
void snapshot_rare(void *table, size_t size, const bool *has_changed);
bool snapshot_take(void);	   /* of everything; false: there is too much */
void snapshot_saw(uintptr_t addr); /* the program reads or writes there */
bool snapshot_is_whole(void);	   /* bytes without a listed write are put back, too */
/* called on a stack of its own; the runtime's state is that of snapshot_take then */
void snapshot_restore(void);
/* memory that lasts until then, zeroed; NULL: no snapshot, or none left */
void *snapshot_reserve(size_t bytes);
bool snapshot_owns(const void *p); /* is it such memory? */

#endif
