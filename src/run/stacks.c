/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which memory is the stack of a thread; see stacks.h.
 *
 * clang puts no hooks on accesses to members of a local variable in its own function, although
 * their address was given to another thread.  So when a critical section accesses the stack of
 * another thread, sections of the owner under the same lock may have accessed the same bytes
 * unseen.  Such sections are ordered as in happens-before (lock_opaque).
 */
#include "run/stacks.h"

#include "run/address.h"
#include "run/thr.h"

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
	t->stack.low = low;
	t->stack.size = size;
	mark(low, size, true);
}

void stacks_remove(struct thr *t)
{
	if (t->stack.size)
		mark(t->stack.low, t->stack.size, false);
	t->stack.size = 0;
}
