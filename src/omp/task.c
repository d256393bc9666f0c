/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tasks.  A team has one queue of ready tasks, and every thread that waits in it takes what its
 * wait allows: children of the running task, tasks of a group, at a barrier all.
 *
 * What is before a task is what its creator did before, and the tasks that it depends on.  What is
 * after it: its parent's taskwait, the end of its group, the next barrier.  Taking a task from the
 * queue orders nothing else.
 */
#include <stdlib.h>
#include <string.h>

#include "omp/barrier.h"
#include "omp/fail.h"
#include "omp/reduction.h"
#include "omp/task_queue.h"

#define QUEUED_FOR_EACH_THREAD 64 /* tasks; further ones are executed at once */

/* ---- the queue ---- */

static bool takes(const struct waiter *w, const struct task *task)
{
	return w->takes_all || (w->parent && task->parent == w->parent) ||
	       (w->group && task->group == w->group);
}

struct task *heddle_omp_queue_take(struct tasks *tasks, const struct waiter *waiter)
{
	for (struct task **slot = &tasks->first; *slot; slot = &(*slot)->next) {
		struct task *task = *slot;
		if (!takes(waiter, task))
			continue;
		*slot = task->next;
		return task;
	}
	return NULL;
}

static void take_waiter(struct waiter **slot, struct waiter **woken)
{
	struct waiter *w = *slot;
	*slot = w->next;
	w->next = *woken;
	*woken = w;
}

void heddle_omp_queue_wake(struct tasks *tasks, bool (*test)(const struct waiter *, const void *),
			   const void *argument, struct waiter **woken)
{
	for (struct waiter **slot = &tasks->waiters; *slot;) {
		if (test(*slot, argument))
			take_waiter(slot, woken);
		else
			slot = &(*slot)->next;
	}
}

/* A thread that waits only to execute this very task is not in need of the queue. */
void heddle_omp_queue_add(struct tasks *tasks, struct task *task, struct waiter **woken)
{
	struct waiter **w = &tasks->waiters;
	if (task->is_undeferred) {
		while (*w && *w != task->waiter)
			w = &(*w)->next;
		if (*w)
			take_waiter(w, woken);
		return;
	}
	struct task **slot = &tasks->first;
	while (*slot && (*slot)->priority >= task->priority)
		slot = &(*slot)->next;
	task->next = *slot;
	*slot = task;
	while (*w && !takes(*w, task))
		w = &(*w)->next;
	if (*w)
		take_waiter(w, woken);
}

static void add_waiter(struct tasks *tasks, struct waiter *waiter)
{
	struct waiter **end = &tasks->waiters;
	while (*end)
		end = &(*end)->next;
	waiter->next = NULL;
	*end = waiter;
}

void heddle_omp_wait_until(struct thread *t, struct waiter *waiter, bool (*test)(const void *),
			   const void *argument)
{
	struct tasks *tasks = &t->now.team->tasks;
	waiter->thread = t;
	for (;;) {
		omp_step(&tasks->step);
		raw_lock(&tasks->lock);
		if (test(argument))
			break;
		struct task *task = heddle_omp_queue_take(tasks, waiter);
		if (!task)
			add_waiter(tasks, waiter);
		raw_unlock(&tasks->lock);
		if (task)
			heddle_omp_task_execute(t, task);
		else
			heddle_omp_wait(&t->wake);
	}
	raw_unlock(&tasks->lock);
}

/* ---- the life of a task ---- */

bool heddle_omp_is_undeferred(const struct thread *t)
{
	const struct team *team = t->now.team;
	return t->now.task->is_final || !team->level ||
	       __atomic_load_n(&team->tasks.count, __ATOMIC_RELAXED) >
		       QUEUED_FOR_EACH_THREAD * team->size;
}

