/* SPDX-License-Identifier: Apache-2.0 */
/* The switch between two threads, in fiber.S. */
#ifndef HEDDLE_RT_FIBER_H
#define HEDDLE_RT_FIBER_H

#include <stdint.h>

/*
 * fiber_swap: save the callee-saved registers on the stack, its pointer in *save, and go on where
 * `to` was saved. fiber_hand_over: save the same, set *other to TURN_RUN and wake who waits for
 * it, and sleep until *own is set.
 */
typedef void fiber_switcher(void **save, void *to, volatile uint32_t *own,
			    volatile uint32_t *other);
fiber_switcher fiber_swap, fiber_hand_over;
/* Go on where `sp` was saved, never to come back. */
void fiber_start(void *sp) __attribute__((noreturn));
/* First activation of a stack prepared by fiber.c: calls the function in rbx with r12 as argument.
 */
void fiber_entry(void);

#endif
