/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Iterative deepening (Blum and Gibson, Stateless model checking with data-race preemption
 * points, OOPSLA 2016; Blum, Soundness Proofs for Iterative Deepening, 2016).
 *
 * A state space is explored that changes threads at synchronisation only.  Every execution is
 * watched for race candidates; each racing instruction becomes a point in front of which a larger
 * state space may change threads, too.  When a space with all points known has been explored to
 * its end and no execution of it showed another one, then nothing is left that changes of threads
 * anywhere else could show (theorem 1 there).
 *
 * A plain access that fails because its memory was freed becomes a point, too: the failure ends
 * all output.
 *
 * Atomic accesses, heap functions and output are synchronisation here, and both sides of each
 * synchronising step are points.  So calls that show whether a thread is blocked (a try, a
 * timeout) need no extra rule, and the rule for recycled heap memory is used with the correction
 * that it needs (points at malloc and free).
 *
 * The spaces are explored one after the other, each with all points found so far; one that lacks
 * points is left once it shows no new ones.  With a limit of time, a space that would take far
 * longer than what is left is suspended after a while, and spaces of smaller sets are tried
 * (jobs.h).
 */
#ifndef HEDDLE_DEEPEN_H
#define HEDDLE_DEEPEN_H

#include "explore/deepening/candidates.h"
#include "explore/dpor/pool.h"
#include "explore/deepening/jobs.h"

/* A state space: which points it has, and how far it has been explored. */
struct space {
	struct dpor_pool pool;
	const struct job *job;
	struct map racing;    /* instructions in front of which it changes threads */
	size_t number;	      /* in spaces */
	double seconds;	      /* spent on it so far */
	size_t points_known;  /* to all, when its last execution had been looked at */
	uint64_t quiet_since; /* its executions when it last showed a new point */
	unsigned users;	      /* workers that are in it at this time */
};

/* A worker of deepening. */
struct deepen_worker {
	struct space *space; /* of its present plan */
	struct job *job;
	struct candidates candidates;
	size_t merged; /* so many of them are known to all */
	double since;  /* when its execution was planned */
};

struct deepen {
	const struct explore_config *config;
	pthread_mutex_t lock; /* for everything but what a worker has for itself */
	struct points points;
	struct jobs jobs;
	struct candidates candidates;
	size_t candidates_used; /* so many have become points */
	struct job *job;	/* whose turn it is: the workers explore one space together */
	double budget;		/* seconds; 0: none */
	bool tries_smaller;	/* the budget does not suffice for the space with everything */
	bool has_locks;		/* an execution took one; kept if there is a budget */
	/* since the beginning; set by the caller before each plan, if there is a budget */
	double seconds;
	VEC(struct explore_space) spaces; /* that were begun */
	struct deepen_worker *workers;
};

void deepen_init(struct deepen *d, const struct explore_config *c);
void deepen_release(struct deepen *d);
/* As in struct strategy. */
const struct plan *deepen_plan(struct deepen *d, unsigned worker, bool *is_over);
int deepen_take(struct deepen *d, unsigned worker, const struct execution *x, struct taken *t,
		struct err *err);
/* An execution that another strategy planned shows points, too. */
void deepen_observe(struct deepen *d, unsigned worker, const struct execution *x, struct taken *t);
/* The space with everything would take too long: smaller ones are tried before.  The lock is held.
 */
void deepen_try_smaller(struct deepen *d);
/* Whether a space with every point has been explored to its end. */
bool deepen_is_complete(const struct deepen *d);

struct deepen_classes {
	size_t both_orders; /* pairs of instructions that were seen in both orders */
	size_t one_order;   /* if the search is complete, they cannot be reversed */
	size_t recycled;    /* seen only across lives of a heap block, and so not used */
};
struct deepen_classes deepen_classify(const struct deepen *d);

/* ---- deepen_save.c ---- */
void deepen_save(const struct deepen *d, struct buf *out);
int deepen_load(struct deepen *d, struct bytes *in, struct err *err); /* ERR_FORMAT */

/* ---- for deepen_save.c ---- */
struct space *space_new(struct deepen *d, struct job *job, size_t number);

#endif