struct task *heddle_omp_task_make(struct thread *t, void (*function)(void *), long size,
				  long alignment)
{
	struct task *parent = t->now.task;
	if (alignment < 1)
		alignment = 1;
	struct task *task = heddle_omp_allocate(sizeof(*task) + (size_t)size + (size_t)alignment);
	uintptr_t at = (uintptr_t)(task + 1) + (uintptr_t)alignment - 1;
	task->function = function;
	task->data = (void *)(at - at % (uintptr_t)alignment);
	task->parent = parent;
	task->group = parent->group;
	task->settings = parent->settings;
	task->is_explicit = true;
	task->is_final = parent->is_final;
	task->team = t->now.team;
	return task;
}

void heddle_omp_task_copy(struct task *task, void *data, void (*copy)(void *, void *), long size)
{
	if (copy)
		copy(task->data, data);
	else if (size)
		memcpy(task->data, data, (size_t)size);
}

static void count_in(struct task *task)
{
	task->parent->children++;
	if (task->group) {
		task->group->count++;
		task->group->was_used = true;
	}
	__atomic_store_n(&task->team->tasks.count, task->team->tasks.count + 1, __ATOMIC_RELAXED);
}

static bool is_resolved(const void *task)
{
	return !((const struct task *)task)->unresolved;
}

/* A task that is executed at once is no other thread's affair, except for its dependences. */
static bool is_counted(const struct task *task)
{
	return !task->is_undeferred || task->dependence_count || task->waits_for_event;
}

void heddle_omp_task_start(struct thread *t, struct task *task)
{
	struct tasks *tasks = &task->team->tasks;
	struct waiter *woken = NULL, waiter = { .parent = task->parent };
	if (!is_counted(task)) {
		heddle_omp_task_execute(t, task);
		return;
	}
	task->is_counted = true;
	task->parent->had_children = true;
	task->waiter = &waiter;
	if (!task->is_undeferred)
		omp_publish(&task->created);
	omp_step(&tasks->step);
	raw_lock(&tasks->lock);
	count_in(task);
	heddle_omp_depend_link(task);
	if (!task->unresolved && !task->is_undeferred)
		heddle_omp_queue_add(tasks, task, &woken);
	raw_unlock(&tasks->lock);
	heddle_omp_wake_all(woken);
	if (!task->is_undeferred)
		return;
	if (task->dependence_count)
		heddle_omp_wait_until(t, &waiter, is_resolved, task);
	heddle_omp_task_execute(t, task);
}

static void free_task(struct task *task)
{
	heddle_omp_task_release(task);
	free(task);
}

/* Whether a waiter has reached what it waits for, when this task has ended. */
static bool waits_for_end(const struct waiter *w, const void *argument)
{
	const struct task *task = argument;
	return (w->parent == task->parent && !task->parent->children) ||
	       (w->group && w->group == task->group && !w->group->count);
}

static bool waits_at_barrier(const struct waiter *w, const void *unused)
{
	(void)unused;
	return w->takes_all;
}

/* With the lock held. */
static void count_out(struct tasks *tasks, struct task *task, struct waiter **woken)
{
	task->parent->children--;
	if (task->group)
		task->group->count--;
	__atomic_store_n(&tasks->count, tasks->count - 1, __ATOMIC_RELAXED);
	heddle_omp_depend_unlink(task, woken);
	heddle_omp_queue_wake(tasks, waits_for_end, task, woken);
	if (!tasks->count && tasks->arrived == task->team->size)
		heddle_omp_queue_wake(tasks, waits_at_barrier, NULL, woken);
}

static void finish(struct task *task)
{
	struct tasks *tasks = &task->team->tasks;
	struct task *parent = task->parent;
	struct waiter *woken = NULL;
	bool frees_parent = false;
	if (task->is_counted) {
		heddle_omp_depend_publish(task);
		omp_publish(&parent->joined);
		if (task->group)
			omp_publish(&task->group->joined);
		omp_step(&tasks->step);
	} else if (task->had_children) {
		omp_step(&tasks->step);
	}
	raw_lock(&tasks->lock);
	if (task->is_counted) {
		count_out(tasks, task, &woken);
		frees_parent = parent->is_explicit && parent->has_ended && !parent->children;
	}
	task->has_ended = true;
	bool is_last = !task->children;
	raw_unlock(&tasks->lock);
	heddle_omp_wake_all(woken);
	if (is_last)
		free_task(task);
	if (frees_parent)
		free_task(parent);
}

