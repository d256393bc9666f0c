/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sources by value: writes that no move can distinguish count as one.
 *
 * That two writes leave the same value is not enough to join them: what a write depends on comes
 * with it, and a search that keeps one of them excludes executions which only the other allows.
 * Two writes are the same for a reader if they leave the same bytes and the reader's past has the
 * same *seeing* moves with either (Agarwal, Chatterjee, Pathak, Pavlogiannis, Toman: "Stateless
 * model checking under a reads-value-from equivalence", CAV 2021).  A move sees something if what
 * it does can depend on the order of moves: reads, operations on locks, choices.  What a thread
 * writes between two such moves follows from what it has seen, so it needs no place in a core
 * (mcr.h): it is there in every execution that has the core.
 *
 * Why nothing is lost: as in mcr.c, with *seeing* moves in place of all moves.  Let C be a
 * complete execution that has the seeing moves R of a task's core, each with the same values and
 * the same seeing moves in its past, and E the task's execution.  The first move m of C that E
 * does not have in this sense is in E with another value or past, because all moves before it are
 * in E; and so is its source in C, whose seeing past R' is before m.  Take all moves of E whose
 * seeing past is in R and R', and m: values_close().  Their order in C, with those that C lacks
 * at the end, where no move of the part sees them, gives each move of R and R' a source of its
 * group, for the source that it has in C has a smaller past.  So there is an order for arrange.c
 * to find, and the new core, R and R' and m, is a part of C and larger.
 *
 * The *group* of a touch stands for all writes that are the same to it.  What was there before
 * other threads wrote, the initial content or the thread's own write, is a group too, once its
 * value is known; it counts for nothing in hashes, as memory that is not shared does.
 *
 * Which writes are the same must not depend on the execution in question.  So what is learnt
 * about memory is kept: which was freed, and what it contained at first.  Where that changes an
 * earlier answer, the search restarts.
 */
#ifndef HEDDLE_EXPLORE_MCR_VALUES_H
#define HEDDLE_EXPLORE_MCR_VALUES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vec.h"
#include "explore/execution/moves.h"

struct sources;
struct touch;
struct raw;

#define GROUP_NONE 0 /* of a source that is distinguished from all others */
#define GROUP_BASE 1 /* what the thread would see if no other thread had written */

struct address_range {
	uint64_t low, high;
};

struct written {
	struct wire_op op;
	bool is_initial; /* what was there at first, as far as that is known */
};

struct values {
	bool is_on;
	uint32_t changes; /* refinements that changed classes */
	VEC(struct address_range) freed;
	struct map initial;	 /* by address: byte and 1, or INITIAL_VARIES */
	uint64_t varied;	 /* so many bytes were different at first in different executions */
	struct map known_writes; /* a hash of each of the following */
	VEC(struct written) written; /* whatever was written where others could see it */
	VEC(uint8_t) sees;	     /* by move */
	/* by move: index of the last move of its thread, up to it, that sees something; 0: none */
	VEC(uint32_t) last_seeing;
	/* clocks as those of the history, without order by touches that are open */
	VEC(uint32_t) firm;
	VEC(uint32_t) before, joined; /* scratch: clocks */
};

void values_release(struct values *v);

/* ---- for sources.c and spots.c, in this order ---- */
/* Memory that is freed in the history; gives whether some is new. */
bool values_note_freed(struct sources *s, const struct moves *h);
/* A move has this operation. */
void values_note(struct sources *s, const struct raw *r);
/* Which moves see something; after spots. */
void values_find_seeing(struct sources *s, const struct moves *h);
/* What memory contained at first, and what is written; after sources.  Whether classes are others
 * now. */
bool values_note_contents(struct sources *s, const struct moves *h);
/* That was written. */
void values_note_written(struct values *v, const struct wire_op *op);
/* After the pasts: which touches are open, that is, have several sources of one group, and the firm
 * clocks. */
void values_find_open(struct sources *s, const struct moves *h);

/* ---- for ask.c, task.c and arrange.c ---- */
/* The group of that source for a touch of a move whose past without what it sees is `before`. */
uint64_t values_group(const struct sources *s, const struct moves *h, const struct touch *t,
		      const uint32_t *before, uint32_t source);
/* The history with firm clocks; by writer it is the history. */
struct moves values_view(const struct sources *s, const struct moves *h);
/* How much of so many moves of a column's thread a core has to name. */
uint32_t values_trim(const struct sources *s, uint32_t column, uint32_t length);
/*
 * Add to a part what is there in every execution that has it: moves that see nothing, of all
 * columns but `except`, but not the move `end` nor what comes after the move `after`.
 */
void values_close(const struct sources *s, const struct moves *h, uint32_t *lengths,
		  uint32_t except, uint32_t end, uint32_t after);

#endif
