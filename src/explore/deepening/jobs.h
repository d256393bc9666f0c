/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which state space to explore next (Blum and Gibson, Stateless model checking with data-race
 * preemption points, OOPSLA 2016: Quicksand).  A job is a set of points and its partly explored
 * space.  This is the deciding part only: it runs nothing and knows no clock, so its rules can be
 * tested one by one.
 */
#ifndef HEDDLE_JOBS_H
#define HEDDLE_JOBS_H

#include "explore/deepening/points.h"

enum job_state { JOB_PENDING, JOB_RUNNING, JOB_SUSPENDED, JOB_COMPLETED, JOB_CANCELLED };

/* Rules of the paper's implementation, with its defaults. */
#define JOBS_MIN_EXECUTIONS 32 /* before that an estimate means nothing */
#define JOBS_LAST_SECONDS 60   /* of the budget: nothing is suspended any more */
#define JOBS_ETA_FACTOR 2      /* estimates may exceed what is left by so much */

struct job {
	struct point_set points;
	enum job_state state;
	/* its candidates make new jobs, its completion says something about its points */
	bool may_spawn;
	bool found_bug;
	uint64_t executions;
	double eta;  /* seconds; estimated while running */
	void *space; /* the explorer's */
};

struct jobs {
	const struct points *points;
	VEC(struct job *) all;
	struct point_set explored; /* points of completed jobs that may spawn */
};

void jobs_init(struct jobs *j, const struct points *points);
void jobs_release(struct jobs *j);

/* A new pending job; NULL if there is one with exactly these points, or a smaller one has found a
 * bug. */
struct job *jobs_add(struct jobs *j, const struct point_set *points, bool may_spawn);
/* While `from` ran, an instruction was seen to race: the jobs that follow from it. */
void jobs_candidate(struct jobs *j, const struct job *from, point_id point, bool is_first_sight);
/* What a free worker should run, now running; NULL: there is nothing. */
struct job *jobs_next(struct jobs *j);
/* Whether the estimate of a running job is far beyond what is left. */
bool jobs_is_too_long(const struct job *running, double seconds_left);
/* Whether something else deserves the time of a running job; that one is running then, and the
 * other suspended. */
struct job *jobs_instead_of(struct jobs *j, struct job *running, double seconds_left);
/* larger ones would find it, too: they are cancelled */
void jobs_found_bug(struct jobs *j, struct job *job);
void jobs_completed(struct jobs *j, struct job *job);
/* Whether the job has every point known so far that is not a recycled one. */
bool jobs_has_every_point(const struct jobs *j, const struct job *job);
/* Whether a completed job has every point known so far that is not a recycled one. */
bool jobs_are_saturated(const struct jobs *j);

#endif