/* A task that was cancelled before it began is not executed. */
static bool is_cancelled(const struct task *task)
{
	return __atomic_load_n(&task->team->tasks.is_cancelled, __ATOMIC_RELAXED) ||
	       (task->group && __atomic_load_n(&task->group->is_cancelled, __ATOMIC_RELAXED));
}

void heddle_omp_task_execute(struct thread *t, struct task *task)
{
	struct task *before = t->now.task;
	if (!task->is_undeferred)
		omp_receive(&task->created);
	heddle_omp_depend_receive(task);
	t->now.task = task;
	if (!is_cancelled(task))
		task->function(task->data);
	t->now.task = before;
	if (!task->waits_for_event) {
		finish(task);
		return;
	}
	omp_publish(&task->created);
	raw_lock(&task->team->tasks.lock);
	bool has_event = task->has_event;
	task->waits_for_event = false;
	raw_unlock(&task->team->tasks.lock);
	if (has_event) {
		omp_receive(&task->created);
		finish(task);
	}
}

OMP_EXPORT void omp_fulfill_event(uintptr_t event)
{
	struct task *task = (struct task *)event;
	omp_publish(&task->created);
	raw_lock(&task->team->tasks.lock);
	bool has_ended = !task->waits_for_event;
	task->has_event = true;
	raw_unlock(&task->team->tasks.lock);
	if (has_ended) {
		omp_receive(&task->created);
		finish(task);
	}
}

/* ---- the compiler's names ---- */

enum {
	TASK_FINAL = 1 << 1,
	TASK_DEPEND = 1 << 3,
	TASK_PRIORITY = 1 << 4,
	TASK_DETACH = 1 << 13,
};

OMP_EXPORT void GOMP_task(void (*function)(void *), void *data, void (*copy)(void *, void *),
			  long size, long alignment, bool may_be_deferred, unsigned flags,
			  void **depend, int priority, void **event)
{
	struct thread *t = thread_self();
	struct task *task = heddle_omp_task_make(t, function, size, alignment);
	task->is_final |= (flags & TASK_FINAL) != 0;
	task->is_undeferred = !may_be_deferred || heddle_omp_is_undeferred(t);
	if (flags & TASK_PRIORITY)
		task->priority = priority < heddle_omp_settings.max_task_priority
					 ? priority
					 : heddle_omp_settings.max_task_priority;
	if (flags & TASK_DETACH) {
		/* The event is also the first member of the data. */
		task->waits_for_event = true;
		omp_write_long(event, (uintptr_t)task);
		if (data)
			omp_write_long(data, (uintptr_t)task);
	}
	heddle_omp_task_copy(task, data, copy, size);
	if (flags & TASK_DEPEND)
		heddle_omp_depend(t, task, depend);
	heddle_omp_task_start(t, task);
}

static bool has_no_children(const void *task)
{
	return !((const struct task *)task)->children;
}

OMP_EXPORT void GOMP_taskwait(void)
{
	struct thread *t = thread_self();
	struct task *task = t->now.task;
	if (!task->had_children)
		return;
	struct waiter waiter = { .parent = task };
	heddle_omp_wait_until(t, &waiter, has_no_children, task);
	omp_receive(&task->joined);
	task->had_children = false;
}

static void do_nothing(void *data)
{
	(void)data;
}

