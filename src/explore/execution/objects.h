/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The states of synchronisation objects and threads through a history: who holds a lock, what a
 * semaphore is worth, whether a thread has ended, after some of the moves.
 *
 * Most questions are about all moves up to some point, and a few behind it.  So what every move
 * that changed an object left it like is kept, object by object, and a question takes as long as
 * the object was changed behind that point, not as long as the history.  Short histories are not
 * worth it.
 */
#ifndef HEDDLE_EXPLORE_EXECUTION_OBJECTS_H
#define HEDDLE_EXPLORE_EXECUTION_OBJECTS_H

#include "base/map.h"
#include "explore/execution/moves.h"

struct object_state {
	uint32_t holder_plus_one;
	uint64_t readers;
	int64_t value; /* semaphore; once it is known */
	bool has_value;
	bool has_ended; /* thread */
	/* rwlock that lets writers first: the threads that wait to write, a bit each */
	uint64_t asking;
	/* semaphore: initialised, not initialised or destroyed, by what is known */
	bool is_made, is_unmade;
};

/* What an operation needs, or changes. */
struct object_name {
	uint64_t object;
	uint8_t space; /* enum footprint_space: of memory, or threads */
};

struct object_change {
	size_t move;
	struct object_state after;
};

struct object_log {
	VEC(struct object_change) changes;
};

struct objects {
	bool is_on;
	struct map of;		     /* name: number of its log plus one */
	VEC(struct object_log) logs; /* kept for the next history */
	size_t logs_used;
};

void objects_release(struct objects *o);
/* For a history of which no move is known yet. */
void objects_begin(struct objects *o, bool is_on);
/* The next move of the history is known. */
void objects_add(struct objects *o, const struct move *m, size_t number);

/*
 * What an operation, or all of a move, does to the object.  `counts`: it would have been made; of
 * one that would not, only the value of a semaphore is learnt.
 */
void object_follow_op(struct object_state *s, const struct wire_op *op, uint32_t thread,
		      bool counts);
void object_follow(struct object_state *s, struct object_name name, const struct move *m,
		   bool counts);
/*
 * The object after the moves up to `first`, and those between `first` and `end` that `first` is
 * not before. Known are all before `end`.
 */
struct object_state objects_without(const struct objects *o, const struct moves *h,
				    struct object_name name, size_t first, size_t end);
/* Whether the thread could have what it needs of the object. */
bool object_is_free_for(const struct object_state *s, const struct wire_op *need, uint32_t thread);
/* Whether the thread waits to write a lock that lets writers first, and others know. */
bool object_is_asked_by(const struct object_state *s, uint32_t thread);

#endif
