/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events: what happened, as records of the ring or as operations of an explorer's list.
 *
 * None of these functions settles a pending write or schedules; the caller has done so
 * (enter.h).  An event is written when its effect takes place, with no other thread in between.
 */
#ifndef HEDDLE_RT_EVENT_H
#define HEDDLE_RT_EVENT_H

#include "rt/rt.h"

void ev_access(unsigned kind, const volatile void *addr, size_t size, unsigned mode, unsigned flags,
	       pc_t pc);
/* Six arguments, so that all are in registers (hook_stack.S). */
void ev_rmw_packed(const volatile void *addr, size_t size, const void *old_value,
		   const void *new_value, unsigned mode_and_flags, pc_t pc);
static inline void ev_rmw(const volatile void *addr, size_t size, const void *old_value,
			  const void *new_value, unsigned mode, unsigned flags, pc_t pc)
{
	ev_rmw_packed(addr, size, old_value, new_value, mode | flags << 8, pc);
}
void ev_sync(unsigned kind, uintptr_t obj, unsigned mode, uint64_t a, uint64_t b, pc_t pc);
void ev_block(unsigned kind, uintptr_t addr, uint64_t size, uint64_t a, unsigned flags, pc_t pc);
void ev_flush(uintptr_t addr, const void *bytes, size_t size, uint32_t thread, pc_t pc);
void ev_flush_turn(uint32_t thread, uint32_t place);
void ev_text(unsigned kind, uintptr_t obj, uint64_t a, uint64_t b, const char *text, pc_t pc);
void ev_data(unsigned kind, uintptr_t obj, uint64_t a, const void *bytes, size_t len, pc_t pc);
void ev_module(uintptr_t base, uint64_t size, uint64_t flags, const char *path);
void ev_module_gone(uintptr_t base);
void ev_region(uintptr_t start, uint64_t size, uint64_t kind, uint64_t thread);
void ev_note(const char *text);

#endif
