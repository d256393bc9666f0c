/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which memory is the stack of a thread, as a map of bits.
 *
 * clang puts no hooks on members of a local variable in the function that has it, although their
 * address was given to another thread.  So when a critical section touches the stack of another
 * thread, sections of the owner under the same lock may have touched the same without a word:
 * such sections are ordered like happens-before does (lock_opaque).
 */
#include "run/run.h"

static void mark(uintptr_t low, size_t size, bool is_stack)
{
	for (uintptr_t chunk = (low & ADDRESS_MASK) >> 16;
	     chunk <= ((low + size - 1) & ADDRESS_MASK) >> 16; chunk++) {
		uint8_t *byte = (uint8_t *)STACKS_BASE + (chunk >> 3);
		if (is_stack)
			__atomic_fetch_or(byte, (uint8_t)(1u << (chunk & 7)), __ATOMIC_RELAXED);
		else
			__atomic_fetch_and(byte, (uint8_t) ~(1u << (chunk & 7)), __ATOMIC_RELAXED);
	}
}

void stacks_add(struct thr *t, uintptr_t low, size_t size)
{
	t->stack_low = low;
	t->stack_size = size;
	mark(low, size, true);
}

void stacks_remove(struct thr *t)
{
	if (t->stack_size)
		mark(t->stack_low, t->stack_size, false);
	t->stack_size = 0;
}
