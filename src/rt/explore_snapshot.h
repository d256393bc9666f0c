/* SPDX-License-Identifier: Apache-2.0 */
/* What executions that begin again in place find and leave; see explore_snapshot.c. */
#ifndef HEDDLE_RT_EXPLORE_SNAPSHOT_H
#define HEDDLE_RT_EXPLORE_SNAPSHOT_H

#include "rt/rt.h"

#define HEAP_HEADER 16 /* bytes before a block that the runtime writes, too */

/* Part of a large area of which it is not told what is written: always put back. */
void snapshot_keep(uintptr_t start, size_t size);
void snapshot_add(uintptr_t start, size_t size, bool has_shadow); /* this memory, too */
bool snapshot_take(void);	   /* of everything; false: there is too much */
void snapshot_saw(uintptr_t addr); /* the program reads or writes there */
bool snapshot_is_whole(void);	   /* bytes that nobody was seen to write are put back, too */
/* called on a stack of its own; the runtime's state is that of snapshot_take then */
void snapshot_restore(void);
/* memory that lasts until then, zeroed; NULL: no snapshot, or none left */
void *snapshot_reserve(size_t bytes);
bool snapshot_owns(const void *p); /* is it such memory? */

/* Each looks after what is its own: once before snapshot_take, and before each snapshot_restore. */
void heap_mark(void);
bool heap_can_rewind(void);
void heap_rewind(uint32_t slots);
void sync_rewind(void);
void signal_rewind(void);	 /* after it: the kernel is told again */
void fiber_rewind(void);	 /* stacks are cleared, donors are free again */
void fiber_pool(uint32_t count); /* donors for so many threads are made in advance */
uint32_t fiber_slots_used(void);
bool fiber_can_rewind(void);
/* as the main thread */
void fiber_go_to(void (*entry)(void *), uintptr_t stack_top) __attribute__((noreturn));
void rt_mark(void); /* start.c: variables of the main thread, arguments */
void rt_run_program(void) __attribute__((noreturn)); /* from its main on */

#endif
