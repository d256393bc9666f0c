/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Filling the variables of a new stack frame with the content that the session asks for, so that
 * the tool can compare executions in which uninitialised variables differ; see frame_fill.c.
 */
#ifndef HEDDLE_RT_FRAME_FILL_H
#define HEDDLE_RT_FRAME_FILL_H

#include "rt/rt.h"

extern bool rt_fills_frames __attribute__((visibility("hidden")));
void frame_fill_init(void);
/* A function with this stack pointer has called its entry hook, which returns to pc. */
void frame_fill(uintptr_t sp, pc_t pc);

#endif
