/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sources of what the moves of an execution saw (reads-from).
 *
 * Memory, and everything else that moves can touch, is divided into *spots*: pieces that every
 * access covers completely or not at all.  Spots that only one thread uses, or that no move
 * changes, are left out.  A move *sees* a spot, *sets* it (whatever was there), *adds* to it
 * (several additions commute: posts of a semaphore, holders of a lock for reading), or does
 * several of these at once: an operation on a lock sees and sets it, so it comes after exactly
 * one other.
 *
 * The *source* of what a move sees is the last move that set the spot, or none, together with
 * all additions.  Executions are distinguished by the sources of their moves, not by their order:
 * a write sees nothing, so two writes whose values no move sees are not ordered.
 * (Reads-from equivalence; Abdulla, Atig, Jonsson, Lang, Ngo, Sagonas: "Optimal stateless model
 * checking for reads-from equivalence under sequential consistency", OOPSLA 2019, for locks too.)
 *
 * The *past* of a move is what it requires: earlier moves of its thread, what created or
 * woke it, its sources, and all their pasts.  It is kept as a clock (moves.h), and as a hash that
 * two executions share if the move has the same past in both.
 */
#ifndef HEDDLE_EXPLORE_MCR_SOURCES_H
#define HEDDLE_EXPLORE_MCR_SOURCES_H

#include "explore/mcr/depends.h"
#include "explore/execution/moves.h"
#include "explore/cancellation.h"
#include "explore/mcr/values.h"

#define NOBODY UINT32_MAX
#define ALL_CHOICES UINT32_MAX
/* instead of choices: only whether what it touches is there is known of a move */
#define ONLY_LIFE (UINT32_MAX - 1)
/* likewise: only which signals it found; what it does depends on that (rt/signal_look.c) */
#define ONLY_LOOK (UINT32_MAX - 2)
static inline bool core_is_partial(uint32_t choices)
{
	return choices == ONLY_LIFE || choices == ONLY_LOOK;
}

enum touch_bits {
	TOUCH_SEES = 1,
	TOUCH_SETS = 2,
	TOUCH_ADDS = 4,
	/* sets it, and its life ends or begins: even a write must come before or after */
	TOUCH_ENDS = 8,
	TOUCH_STORES = 16,  /* puts it into a buffer */
	TOUCH_NO_ADDS = 32, /* sees only which move set it */
	TOUCH_NO_SETS = 64, /* sees only which life of the object it is */
};

struct touch {
	uint32_t move, spot;
	uint8_t bits;
	bool is_open; /* by value: other sources would do as well */
	/* of a question: the move comes before `source` and does not touch the spot there */
	bool is_absent;
	/* under TSO and PSO: the thread's own store, whether it has left the buffer or not */
	bool is_own;
	/* of what is seen: a move, or NOBODY; own stores: their flush, wherever it is */
	uint32_t source;
	/* flush of the last own store, which came before the source; NOBODY: there is none */
	uint32_t own;
	uint64_t group; /* of the source (values.h) */
	uint64_t added; /* sum of the hashes of what others added */
};

struct spot {
	uint64_t low, high;
	uint8_t space;
	uint32_t first, count; /* of `uses` */
};

/* The move `other` must not come between `source` and `seer`; without a source it must come after
 * the seer. */
struct apart {
	uint32_t seer, source, other;
};

struct sources {
	/* moves that were made; behind them are those that threads wait to make */
	size_t real;
	VEC(struct spot) spots;
	VEC(struct touch) touches; /* in the order of moves */
	VEC(uint32_t) touch_first; /* by move, and one more */
	VEC(uint32_t) uses;	   /* touches, by spot, in the order of moves */
	VEC(struct apart) aparts;  /* those that the pasts do not decide */
	/* by move: hash of its past without and with its own choices */
	VEC(uint64_t) seen, whole;
	/*
	 * Threads and buffers that have moves in the history, in order: its *columns*.  Clocks,
	 * and all that is by thread here, have an entry for each of them: of the numbers of
	 * threads most are those of buffers that are used in other executions.
	 */
	VEC(uint32_t) threads;
	VEC(uint32_t) column_of; /* by thread; NOBODY: it has no moves */
	VEC(uint32_t) numbers;	 /* moves by column: those of column c begin at first.at[c] */
	VEC(uint32_t) first;	 /* one more than columns */
	VEC(uint32_t) made;	 /* by column: how many moves its thread made */
	/* memory for whose change threads have waited; it is ordered, see waits.c */
	VEC(struct address_range) awaited;
	struct values values;
	struct depends depends;		   /* set by the caller that begins the search */
	struct cancellation *cancellation; /* likewise */
	struct sources_scratch *scratch;
};

void sources_release(struct sources *s);
/*
 * Those of the history.  Moves that threads wait to make at its end are added to it.  Gives
 * whether a refinement changes what moves see: memory is awaited now that was not before, or
 * values are known that change classes.  Then what was explored before must be explored again.
 */
bool sources_find(struct sources *s, struct moves *h);
/* A number that changes with each refinement. */
uint64_t sources_refinements(const struct sources *s);
/* The clocks of the history become the pasts.  If that is cancelled the rest is not found. */
void sources_find_pasts(struct sources *s, struct moves *h);

/* Whether the move ended in a failure of its own, so that what it would have done is not known. */
bool opset_has_failed(const struct opset *s);
/* Whether it is about a lock for reading. */
bool op_is_shared(const struct wire_op *op);
/* Number of the thread whose move it is; of a flush: whose store. */
uint32_t move_owner(const struct moves *h, uint32_t move);
static inline uint32_t sources_move(const struct sources *s, size_t column, uint32_t index)
{
	return s->numbers.at[s->first.at[column] + index - 1];
}
/* The column of a thread; NOBODY: it has no moves. */
static inline uint32_t sources_column(const struct sources *s, uint32_t thread)
{
	return thread < s->column_of.len ? s->column_of.at[thread] : NOBODY;
}
/* The past of a move without what it sees; `enabled_by` as in struct move. */
void sources_past_before(const struct moves *h, uint32_t move, size_t enabled_by, uint32_t *clock);
/*
 * Add to a clock what a touch sees, with its past; not the source if others would do as well.
 * Gives the sum of the hashes of what others added.
 */
uint64_t sources_join(const struct sources *s, const struct moves *h, const struct touch *t,
		      uint32_t *clock);
/* Hash of the past of a move, and of its first choices. */
uint64_t sources_hash(const struct moves *h, const struct sources *s, uint32_t move,
		      uint32_t choices);
/*
 * The same for a move that would have these touches, in the order of spots.
 */
uint64_t sources_hash_with(const struct moves *h, const struct sources *s, uint32_t move,
			   size_t enabled_by, const struct touch *touches, size_t count);
/* Likewise, but of the touches only what ended the life of a spot counts. */
uint64_t sources_life_with(const struct moves *h, const struct sources *s, uint32_t move,
			   size_t enabled_by, const struct touch *touches, size_t count);
/* Likewise, but only where a thread that looks for signals finds them counts. */
uint64_t sources_look_with(const struct moves *h, const struct sources *s, uint32_t move,
			   const struct touch *touches, size_t count);
/* Whether the touch is a look of its thread for signals. */
bool touch_is_look(const struct moves *h, const struct sources *s, const struct touch *t);
/* The move that ended the life of what is seen; NOBODY: it is alive. */
uint32_t sources_end_of_life(const struct sources *s, const struct touch *t);
/* Whether the second touch changes what the first one sees. */
static inline bool touch_is_seen(const struct touch *seer, const struct touch *other)
{
	uint8_t seen = seer->bits & TOUCH_NO_SETS   ? TOUCH_ENDS
		       : seer->bits & TOUCH_NO_ADDS ? TOUCH_SETS | TOUCH_ENDS
						    : TOUCH_SETS | TOUCH_ADDS | TOUCH_ENDS;
	return seer->bits & TOUCH_SEES && other->bits & seen;
}
/* Whether it matters to the touch what others have added. */
static inline bool touch_sees_additions(const struct touch *t)
{
	return t->bits & TOUCH_SEES && !(t->bits & (TOUCH_NO_ADDS | TOUCH_NO_SETS));
}

#endif
