/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Wake-up trees (Abdulla, Aronsson, Jonsson, Sagonas: "Optimal dynamic partial order reduction",
 * POPL 2014): what is still to be explored from one node of the search.  A path from the root is
 * a sequence of moves, to be made one after the other and followed freely; children are explored
 * in their order.
 *
 * A *sequence* that may be inserted is a part of the current history: moves after some move e
 * that e is not before, and at its end the move that is to come before e.  Its order among them
 * is that of the history; that of the last one follows from its predicted footprint.
 */
#ifndef HEDDLE_EXPLORE_DPOR_WAKEUP_H
#define HEDDLE_EXPLORE_DPOR_WAKEUP_H

#include "explore/execution/moves.h"

struct wakeup {
	struct branch branch; /* unused in a root */
	VEC(struct wakeup) children;
};

/* Room for so many children.  Most nodes are on a path and have one, so the first room is no
 * larger. */
void wakeup_reserve(struct wakeup *w, size_t children);
void branch_release(struct branch *b);
struct branch branch_copy(const struct branch *b); /* with operations of its own */
struct branch branch_ref(const struct branch *b);  /* with the same operations */
void wakeup_release(struct wakeup *w);		   /* with its branch */
struct wakeup wakeup_copy(const struct wakeup *w); /* with operations of its own */

struct sequence {
	VEC(size_t) moves;     /* of the history */
	size_t planned;	       /* the first of them are before the move that is to come earlier */
	struct branch last;    /* predicted (is_predicted); its reference belongs to the sequence */
	uint32_t *last_before; /* clock of what is before it anyway */
};

void sequence_release(struct sequence *s);

/* Branches in an array whose elements begin with one. */
struct branches {
	const void *first;
	size_t count, stride;
};

static inline const struct branch *branches_at(struct branches b, size_t i)
{
	return (const struct branch *)(const void *)((const char *)b.first + i * b.stride);
}

/* Whether all answers of a thread are among them that make its first choices as `like` does. */
bool branches_answer_all(struct branches all, const struct branch *like, uint32_t choices);

/*
 * Whether every execution that begins with the sequence is equivalent to one that begins with the
 * move: that is the first of its thread in the sequence and nothing there is before it, or it
 * depends on nothing there. A move with choices stands for all their answers if the caller says
 * so; otherwise what comes after another answer would be forgotten.
 */
bool sequence_can_begin_with(const struct moves *h, const struct sequence *s,
			     const struct branch *b, bool has_all_answers);

/* Whether the thread of the move has one in the sequence. */
bool sequence_has_thread(const struct moves *h, const struct sequence *s, const struct branch *b);

/*
 * Add the sequence unless what is there leads to it; the sequence is used up.  `is_shared`: the
 * tree has operations of its own.  Gives whether something was added.
 */
bool wakeup_insert(const struct moves *h, struct wakeup *root, struct sequence *s, bool is_shared);

#endif
