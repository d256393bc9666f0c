/* SPDX-License-Identifier: Apache-2.0 */
/* Private to ask.c, decide.c, core.c and task.c: a question about one move, and its answer. */
#ifndef HEDDLE_EXPLORE_MCR_QUESTION_H
#define HEDDLE_EXPLORE_MCR_QUESTION_H

#include "explore/mcr/mcr.h"

/* One move, while combinations of its sources are tried. */
struct question {
	struct mcr *search;
	struct mcr_node *node;
	uint32_t move;
	size_t enabled_by;
	/* it is to come before this move: to run out of time, or not to be the last; NOBODY */
	uint32_t waker;
	/* what it does if it runs out of time; NULL: it does not */
	const struct opset *late;
	/* only what it finds when it looks for signals is asked; or that stays */
	bool is_look, keeps_look;
	bool looks; /* the move looks for signals */
	VEC(struct touch) touches;
	VEC(uint32_t) added;
	VEC(uint32_t) pasts; /* a clock for each touch that is decided, and one more */
	size_t seeing;	     /* touches that see something */
	VEC(uint32_t) rivals;
	/* the touches, if the move fails: of memory that is gone nothing else is seen */
	VEC(struct touch) failing;
	/* of sources that have been tried, for the touches that are decided */
	VEC(uint64_t) groups;
};

static inline const struct move *asked(const struct question *q)
{
	return &q->search->history.moves.at[q->move];
}

static inline uint32_t *past_at(const struct question *q, size_t decided)
{
	return q->pasts.at + decided * q->search->history.stride;
}

/* The end of everything, if it is in the part, and neither it nor a move in its place is asked
 * about; NOBODY. */
static inline uint32_t question_end(const struct question *q, const uint32_t *lengths)
{
	uint32_t cut = q->search->cut;
	if (cut == NOBODY)
		return NOBODY;
	const struct move *end = &q->search->history.moves.at[cut];
	bool is_asked = end->column == asked(q)->column && end->index == asked(q)->index;
	return is_asked || lengths[end->column] < end->index ? NOBODY : cut;
}

/*
 * If the touch is that of a signal which may end its receiver's wait for an object: the first move
 * with which the receiver waits there.  The runtime reports such touches from then on
 * (rt/signal_look.c).  NOBODY: it is another touch.
 */
uint32_t question_ended_wait(const struct question *q, const struct touch *t);

/* The part that a core and a past make, with what follows from it by value. */
void question_part(const struct question *q, const struct core *c, const uint32_t *past,
		   uint32_t *lengths);

/* ---- core.c ---- */
/* What a core says about a thread; NULL: nothing. */
const struct core_entry *core_entry_of(const struct core *c, uint32_t thread);
/* How many moves of a core's thread are kept where the move `asked` is asked about. */
uint32_t core_kept_length(const struct mcr *m, const struct core_entry *e, uint32_t asked);
/* A core that is to be: all of its moves are those of the history, but for the last one of one
 * thread. */
struct new_core {
	const struct mcr *search;
	struct core core;
	uint32_t thread, move;
	/* of that one: what sources_life_with() and sources_look_with() say */
	uint64_t life, look;
};
/* `wanted`: moves by column that are needed; the old core comes with them. */
void new_core_make(struct new_core *n, const struct mcr_node *node, const uint32_t *wanted,
		   uint64_t hash, uint32_t choices);
bool new_core_is_explored(const struct new_core *n, const struct mcr_node *node);

/* ---- decide.c ---- */
/*
 * Tries each combination of sources of the touches from `at` on.  `differs`: what is decided so far
 * is not what the execution had.
 */
void question_decide(struct question *q, size_t at, bool differs);

/* ---- task.c ---- */
/* Touches of the move that may turn out to change what they see become such. */
void question_widen(struct question *q);
/*
 * All touches are decided: make a task of it, unless there is no order or it was explored.
 * `hash` and `choices` are those of the move in the core, `ops` what it is planned as.
 */
void question_consider(struct question *q, uint64_t hash, uint32_t choices, struct opset *ops);

#endif
