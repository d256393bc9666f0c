/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is known of the round that a thread is in: kept by await_round.c at each event, used by
 * await.c at each hook to recognise that the thread spins.
 */
#ifndef HEDDLE_RT_AWAIT_STATE_H
#define HEDDLE_RT_AWAIT_STATE_H

#include "rt/await.h"
#include "rt/hook_stack.h"
#include "rt/hot.h"
#include "rt/mem.h"
#include "rt/rt.h"
#include "rt/thread.h"

#define READS_MAX 64	  /* locations; a loop that reads more is not recognised */
#define STACK_MAX 0x4000u /* live bytes; likewise */
#define STORES_MAX 8	  /* places to which a loop stores; likewise */
#define LOCKS_MAX 4	  /* that a loop has at a time; likewise */

enum { FOREIGN = 1, SHARED = 2 };

/* What the thread has stored last, and where. */
struct await_store {
	uintptr_t addr;
	uint64_t value;
	uint32_t size; /* at most 8; 0: none */
};

struct await {
	/* the last: something was read that cannot be waited for */
	bool is_anchored, is_useless;
	bool has_seen_change; /* of what is shared, since the anchor */
	bool was_moved;	      /* the anchor, since their distance was doubled */
	uint32_t quiet;	      /* hooks since the last effect */
	uint32_t again;	      /* how many of them make a new anchor */
	pc_t pc;
	struct hook_registers registers;
	uint32_t reads_count;
	struct await_read reads[READS_MAX];
	uint32_t locks_count; /* taken in this round and not given back */
	uintptr_t locks[LOCKS_MAX];
	bool takes_time; /* the round has slept or taken a lock */
	bool has_looked; /* the thread has looked at a clock */
	/* words of its own stack (wire_stack_bits): stored to in this round; and then used by
	 * others */
	uint64_t wrote, touched;
	pc_t cancel_pc;	      /* where the round has looked for a request to end; 0: it has not */
	uint32_t stores_next; /* to be given up for another one */
	struct await_store stores[STORES_MAX];
	/* The last bytes of its stack: from `lowest` on there may be marks, from registers.sp on
	 * it was copied. */
	uintptr_t lowest;
	uint8_t stack[STACK_MAX], marks[STACK_MAX];
};

/* A round that took time was left out: clocks may show what they would not show otherwise. */
extern bool await_time_is_short __attribute__((visibility("hidden")));

/* The round begins anew. */
static inline void await_forget(struct thread *t)
{
	t->spin.await->is_anchored = false;
	t->spin.await->quiet = t->spin.await->reads_count = 0;
	t->spin.await->wrote = t->spin.await->touched = 0;
	t->spin.awaits = t->spin.passes = false;
}

static inline uintptr_t window_of(const struct thread *t)
{
	return t->stack.high - STACK_MAX;
}

static inline bool is_own_stack(uintptr_t addr)
{
	return addr - g.stack_low < g.stack_size;
}

static inline uint64_t value_at(uintptr_t addr, uint32_t size)
{
	uint64_t v = 0;
	rt_memcpy(&v, (const void *)addr, size);
	return v;
}

/* Whether a byte of the running thread's stack has this mark: FOREIGN or SHARED. */
bool await_is_marked(uintptr_t addr, size_t size, uint8_t with);
/* What a round of the thread has stored to its stack was seen by others: no round is idle that
 * does so. */
void await_expose(struct thread *t, uint64_t words);
/* Whether a try of the object would succeed. */
bool await_is_available(uintptr_t addr, unsigned mode);

#endif
