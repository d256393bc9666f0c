/* SPDX-License-Identifier: Apache-2.0 */
/* Cancellation of constructs, which OMP_CANCELLATION=true permits. */
#include "omp/barrier.h"
#include "omp/task_queue.h"

enum { CANCEL_PARALLEL = 1, CANCEL_LOOP = 2, CANCEL_SECTIONS = 4, CANCEL_GROUP = 8 };

static bool leaves_barrier(const struct waiter *w, const void *unused)
{
	(void)unused;
	return w->takes_all && w->can_be_cancelled;
}

static void cancel_region(struct tasks *tasks)
{
	struct waiter *woken = NULL;
	omp_step(&tasks->step);
	raw_lock(&tasks->lock);
	tasks->is_cancelled = true;
	tasks->arrived -= tasks->arrived_cancellable;
	tasks->arrived_cancellable = 0;
	heddle_omp_queue_wake(tasks, leaves_barrier, NULL, &woken);
	raw_unlock(&tasks->lock);
	heddle_omp_wake_all(woken);
}

static bool *construct_flag(struct thread *t, int which, uint32_t **step)
{
	struct work *w = t->now.work;
	struct group *group = t->now.task->group;
	*step = &t->now.team->tasks.step;
	if (which & (CANCEL_LOOP | CANCEL_SECTIONS) && w) {
		*step = &w->step;
		return &w->is_cancelled;
	}
	if (which & CANCEL_GROUP)
		return group ? &group->is_cancelled : NULL;
	return &t->now.team->tasks.is_cancelled;
}

static bool is_cancelled(struct thread *t, int which)
{
	uint32_t *step;
	if (!heddle_omp_settings.can_cancel)
		return false;
	bool *flag = construct_flag(t, which, &step);
	omp_step(step);
	return (flag && __atomic_load_n(flag, __ATOMIC_RELAXED)) ||
	       __atomic_load_n(&t->now.team->tasks.is_cancelled, __ATOMIC_RELAXED);
}

OMP_EXPORT bool GOMP_cancellation_point(int which)
{
	return is_cancelled(thread_self(), which);
}

OMP_EXPORT bool GOMP_cancel(int which, bool do_cancel)
{
	struct thread *t = thread_self();
	uint32_t *step;
	if (!heddle_omp_settings.can_cancel)
		return false;
	if (!do_cancel)
		return is_cancelled(t, which);
	if (which & CANCEL_PARALLEL) {
		cancel_region(&t->now.team->tasks);
		return true;
	}
	bool *flag = construct_flag(t, which, &step);
	omp_step(step);
	if (flag)
		__atomic_store_n(flag, true, __ATOMIC_RELAXED);
	return true;
}

static bool barrier(void)
{
	struct thread *t = thread_self();
	bool was_cancelled = heddle_omp_task_barrier(t, true);
	heddle_omp_barrier_passed(t);
	return was_cancelled;
}

OMP_EXPORT bool GOMP_barrier_cancel(void)
{
	return barrier();
}

OMP_EXPORT bool GOMP_loop_end_cancel(void)
{
	return barrier();
}

OMP_EXPORT bool GOMP_sections_end_cancel(void)
{
	return barrier();
}
