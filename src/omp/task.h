/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks, their dependences and groups, and how threads wait for them. */
#ifndef HEDDLE_OMP_TASK_H
#define HEDDLE_OMP_TASK_H

#include <semaphore.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "omp/hooks.h"
#include "omp/settings.h"

struct thread;
struct team;
struct task;

struct group {
	struct group *outer;
	uint32_t joined; /* published by each task that ends */
	unsigned count;	 /* tasks that have not ended */
	bool was_used;	 /* by any task */
	bool is_cancelled;
	uintptr_t *reductions; /* registered, or NULL */
};

/* An address in depend clauses of the children of one task. */
struct place {
	struct place *next;
	uintptr_t address;
	uint32_t written, read;	 /* published by tasks with depend(out) and with depend(in) */
	struct dependence *open; /* of tasks that have not ended */
};

struct dependence {
	struct dependence *next; /* at the same place */
	struct place *place;
	struct task *task;
	bool is_out;
};

#define PLACES 64 /* lists of places, by a hash of the address */

struct task {
	void (*function)(void *);
	void *data;
	struct task *parent;
	struct group *group;
	struct task *next; /* in the queue */
	struct task_settings settings;
	int priority;
	bool is_final;
	bool is_explicit;
	bool had_children;		 /* only the thread that executes it looks */
	bool has_ended;			 /* its memory goes with its last child */
	bool waits_for_event, has_event; /* detach: until omp_fulfill_event() */
	bool is_undeferred;		 /* the thread that created it executes it */
	bool is_counted;		 /* in its parent, its group and its team */

	uint32_t created;    /* published when it is created */
	uint32_t joined;     /* published by each child that ends */
	unsigned children;   /* that have not ended */
	unsigned unresolved; /* dependences on tasks that have not ended */
	struct dependence *dependences;
	unsigned dependence_count;
	struct place **places; /* of the children's depend clauses */
	struct team *team;
	struct waiter *waiter; /* of the thread that waits to execute it */
};

/* A thread that waits; on its stack, and in a list under a raw lock until it is woken. */
struct waiter {
	struct waiter *next;
	struct thread *thread;
	const struct task *parent; /* takes children of it */
	const struct group *group; /* takes tasks of it */
	bool takes_all;		   /* in a barrier */
	bool can_be_cancelled;	   /* in a barrier that ends when the region is cancelled */
	uint64_t number;	   /* what a wait in a worksharing construct is for */
};

struct tasks {
	uint32_t step;		/* of omp_step() */
	uint32_t arrived_at[2]; /* barriers, even and odd: published by those that arrive */
	struct raw_lock lock;
	struct task *first; /* the queue: ready, by priority, oldest first */
	unsigned count;	    /* tasks that have not ended */
	struct waiter *waiters;
	unsigned arrived;	      /* at the barrier */
	unsigned arrived_cancellable; /* of these: where the region may be cancelled */
	uint32_t passed;	      /* barriers */
	bool is_cancelled;	      /* the parallel region */
};

void heddle_omp_task_release(struct task *task);

#endif
