/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Wake-up trees (Abdulla, Aronsson, Jonsson, Sagonas: "Optimal dynamic partial order reduction", POPL 2014): what is
 * still to be explored from one node of the search.  A path from the root is a sequence of moves, to be made one after the
 * other and followed freely; children are explored in their order.
 *
 * A *sequence* that may be inserted is a part of the current history: moves after some move e that e is not before, and
 * at its end the move that is to come before e.  Its order among them is the history's; that of the last one follows from
 * its guess.
 */
#ifndef HEDDLE_EXPLORE_WAKEUP_H
#define HEDDLE_EXPLORE_WAKEUP_H

#include "explore/moves.h"

struct wakeup {
	struct branch branch;		/* unused in a root */
	VEC(struct wakeup) children;
};

void branch_release(struct branch *b);
void wakeup_release(struct wakeup *w);	/* with its branch */

struct sequence {
	VEC(size_t) moves;		/* of the history */
	struct branch last;		/* is_guess; its reference belongs to the sequence */
	uint32_t *last_before;		/* clock of what is before it anyway */
};

void sequence_release(struct sequence *s);

/*
 * Whether every execution that begins with the sequence is equivalent to one that begins with the move: that is the first of
 * its thread in the sequence and nothing there is before it, or it depends on nothing there.  A move with choices stands
 * for all their answers if the caller says so; otherwise what comes after another answer would be forgotten.
 */
bool sequence_can_begin_with(const struct moves *h, const struct sequence *s, const struct branch *b, bool has_all_answers);

/* Add the sequence unless what is there leads to it; the sequence is used up. */
void wakeup_insert(const struct moves *h, struct wakeup *root, struct sequence *s);

#endif
