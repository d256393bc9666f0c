/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Synchronisation objects, found by address: locks, condition variables, barriers, semaphores,
 * atomic variables, and everything else that hands over a clock.
 *
 * Every 64 bytes of memory have a list of the objects in them.  An object has a guard, a spin
 * lock: object_take, object_find and their relatives return it with the guard held, object_put
 * releases it.  All members of struct object are accessed under the guard unless they are said to
 * be read without it.
 *
 * Names: `object_...`, while src/rt calls its modelled objects `sync_...`.
 */
#ifndef HEDDLE_RUN_OBJECT_H
#define HEDDLE_RUN_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "run/found.h"
#include "run/memory.h"
#include "run/thr.h"

#define OBJECTS_MAX (1u << 22)

struct clock;
struct waiter;

enum object_kind {
	OBJECT_OTHER,
	OBJECT_MUTEX,
	OBJECT_RWLOCK,
	OBJECT_SPIN,
	OBJECT_COND,
	OBJECT_BARRIER,
	OBJECT_SEM,
	OBJECT_ATOMIC,
	OBJECT_THREAD
};

/* A critical section that is over. */
struct section {
	uint32_t number; /* 0: none yet */
	uint32_t epoch;	 /* of the release */
	uint16_t slot;
	uint8_t mode;
	/* if other threads can have seen the acquire without the release, otherwise 0 (nest.c) */
	uint32_t acquire_epoch;
	struct clock *clock; /* weak order, at the release */
};

/* A critical section that is not over (nest.c). */
struct open_section {
	uint32_t slot, acquire_epoch;
};

/* Epochs of one slot with exposed sections that are not kept one by one any more (nest.c). */
struct epoch_range {
	uint32_t first, last;
};

/* The last use of an object by the thread in a slot, for pairs of use and destruction. */
struct use {
	uint32_t epoch, stack, stamp;
	enum finding_act act;
};

struct object {
	uintptr_t address;
	uint32_t next; /* in the list of its 64 bytes */
	uint32_t guard;
	enum object_kind kind;
	struct clock *clock; /* released */
	/* read-write lock: released by readers; atomic: of the loads since the last store */
	struct clock *reads;
	bool has_stores; /* atomic: since then it knows all accesses to the same bytes */
	uint8_t size;	 /* atomic: of the largest access */
	/* atomic: a thread that knows all of both clocks, as slot + 1, 0: none; and when it did */
	uint16_t known_by;
	uint32_t known_epoch;
	/* number of sections; never decreases, also when the entry becomes another object */
	uint32_t sections;
	uint32_t spills; /* how often `spilled` grew; read without the guard */
	struct section *kept;

	/* What a section of a lock needs, up to `exposed_old`, in few cache lines. */
	struct clock *spilled;	    /* every later section is ordered after it */
	struct clock *old;	    /* joined release clocks that are not kept one by one */
	struct clock *ordered;	    /* nest.c: releases that every later section is after */
	struct use *uses;	    /* by slot */
	struct open_section writer; /* nest.c; acquire_epoch 0: none */
	uint32_t uses_room;
	/* open sections from this number on are spilled when they end; 0: none */
	uint32_t spill_from;
	uint32_t first_edge;	/* order.c: list of locks acquired while it was held */
	uint32_t exposed_count; /* nest.c: sections whose acquire can be seen alone */
	/* nest.c: 1 for a writer; readers are in `readers`; read without the guard */
	uint32_t open_count;
	uint32_t exposed_room;
	struct epoch_range *exposed_old; /* nest.c, by slot: exposed sections within `old` */
	struct open_section *readers;
	uint32_t readers_room;

	struct waiter *waiters; /* condition variable */
	struct past signal;	/* the last signal without a waiter; epoch 0: none */
	bool is_edge_target;	/* order.c */
} __attribute__((aligned(64)));

extern struct object *g_objects;

void object_init(void);
/* Makes the object if there is none; NULL if there are too many. */
struct object *object_take(struct thr *t, uintptr_t address, enum object_kind kind);
/* NULL if there is none. */
struct object *object_find(struct thr *t, uintptr_t address);
/*
 * The same for an atomic of `size` bytes.  If it overlaps another atomic,
 * run_state.has_mixed_atomics is set.
 */
struct object *object_take_atomic(struct thr *t, uintptr_t address, unsigned size);
struct object *object_find_atomic(struct thr *t, uintptr_t address, unsigned size);
struct object *object_find_any_atomic(struct thr *t, uintptr_t address); /* of any size */
void object_put(struct object *s);

/* Calls `visit`, guarded, for the other atomics that overlap these bytes. */
typedef void object_visit(struct thr *t, struct object *s, int argument);
void object_visit_overlapping(struct thr *t, uintptr_t address, unsigned size, object_visit *visit,
			      int argument);

uint32_t object_index(const struct object *s);
bool object_has_any(uintptr_t address, size_t size);
void object_remove(uintptr_t address, size_t size); /* the memory is freed */
void object_use(struct thr *t, struct object *s, enum finding_act act, uint32_t stack);
/* The objects in this memory end by `act`; uses that are not ordered before are reported. */
void object_destroy(struct thr *t, uintptr_t address, size_t size, enum finding_act act,
		    uint32_t stack);
/* The object at this address ends; reports call it `name`. */
void object_destroy_as(struct thr *t, uintptr_t address, uintptr_t name, enum finding_kind kind,
		       enum finding_act act, uint32_t stack);

/* Hard edges. */
void object_send(struct thr *t, struct object *s); /* joins: earlier sends stay */
void object_receive(struct thr *t, struct object *s);

static inline struct object_cached *cached_at(struct thr *t, uintptr_t address)
{
	return &t->object_cache[(address >> 3 ^ address >> 9) % OBJECT_CACHE];
}

/* Does lock_catch_up have something to do for t? */
static inline bool lock_needs_to_catch_up(const struct thr *t)
{
	if (t->has_received)
		return true;
	for (uint32_t i = 0; i < t->held_count; i++)
		if (__atomic_load_n(&g_objects[t->held[i].lock].spills, __ATOMIC_ACQUIRE) !=
		    t->held[i].spills_seen)
			return true;
	return false;
}

/* Before an object is needed that the thread has probably used already. */
static inline void object_prefetch(struct thr *t, uintptr_t address)
{
	const struct object_cached *m = cached_at(t, address);
	run_prefetch(&g_objects[m->index]);
	run_prefetch((const char *)&g_objects[m->index] + 64);
	run_prefetch((const char *)&g_objects[m->index] + 128);
	run_prefetch(m->use);
	run_prefetch(m->clock);
	run_prefetch(m->reads);
}

#endif
