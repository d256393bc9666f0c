/* SPDX-License-Identifier: Apache-2.0 */
/* Task reductions: private copies for each thread; see reduction.h. */
#include "omp/reduction.h"

#include <stdlib.h>
#include <string.h>

#include "omp/fail.h"
#include "omp/team.h"

/*
 * The compiler's array, which may be followed by further ones: the number of variables, the size
 * of one thread's copy of all of them, its alignment (later: where the copies begin), an
 * allocator, the next array, a word of ours, the end of the copies; then for each variable its
 * address, its offset in the copy, and a word of ours.
 */
enum {
	COUNT,
	SIZE,
	COPIES,
	ALLOCATOR,
	NEXT,
	IS_FIRST, /* in a chain of arrays that belong together */
	COPIES_END,
	VARIABLES,
};
enum { ADDRESS, OFFSET, VARIABLE_WORDS = 3 };

static void *allocate_copies(size_t alignment, size_t size)
{
	void *p = NULL;
	if (posix_memalign(&p, alignment < sizeof(void *) ? sizeof(void *) : alignment,
			   size ? size : 1))
		heddle_omp_fail("allocate memory");
	memset(p, 0, size);
	return p;
}

void heddle_omp_reductions_register(uintptr_t *data, uintptr_t *outer, const uintptr_t *shared,
				    unsigned threads)
{
	for (uintptr_t *d = data;; d = (uintptr_t *)d[NEXT]) {
		size_t size = d[SIZE] * threads;
		uintptr_t copies =
			shared ? shared[COPIES] : (uintptr_t)allocate_copies(d[COPIES], size);
		if (shared)
			shared = (const uintptr_t *)shared[NEXT];
		omp_write_long(&d[COPIES], copies);
		omp_write_long(&d[COPIES_END], copies + size);
		omp_write_long(&d[IS_FIRST], d == data);
		if (!d[NEXT]) {
			omp_write_long(&d[NEXT], (uintptr_t)outer);
			break;
		}
	}
}

void heddle_omp_reductions_free(uintptr_t *data)
{
	uintptr_t *d = data;
	do {
		free((void *)d[COPIES]);
		d = (uintptr_t *)d[NEXT];
	} while (d && !d[IS_FIRST]);
}

void heddle_omp_work_share(struct thread *t, bool is_first, uintptr_t *reductions, void **memory)
{
	struct work *w = t->now.work;
	struct task *task = t->now.task;
	if (reductions) {
		struct group *group = heddle_omp_allocate(sizeof(*group));
		group->outer = task->group;
		heddle_omp_reductions_register(reductions,
					       group->outer ? group->outer->reductions : NULL,
					       is_first ? NULL : w->reductions, t->now.team->size);
		group->reductions = reductions;
		task->group = group;
	}
	if (is_first) {
		w->reductions = reductions;
		if (memory)
			heddle_omp_work_memory(w, (size_t)*memory);
		heddle_omp_work_prepared(t);
	}
	if (memory)
		omp_write_long(memory, (uintptr_t)w->memory);
}

/* ---- the compiler's names ---- */

/* The variable at an offset of one thread's copy. */
static uintptr_t variable_at(const uintptr_t *d, size_t offset)
{
	for (size_t i = 0; i < d[COUNT]; i++) {
		const uintptr_t *v = d + VARIABLES + i * VARIABLE_WORDS;
		if (v[OFFSET] == offset)
			return v[ADDRESS];
	}
	heddle_omp_fail("find a variable of a task reduction");
}

/* Sets the original address of what `pointer` is, and returns its place in the thread's copy. */
static uintptr_t copy_of(const uintptr_t *data, uintptr_t pointer, unsigned number,
			 uintptr_t *original)
{
	for (const uintptr_t *d = data; d; d = (const uintptr_t *)d[NEXT]) {
		uintptr_t copy = d[COPIES] + number * d[SIZE];
		for (size_t i = 0; i < d[COUNT]; i++) {
			const uintptr_t *v = d + VARIABLES + i * VARIABLE_WORDS;
			if (v[ADDRESS] != pointer)
				continue;
			*original = pointer;
			return copy + v[OFFSET];
		}
	}
	for (const uintptr_t *d = data; d; d = (const uintptr_t *)d[NEXT]) {
		if (pointer < d[COPIES] || pointer >= d[COPIES_END])
			continue;
		size_t offset = (pointer - d[COPIES]) % d[SIZE];
		*original = 0;
		return d[COPIES] + number * d[SIZE] + offset;
	}
	heddle_omp_fail("find a variable of a task reduction");
}

static uintptr_t original_of(const uintptr_t *data, uintptr_t pointer)
{
	for (const uintptr_t *d = data; d; d = (const uintptr_t *)d[NEXT])
		if (pointer >= d[COPIES] && pointer < d[COPIES_END])
			return variable_at(d, (pointer - d[COPIES]) % d[SIZE]);
	return pointer;
}

/* Replaces pointers to variables by pointers into the thread's copies.  Behind the pointers is
 * room for the addresses of the first `originals` variables. */
OMP_EXPORT void GOMP_task_reduction_remap(size_t count, size_t originals, uintptr_t *pointers)
{
	const struct thread *t = thread_self();
	const struct group *group = t->now.task->group;
	const uintptr_t *data = group ? group->reductions : NULL;
	for (size_t i = 0; i < count; i++) {
		uintptr_t pointer = pointers[i], original;
		omp_write_long(&pointers[i], copy_of(data, pointer, t->now.number, &original));
		if (i < originals)
			omp_write_long(&pointers[count + i],
				       original ? original : original_of(data, pointer));
	}
}

OMP_EXPORT void GOMP_taskgroup_reduction_register(uintptr_t *data)
{
	struct thread *t = thread_self();
	struct group *group = t->now.task->group;
	heddle_omp_reductions_register(data,
				       group->reductions ? group->reductions
				       : group->outer	 ? group->outer->reductions
							 : NULL,
				       NULL, t->now.team->size);
	group->reductions = data;
}

OMP_EXPORT void GOMP_taskgroup_reduction_unregister(uintptr_t *data)
{
	heddle_omp_reductions_free(data);
}

/* The size of the team is known before the copies are made.  Its tasks are in no other group. */
OMP_EXPORT unsigned GOMP_parallel_reductions(void (*function)(void *), void *data, unsigned threads,
					     unsigned flags)
{
	(void)flags;
	uintptr_t *reductions = *(uintptr_t **)data;
	struct group group = { .reductions = reductions };
	unsigned size = heddle_omp_team_size(threads);
	heddle_omp_reductions_register(reductions, NULL, NULL, size);
	heddle_omp_parallel_in(&group, function, data, size);
	return size;
}
