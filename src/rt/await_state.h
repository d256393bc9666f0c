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
#include "wire/explore.h"

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

/* Of a round that began where one of a known loop may begin (await_loop.c). */
struct await_round {
	const struct wire_loop *loop; /* NULL: it did not */
	uint64_t first;		      /* number of the thread's first step of it */
	const struct wire_op *entry;  /* the end of the list when it began */
	uint64_t switches;	      /* of threads before its first look */
	uint32_t looks;		      /* steps that others can make a difference to */
	uint64_t last_look;	      /* number of the last one */
	uint64_t state;		      /* a hash of the thread's */
	uint8_t branched;	      /* as in struct hot, when it began */
	uint64_t path;		      /* likewise */
	bool is_planned;	      /* the plan says that its first look is made */
	bool has_stored;
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
	bool takes_time;      /* the round has slept or taken a lock */
	bool has_looked;      /* the thread has looked at a clock */
	pc_t cancel_pc;	      /* where the round has looked for a request to end; 0: it has not */
	uint32_t stores_next; /* to be given up for another one */
	struct await_store stores[STORES_MAX];
	/* The last bytes of its stack: from `lowest` on there may be marks, from registers.sp on
	 * it was copied. */
	uintptr_t lowest;
	struct await_round round;
	/* where others can make a difference to a round, of the last one; as much as there is room
	 * for */
	uint32_t look_pcs_count;
	pc_t look_pcs[WIRE_LOOP_HOOKS];
	uint8_t stack[STACK_MAX], marks[STACK_MAX];
};

/* A round that took time was left out: clocks may show what they would not show otherwise. */
extern bool await_time_is_short __attribute__((visibility("hidden")));

/* The round begins anew. */
static inline void await_forget(struct thread *t)
{
	t->spin.await->is_anchored = false;
	t->spin.await->quiet = t->spin.await->reads_count = 0;
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
/* Whether a try of the object would succeed. */
bool await_is_available(uintptr_t addr, unsigned mode);

/* ---- await_loop.c ---- */
/* The running thread stands at its anchor, or goes on from there: a round begins. */
void await_round_begins(struct await *a);
/* The anchor is to be where the running thread stands: a round of a known loop begins there. */
bool await_is_loop_begin(const struct await *a);
void await_saw(void); /* the running thread makes a look */
/* The round that has come back to its anchor, where the thread awaits a change now, is taken back
 * if it can be. */
enum round_end { ROUND_STAYS, ROUND_TAKEN_BACK, ROUND_IS_STUCK };
enum round_end await_round_ends(struct await *a);
void await_tell_loop(const struct await *a); /* one that is not known yet */
/* Whether the register of struct hook_registers, or the byte at that distance from the stack
 * pointer, is dead at the beginning of the round. */
static inline bool await_register_is_dead(const struct await *a, unsigned number)
{
	return a->round.loop && a->round.loop->dead_registers >> number & 1;
}
static inline bool await_byte_is_dead(const struct await *a, uintptr_t from_sp)
{
	return a->round.loop && from_sp / 4 < WIRE_LOOP_PIECES &&
	       a->round.loop->dead_pieces[from_sp / 256] >> (from_sp / 4 % 64) & 1;
}

#endif
