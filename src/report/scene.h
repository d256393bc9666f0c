/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the threads of a run are doing, followed event by event: which thread holds which lock
 * since where, which thread waits for what, where blocks were allocated and freed, and the last
 * steps.  It works on any stream of events, of a running program or of a trace.  Memory grows
 * with threads, synchronisation objects and heap blocks, not with the length of the run.
 */
#ifndef HEDDLE_SCENE_H
#define HEDDLE_SCENE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vec.h"
#include "trace/event.h"

struct scene_place {
	uint64_t event;
	thr_id thread;
	loc_id loc;
	stack_id stack;
	bool is_known;
};

struct scene_lock {
	uint64_t obj;
	uint64_t depth;
	uint8_t mode; /* enum sync_mode */
	struct scene_place acquired;
};

enum scene_doing {
	DOING_NOTHING, /* not started */
	DOING_RUN,
	DOING_WAIT,  /* for wait_obj */
	DOING_JOIN,  /* for thread wait_obj to end */
	DOING_IO,    /* waits for descriptor wait_obj, in system call wait_call */
	DOING_BLOCK, /* cannot go on, for a reason that no event tells */
	DOING_END,   /* has ended */
};

struct scene_thread {
	enum scene_doing doing;
	uint64_t wait_obj;
	uint8_t wait_mode;
	uint16_t wait_call;
	uint64_t start;		  /* address of its start routine, 0 if unknown */
	char *name;		  /* given by the program; NULL if none */
	struct scene_place last;  /* its last event */
	uint64_t asked_obj;	  /* annotated lock that its own code waits for, 0 if none */
	struct scene_place asked; /* since here */
	VEC(struct scene_lock) held;
};

struct scene_sync {
	uint64_t obj;
	uint8_t mode;
	struct scene_place made, destroyed, released;
	thr_id last_owner; /* the thread that released it last */
	uint64_t missing;  /* barrier: threads that it still waits for */
};

struct scene_block {
	uint64_t start, size;
	struct scene_place made, freed;
};

#define SCENE_STEPS 256 /* last events of all kinds that are worth showing */
#define SCENE_SYNCS 128 /* last ones other than accesses, which would be pushed out by accesses */

struct scene_window {
	struct event *at; /* ring */
	uint64_t count;	  /* all that were ever put in */
	uint32_t size;	  /* a power of two */
};

struct scene {
	VEC(struct scene_thread) threads;
	VEC(struct scene_sync) syncs;
	VEC(struct scene_block) blocks;
	struct map sync_of;  /* address -> index + 1 */
	struct map block_of; /* start -> index + 1 of the newest block there */
	struct map throw_of; /* exception -> index + 1 of its first throw */
	VEC(struct scene_place) throws;
	/* the function whose frame has been left, of the last such event */
	struct scene_place left;
	thr_id left_by;
	struct scene_window accesses, others;
};

void scene_init(struct scene *m);
void scene_release(struct scene *m);

static inline struct scene_place scene_place_of(const struct event *e)
{
	return (struct scene_place){ e->index, e->thread, e->loc, e->stack, true };
}

/* The run went on by one event of any kind. */
void scene_follow(struct scene *m, const struct event *e);

/* NULL if there is no such thing. */
const struct scene_thread *scene_thread(const struct scene *m, thr_id t);
const struct scene_sync *scene_sync(const struct scene *m, uint64_t obj);
const struct scene_block *scene_block_around(const struct scene *m, uint64_t address);
/* Where an exception was first thrown. */
const struct scene_place *scene_throw(const struct scene *m, uint64_t exception);
const struct scene_lock *scene_held(const struct scene_thread *t, uint64_t obj);
/* A thread that holds the lock, THR_NONE if none does. */
thr_id scene_owner(const struct scene *m, uint64_t obj);
/* The lock or other object that a thread waits for, 0 if none: modelled, or annotated and waited
 * for by its own code. */
uint64_t scene_awaited(const struct scene_thread *t);

/* The remembered steps in order, oldest first; the caller releases the vector.  Their data is not
 * kept. */
struct scene_steps {
	VEC(struct event) events;
};
void scene_last_steps(const struct scene *m, struct scene_steps *out);

#endif
