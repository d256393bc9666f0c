/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which earlier moves a move may depend on, without looking at all of them.
 *
 * Each use within eight bytes (or of a thread, a descriptor, ...) is linked with the use of the
 * same kind of the same bytes before it, so that the moves that may be in conflict with an
 * operation are met from the last one downwards: for a read those that change one of its bytes,
 * and not other reads.  What else a move depends on (uses of many places at once, the end of a
 * block's life and stores that wait in buffers) has lists of its own.  The answer is an
 * over-approximation: all moves on which there is a dependence, and few others.
 *
 * Uses are linked thread by thread, and a walk along those of a thread ends as soon as a clock
 * covers one: it covers all before it, too.  So an execution in which threads follow each other,
 * however often they use the same memory, takes time in proportion to its length.
 *
 * Short histories are not worth it: there all earlier moves are met.
 */
#ifndef HEDDLE_EXPLORE_EXECUTION_CONFLICTS_H
#define HEDDLE_EXPLORE_EXECUTION_CONFLICTS_H

#include "base/map.h"
#include "explore/execution/moves.h"

/* One use: by that move; 0, or one more than the number of the use before it, by the same thread.
 */
struct conflict_use {
	uint32_t move, before;
};

/*
 * The uses of the same bytes of one place in one way by a thread; the last one, and the next list
 * of the place, plus one each.
 */
struct conflict_list {
	uint32_t thread, last, next;
	uint8_t bytes; /* a bit each */
};

/* Where a walk is in such a list. */
struct conflict_cursor {
	uint32_t thread, use;
};

struct conflicts {
	size_t worth_it; /* it is used for histories of at least so many moves */
	bool is_on;
	struct map places; /* place and way to use it: its first list plus one */
	VEC(struct conflict_list) lists;
	VEC(struct conflict_use) uses;
	/* The walk. */
	VEC(struct conflict_cursor) cursors;
	bool meets_all; /* moves below `next`, whatever they are */
	size_t next;
};
#define CONFLICTS_WORTH_IT 256

void conflicts_release(struct conflicts *c);
/* For a history that is about to get its order: no move is known yet. */
void conflicts_begin(struct conflicts *c, const struct moves *h);
/* The next move of the history is known. */
void conflicts_add(struct conflicts *c, const struct move *m, size_t number);
/* Begin to walk down from `end`, along what the branch may depend on. */
void conflicts_walk(struct conflicts *c, const struct moves *h, const struct branch *b, size_t end);
/* The next move of another thread that the clock does not cover; NO_MOVE: there are no more.
 * Where all are met some may be covered, or of the same thread. */
size_t conflicts_next(struct conflicts *c, const struct moves *h, const uint32_t *clock);

#endif
