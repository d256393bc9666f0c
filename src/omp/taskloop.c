/* SPDX-License-Identifier: Apache-2.0 */
/*
 * taskloop: a loop as tasks.  The data of each task begins with the values of the variable where
 * its part begins and ends; the array of reductions, if there is one, is next.
 */
#include "omp/reduction.h"
#include "omp/task_queue.h"

enum {
	LOOP_FINAL = 1 << 1,
	LOOP_UP = 1 << 8,
	LOOP_GRAIN_SIZE = 1 << 9,
	LOOP_IF = 1 << 10,
	LOOP_NO_GROUP = 1 << 11,
	LOOP_REDUCTION = 1 << 12,
	LOOP_STRICT = 1 << 14,
};

OMP_EXPORT void GOMP_taskgroup_start(void);
OMP_EXPORT void GOMP_taskgroup_end(void);
OMP_EXPORT void GOMP_taskgroup_reduction_register(uintptr_t *data);

enum { REDUCTIONS = 2 };

struct task_loop {
	void (*function)(void *);
	void *data;
	void (*copy)(void *, void *);
	long size, alignment;
	unsigned flags;
	int priority;
	uint64_t first, step, iterations;
	uint64_t tasks; /* the first `longer` of them have one iteration more than `each` */
	uint64_t each, longer;
	uint64_t last; /* strict: how many iterations the last one has; 0: as many as others */
};

/* `amount` is the number of tasks, or how many iterations each has; 0: not given. */
static void divide(struct task_loop *l, uint64_t amount, unsigned threads)
{
	uint64_t n = l->iterations;
	l->longer = l->last = 0;
	if (!(l->flags & LOOP_GRAIN_SIZE)) {
		l->tasks = amount ? amount : threads;
		if (l->tasks > n)
			l->tasks = n;
		l->each = n / l->tasks;
		l->longer = n % l->tasks;
	} else if (l->flags & LOOP_STRICT) {
		l->each = amount < n ? amount : n;
		l->tasks = (n - 1) / l->each + 1;
		l->last = n - (l->tasks - 1) * l->each;
	} else {
		l->tasks = n / amount ? n / amount : 1;
		l->each = n / l->tasks;
		l->longer = n % l->tasks;
	}
}

static void make_tasks(struct thread *t, const struct task_loop *l)
{
	uint64_t at = l->first;
	for (uint64_t i = 0; i < l->tasks; i++) {
		uint64_t n = l->last && i == l->tasks - 1 ? l->last : l->each + (i < l->longer);
		struct task *task = heddle_omp_task_make(t, l->function, l->size, l->alignment);
		uint64_t *range = task->data;
		heddle_omp_task_copy(task, l->data, l->copy, l->size);
		omp_write_long(&range[0], at);
		at += n * l->step;
		omp_write_long(&range[1], at);
		task->is_final |= (l->flags & LOOP_FINAL) != 0;
		task->is_undeferred = !(l->flags & LOOP_IF) || heddle_omp_is_undeferred(t);
		task->priority = l->priority < heddle_omp_settings.max_task_priority
					 ? l->priority
					 : heddle_omp_settings.max_task_priority;
		heddle_omp_task_start(t, task);
	}
}

static void task_loop(struct task_loop *l, uint64_t amount)
{
	struct thread *t = thread_self();
	bool has_group = !(l->flags & LOOP_NO_GROUP);
	if (has_group)
		GOMP_taskgroup_start();
	if (has_group && l->flags & LOOP_REDUCTION)
		GOMP_taskgroup_reduction_register(((uintptr_t **)l->data)[REDUCTIONS]);
	if (l->iterations) {
		divide(l, amount, t->now.team->size);
		make_tasks(t, l);
	}
	if (has_group)
		GOMP_taskgroup_end();
}

OMP_EXPORT void GOMP_taskloop(void (*function)(void *), void *data, void (*copy)(void *, void *),
			      long size, long alignment, unsigned flags, unsigned long amount,
			      int priority, long first, long end, long step)
{
	uint64_t distance =
		step > 0 ? (uint64_t)end - (uint64_t)first : (uint64_t)first - (uint64_t)end;
	uint64_t length = step > 0 ? (uint64_t)step : -(uint64_t)step;
	bool is_empty = step > 0 ? first >= end : first <= end;
	struct task_loop l = {
		.function = function,
		.data = data,
		.copy = copy,
		.size = size,
		.alignment = alignment,
		.flags = flags,
		.priority = priority,
		.first = (uint64_t)first,
		.step = (uint64_t)step,
		.iterations = is_empty ? 0 : (distance - 1) / length + 1,
	};
	task_loop(&l, amount);
}

OMP_EXPORT void GOMP_taskloop_ull(void (*function)(void *), void *data,
				  void (*copy)(void *, void *), long size, long alignment,
				  unsigned flags, unsigned long amount, int priority,
				  unsigned long long first, unsigned long long end,
				  unsigned long long step)
{
	bool up = flags & LOOP_UP;
	uint64_t distance = up ? end - first : first - end, length = up ? step : -step;
	bool is_empty = up ? first >= end : first <= end;
	struct task_loop l = {
		.function = function,
		.data = data,
		.copy = copy,
		.size = size,
		.alignment = alignment,
		.flags = flags,
		.priority = priority,
		.first = first,
		.step = step,
		.iterations = is_empty ? 0 : (distance - 1) / length + 1,
	};
	task_loop(&l, amount);
}
