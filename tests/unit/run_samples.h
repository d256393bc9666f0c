/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The core of `heddle run` for unit tests: the test acts for all threads, one action after
 * the other.  What is found is kept in `found_list`.
 */
#ifndef HEDDLE_RUN_SAMPLES_H
#define HEDDLE_RUN_SAMPLES_H

#include "core/outside.h"
#include "run/ticks.h"
#include "unit/unit.h"

#define FOUND_MAX 64

static struct found found_list[FOUND_MAX];
static unsigned found_count;

void run_found(const struct found *f)
{
	assert_true(found_count < FOUND_MAX);
	found_list[found_count++] = *f;
}

/* No other thread runs in between. */
void run_widen(unsigned n)
{
	(void)n;
}

/* For a group of tests. */
static inline int core_setup(void **state)
{
	(void)state;
	core_begin();
	return 0;
}

/* For each test: the threads that it uses are new, and know nothing of each other. */
static inline void core_threads(struct thr **t, uint32_t count)
{
	run_state.options = (struct options){
		.sections_kept = 2, .is_predicting = true, .limit = 1000, .finds_fd = true
	};
	found_count = 0;
	for (uint32_t i = 0; i < count; i++) {
		t[i] = thr_new(i);
		t[i]->uid = i + 1;
	}
	run_self = t[0];
}

/* Addresses that no other test has used. */
static inline uintptr_t fresh_address(void)
{
	static uintptr_t next = 0x200000;
	return next += 4096;
}

/* A hard edge, as a semaphore makes it. */
static inline void send(struct thr *from, uintptr_t object)
{
	struct object *s = object_take(from, object, OBJECT_SEM);
	object_send(from, s);
	object_put(s);
}

static inline void receive(struct thr *to, uintptr_t object)
{
	struct object *s = object_take(to, object, OBJECT_SEM);
	object_receive(to, s);
	object_put(s);
}

static inline void write_at(struct thr *t, uintptr_t address)
{
	run_self = t;
	access_any(t, address, 4, CELL_WRITE, 0);
}

static inline void read_at(struct thr *t, uintptr_t address)
{
	run_self = t;
	access_any(t, address, 4, 0, 0);
}

#endif
