/* SPDX-License-Identifier: Apache-2.0 */
/* What tasks, task groups, dependences and barriers share: the queue of ready tasks of a team. */
#ifndef HEDDLE_OMP_TASK_QUEUE_H
#define HEDDLE_OMP_TASK_QUEUE_H

#include "omp/team.h"

/* With the lock of the team's tasks held: what a waiter takes, or NULL. */
struct task *heddle_omp_queue_take(struct tasks *tasks, const struct waiter *waiter);
/* The same: adds a ready task.  A thread that waits for such a one is added to `woken`. */
void heddle_omp_queue_add(struct tasks *tasks, struct task *task, struct waiter **woken);
/* The same: adds all waiters for which the test is true to `woken`. */
void heddle_omp_queue_wake(struct tasks *tasks, bool (*test)(const struct waiter *, const void *),
			   const void *argument, struct waiter **woken);

/*
 * Executes tasks that the waiter takes, and waits for others, until the test is true.  The test
 * is made with the lock held.
 */
void heddle_omp_wait_until(struct thread *t, struct waiter *waiter, bool (*test)(const void *),
			   const void *argument);
/* Executes a task that is in no queue, up to its end. */
void heddle_omp_task_execute(struct thread *t, struct task *task);

/* A task of the running one, with room for a copy of its data. */
struct task *heddle_omp_task_make(struct thread *t, void (*function)(void *), long size,
				  long alignment);
void heddle_omp_task_copy(struct task *task, void *data, void (*copy)(void *, void *), long size);
/* It becomes ready, or is executed at once. */
void heddle_omp_task_start(struct thread *t, struct task *task);
/* Whether the running task's children are executed at once. */
bool heddle_omp_is_undeferred(const struct thread *t);

/* Dependences (depend.c).  Before the task starts: */
void heddle_omp_depend(struct thread *t, struct task *task, void **list);
/* With the lock held: finds the unfinished tasks that it has to wait for. */
void heddle_omp_depend_link(struct task *task);
/* When it is executed; when it has ended, before and with the lock held. */
void heddle_omp_depend_receive(const struct task *task);
void heddle_omp_depend_publish(const struct task *task);
void heddle_omp_depend_unlink(struct task *task, struct waiter **woken);

#endif
