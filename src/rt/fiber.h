/* SPDX-License-Identifier: Apache-2.0 */
/* The switch between two stacks, in fiber.S. */
#ifndef HEDDLE_RT_FIBER_H
#define HEDDLE_RT_FIBER_H

#include <stdint.h>

/* Save the callee-saved registers on the stack, its pointer in *save, and go on where `to` was saved. */
void fiber_swap(void **save, void *to);
/* First activation of a stack prepared by fiber.c: calls the function in rbx with r12 as argument. */
void fiber_entry(void);

#endif
