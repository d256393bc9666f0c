/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shadow memory: what each hooked location must contain.
 *
 * The shadow of an address is at a fixed distance (SHADOW).  Each write of hooked code changes
 * memory and shadow; a read that finds a difference has found a write without a hook, which
 * becomes an event of its own.  Pieces of shadow are mapped on first use, by a fault.
 */
#ifndef HEDDLE_RT_SHADOW_H
#define HEDDLE_RT_SHADOW_H

#include "rt/rt.h"

struct dl_phdr_info;

#define SHADOW_XOR 0x200000000000ull
#define SHADOW(p) ((uintptr_t)(p) ^ SHADOW_XOR)

void shadow_init(void);
/* memory as it is now becomes the expected content */
void shadow_snapshot(uintptr_t start, size_t size);
void shadow_mismatch(uintptr_t addr, size_t size, pc_t pc);
bool shadow_is_module(uintptr_t addr); /* data of an instrumented module */
/* a thread-local variable of an instrumented module, of the thread with that thread pointer */
bool shadow_is_tls(uintptr_t addr, uintptr_t fs);
bool shadow_is_ours(uintptr_t addr); /* memory that only hooked code should change */
/* a fault there was a missing piece of shadow: mapped now */
bool shadow_fault(uintptr_t addr);
void shadow_add_module(const struct dl_phdr_info *info, uintptr_t fs);
void shadow_drop_module(uintptr_t low, uintptr_t high);

#endif
