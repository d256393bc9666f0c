/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Replaces those files of src/run that need a running program: no history, no stacks, no signals.
 * The driver defines run_found.
 */
#include "outside.h"

void history_far_access(struct thr *t, uintptr_t address, unsigned size, uint32_t flags,
			uintptr_t pc)
{
	(void)t, (void)address, (void)size, (void)flags, (void)pc;
}

uint32_t stack_now(struct thr *t, uintptr_t pc)
{
	(void)t, (void)pc;
	return 0;
}

void signals_deliver(struct thr *t)
{
	(void)t;
}

/* Where threads are fibers the driver lets another one run. */
__attribute__((weak)) void run_waits(void)
{
}

void core_begin(void)
{
	run_map_at(SHADOW_BASE, SHADOW_SIZE);
	run_map_at(OBJECT_LISTS_BASE, OBJECT_LISTS_SIZE);
	run_map_at(STACKS_BASE, STACKS_SIZE);
	run_map_at(PARTS_BASE, PARTS_SIZE);
	core_init();
	run_state.is_parallel = 1;
}

void core_lock(struct thr *t, uintptr_t lock, enum lock_mode mode)
{
	struct object *s = object_take(t, lock, OBJECT_RWLOCK);
	lock_acquire(t, s, mode, 0);
	object_put(s);
}

void core_unlock(struct thr *t, uintptr_t lock)
{
	lock_release(t, object_take(t, lock, OBJECT_RWLOCK));
}