/* An empty task that is executed at once, when its dependences allow. */
OMP_EXPORT void GOMP_taskwait_depend(void **depend)
{
	struct thread *t = thread_self();
	if (!t->now.task->had_children)
		return;
	struct task *task = heddle_omp_task_make(t, do_nothing, 0, 1);
	task->is_undeferred = true;
	heddle_omp_depend(t, task, depend);
	heddle_omp_task_start(t, task);
}

OMP_EXPORT void GOMP_taskyield(void)
{
}

/* ---- groups ---- */

OMP_EXPORT void GOMP_taskgroup_start(void)
{
	struct task *task = thread_self()->now.task;
	struct group *group = heddle_omp_allocate(sizeof(*group));
	group->outer = task->group;
	task->group = group;
}

static bool is_empty(const void *group)
{
	return !((const struct group *)group)->count;
}

OMP_EXPORT void GOMP_taskgroup_end(void)
{
	struct thread *t = thread_self();
	struct task *task = t->now.task;
	struct group *group = task->group;
	if (group->was_used) {
		struct waiter waiter = { .group = group };
		heddle_omp_wait_until(t, &waiter, is_empty, group);
		omp_receive(&group->joined);
	}
	task->group = group->outer;
	free(group);
}

/* Every thread of the team has its own group, and the copies of the reduction in common. */
OMP_EXPORT void GOMP_workshare_task_reduction_unregister(bool was_cancelled)
{
	struct thread *t = thread_self();
	uintptr_t *data = t->now.task->group->reductions;
	GOMP_taskgroup_end();
	if (!t->now.number)
		heddle_omp_reductions_free(data);
	if (!was_cancelled)
		heddle_omp_barrier(t);
}

/* ---- the barrier ---- */

static void arrive(struct tasks *tasks, const struct waiter *waiter)
{
	tasks->arrived++;
	tasks->arrived_cancellable += waiter->can_be_cancelled;
}

/* With the lock held; releases it. */
static void pass(struct tasks *tasks)
{
	struct waiter *woken = NULL;
	tasks->arrived = tasks->arrived_cancellable = 0;
	tasks->passed++;
	heddle_omp_queue_wake(tasks, waits_at_barrier, NULL, &woken);
	raw_unlock(&tasks->lock);
	heddle_omp_wake_all(woken);
}

/*
 * While a thread has not arrived, no barrier is passed.  When a region is cancelled, all arrivals
 * at barriers that can be cancelled are forgotten (cancel.c).
 */
bool heddle_omp_task_barrier(struct thread *t, bool can_be_cancelled)
{
	struct team *team = t->now.team;
	struct tasks *tasks = &team->tasks;
	uint32_t passed = __atomic_load_n(&tasks->passed, __ATOMIC_RELAXED);
	uint32_t *arrived_at = &tasks->arrived_at[passed % 2];
	struct waiter waiter = { .thread = t,
				 .takes_all = true,
				 .can_be_cancelled = can_be_cancelled };
	bool has_arrived = false;
	if (team->size == 1 && !tasks->count) {
		tasks->passed++;
		return can_be_cancelled && tasks->is_cancelled;
	}
	omp_publish(arrived_at);
	for (;;) {
		omp_step(&tasks->step);
		raw_lock(&tasks->lock);
		if (tasks->passed != passed)
			break;
		if (can_be_cancelled && tasks->is_cancelled) {
			raw_unlock(&tasks->lock);
			return true;
		}
		if (!has_arrived)
			arrive(tasks, &waiter);
		has_arrived = true;
		struct task *task = heddle_omp_queue_take(tasks, &waiter);
		if (task) {
			raw_unlock(&tasks->lock);
			heddle_omp_task_execute(t, task);
			omp_publish(arrived_at);
		} else if (tasks->arrived == team->size && !tasks->count) {
			pass(tasks);
			omp_receive(arrived_at);
			return false;
		} else {
			add_waiter(tasks, &waiter);
			raw_unlock(&tasks->lock);
			heddle_omp_wait(&t->wake);
		}
	}
	raw_unlock(&tasks->lock);
	omp_receive(arrived_at);
	return false;
}
