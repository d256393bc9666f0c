/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One search of several walkers (dpor.h), each a thread of the tool with a program of its own.
 *
 * Each walker owns a subtree.  The nodes above it are *shared*: they are here, under one lock,
 * and each knows what is asleep there, what is still to be explored and by nobody taken, and how
 * many walkers and shared nodes are below it.  Who has nothing left takes the first child of a
 * shared node's wake-up tree.  If there is none, a walker that has some gives away: it makes its
 * nodes shared down to the highest that has children left, and goes on below.
 *
 * Why nothing is lost.  A child that somebody has taken counts as asleep for those after it, as
 * it would once it has been explored: what begins with it is explored by its walker.  In the
 * paper (wakeup.h) that is all there is to say, because its races have filled the wake-up trees
 * by then: a sequence that begins with a later sibling stands below that one in the tree.  Here
 * the later one may have been taken before, and then the sequence is not inserted.  So in a
 * subtree that was taken while an earlier sibling was under way, that one sleeps as an *open*
 * move: it still keeps executions from being explored that begin with it (nothing is explored
 * twice), but a sequence is dropped only if the move itself is a part of its beginning, not for
 * being independent of all of it.  These are initials in place of weak initials, that is source
 * sets in place of wake-up trees (Abdulla and others, POPL 2014, section 4), which are complete
 * for each subtree alone, at the price of executions that are given up halfway because only
 * sleepers could go on.
 *
 * The state of a search is a tree of nodes, without anything of walkers: what they are below of
 * counts as untaken in what is saved.  So it can be continued by another number of them.
 */
#ifndef HEDDLE_EXPLORE_DPOR_SHARE_H
#define HEDDLE_EXPLORE_DPOR_SHARE_H

#include <pthread.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "explore/dpor/dpor.h"

/* Operations in a shared node are its own (opset_copy), because references are counted without a
 * lock. */
struct shared_node {
	struct shared_node *above; /* NULL: the root */
	size_t depth;
	struct branch made; /* the move that leads here; not of the root */
	size_t place;	    /* of that move among those asleep above */
	struct dpor_node node;
	VEC(bool) under_way; /* for each move asleep: somebody is below it */
	bool is_taken;	     /* a child of it: what the program does there is not known yet */
	/* that child; without operations: there is no plan, others are let run */
	struct wakeup taken;
	uint32_t below; /* walkers, and shared nodes, that have it as the next one above */
	size_t index;	/* in the search */
};

struct search {
	pthread_mutex_t lock;
	VEC(struct shared_node *) nodes;
	VEC(struct buffer_of) buffers; /* the numbers that all walkers use */
	uint32_t walkers;
	uint32_t hungry;	 /* of them have found nothing to do; read without the lock */
	bool has_begun, is_over; /* is_over is read without the lock */
	/* there may be something to do for those who have nothing; NULL: nobody waits */
	void (*wake)(void *arg);
	void *wake_arg;
};

void search_init(struct search *s, uint32_t walkers);
void search_release(struct search *s); /* after its walkers */
bool search_is_over(const struct search *s);

/* ---- for walkers ---- */
/* Whether this walker is the one that begins. */
bool search_begin(struct search *s, struct dpor *d);
/* The walker has nothing left: make it stand before a child that nobody explores; false: there is
 * none now. */
bool search_take(struct search *s, struct dpor *d);
/* What the child that the walker has taken turned out to be; NULL: nothing came of it. */
void search_know(struct search *s, struct dpor *d, const struct branch *made);
/* Give something away, if somebody is hungry and there is something to give. */
void search_give(struct search *s, struct dpor *d);
size_t search_number_buffer(void *arg, struct moves *h, struct buffer_of b);
/* Locked access to a shared node; buffers that others have seen are known then. */
struct dpor_node *search_lock(struct search *s, struct moves *h, struct shared_node *n);
void search_unlock(struct search *s);
/* Estimated parts of the whole search: what is behind in what is shared, and the walker's own
 * subtree. */
double search_progress(struct search *s);
double search_share(struct search *s, const struct dpor *d);

/* ---- on disk (share_save.c) ---- */
/* The walkers are those of the search; none is within dpor_plan() or dpor_take(). */
void search_save(const struct search *s, struct dpor *const *walkers, size_t count,
		 struct buf *out);
/* Into a search that has not begun.  Errors: ERR_FORMAT. */
int search_load(struct search *s, struct bytes *in, struct err *err);

/* ---- for share_save.c ---- */
#define NO_PLACE SIZE_MAX
struct shared_node *search_add(struct search *s, struct shared_node *above);
/* One walker or node less below it, by that move; those above that have nothing left go. */
void search_leave(struct search *s, struct shared_node *n, size_t place);

#endif
