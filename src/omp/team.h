/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads, teams and barriers.
 *
 * A thread that begins a parallel region is the master of a team and has number 0 in it.  The
 * other members are workers of the team.  A team belongs to its master and to a depth of nesting;
 * both team and workers stay for later regions, so that threadprivate variables keep their
 * values.  Outside of regions a thread is alone in a team of its own.
 */
#ifndef HEDDLE_OMP_TEAM_H
#define HEDDLE_OMP_TEAM_H

#include <pthread.h>
#include <semaphore.h>

#include "omp/hooks.h"
#include "omp/settings.h"
#include "omp/task.h"
#include "omp/work.h"

struct member {
	struct task task; /* the implicit task */
	struct thread *thread;
	struct worker *worker; /* NULL for the master */
};

struct team {
	unsigned size;
	unsigned level, active_level;
	struct team *outer;
	unsigned outer_number; /* the master's number in the outer team */
	struct team *next;     /* the master's team for a region inside of one of this team */
	struct member *members;
	unsigned capacity; /* of members */

	void (*function)(void *);
	void *data;
	struct work *first_work; /* a loop or sections that begin with the region, or NULL */
	uint32_t start_epoch;	 /* of all members at the start of the region */

	pthread_barrier_t barrier; /* where no thread executes tasks while it waits */
	unsigned barrier_size;	   /* 0: not initialised */

	struct works works;
	struct tasks tasks;
};

/* What a thread is doing; saved while it is the master of an inner team. */
struct context {
	struct team *team;
	unsigned number;
	struct task *task;  /* the one it executes */
	uint32_t epoch;	    /* how many barriers of the team it has passed */
	unsigned works;	    /* how many worksharing constructs since the last one */
	struct work *work;  /* the current one */
	unsigned long trip; /* chunks of a static schedule that it has taken */
	uint64_t low, high; /* its current chunk, in numbers of iterations */
	bool has_chunk;
	unsigned team_number, teams; /* of the teams construct */
	unsigned teams_thread_limit;
};

struct thread {
	struct context now;
	struct team alone;  /* the team outside of regions */
	struct team *teams; /* of which it is or was the master, from the outside in */
	sem_t wake;	    /* one wait at a time (task.h) */
};

struct thread *heddle_omp_thread_make(void);
extern __thread struct thread *heddle_omp_self __attribute__((tls_model("initial-exec")));

static inline struct thread *thread_self(void)
{
	return heddle_omp_self ? heddle_omp_self : heddle_omp_thread_make();
}

void heddle_omp_wait(sem_t *semaphore);

/* What prepares the first worksharing construct of a region, in the master's name. */
typedef void prepare_fn(struct work *work, struct team *team, const void *arguments);

void heddle_omp_parallel(void (*function)(void *), void *data, unsigned threads,
			 prepare_fn *prepare, const void *arguments);
/* How many threads a region gets for which the program wants so many (0: the default). */
unsigned heddle_omp_team_size(unsigned wanted);
/* As heddle_omp_parallel(), with exactly that many threads, whose implicit tasks are in a group. */
void heddle_omp_parallel_in(struct group *group, void (*function)(void *), void *data,
			    unsigned size);

/* A barrier of the whole team, after which the thread's next construct is the first one. */
void heddle_omp_barrier(struct thread *t);
void heddle_omp_barrier_passed(struct thread *t);

#endif
