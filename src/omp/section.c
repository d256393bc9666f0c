/* SPDX-License-Identifier: Apache-2.0 */
/* Sections, single, scope. */
#include "omp/reduction.h"
#include "omp/team.h"

/* ---- sections ---- */

static unsigned next_section(struct thread *t)
{
	struct work *w = t->now.work;
	omp_step(&w->step);
	raw_lock(&w->lock);
	uint64_t number = w->is_cancelled || w->next >= w->total ? 0 : ++w->next;
	raw_unlock(&w->lock);
	return (unsigned)number;
}

OMP_EXPORT unsigned GOMP_sections_next(void)
{
	return next_section(thread_self());
}

OMP_EXPORT unsigned GOMP_sections_start(unsigned count)
{
	struct thread *t = thread_self();
	if (heddle_omp_work_enter(t))
		t->now.work->total = count;
	raw_unlock(&t->now.work->lock);
	return next_section(t);
}

OMP_EXPORT unsigned GOMP_sections2_start(unsigned count, uintptr_t *reductions, void **memory)
{
	if (!reductions && !memory)
		return GOMP_sections_start(count);
	struct thread *t = thread_self();
	bool is_first = heddle_omp_work_prepare(t);
	if (is_first)
		t->now.work->total = count;
	heddle_omp_work_share(t, is_first, reductions, memory);
	return next_section(t);
}

OMP_EXPORT void GOMP_sections_end(void)
{
	heddle_omp_barrier(thread_self());
}

OMP_EXPORT void GOMP_sections_end_nowait(void)
{
}

static void prepare_sections(struct work *work, struct team *team, const void *count)
{
	(void)team;
	work->total = *(const unsigned *)count;
}

OMP_EXPORT void GOMP_parallel_sections(void (*function)(void *), void *data, unsigned threads,
				       unsigned count, unsigned flags)
{
	(void)flags;
	heddle_omp_parallel(function, data, threads, prepare_sections, &count);
}

/* ---- scope ---- */

OMP_EXPORT void GOMP_scope_start(uintptr_t *reductions)
{
	struct thread *t = thread_self();
	if (reductions)
		heddle_omp_work_share(t, heddle_omp_work_prepare(t), reductions, NULL);
}

/* ---- single ---- */

static bool claim(struct thread *t)
{
	unsigned number = t->now.works;
	struct work *w = heddle_omp_work_at(t->now.team, number, t->now.epoch);
	omp_step(&w->step);
	heddle_omp_work_enter(t);
	bool is_first = !w->next++;
	raw_unlock(&w->lock);
	return is_first;
}

OMP_EXPORT bool GOMP_single_start(void)
{
	return claim(thread_self());
}

/* The others wait for what the one thread has to copy. */
OMP_EXPORT void *GOMP_single_copy_start(void)
{
	struct thread *t = thread_self();
	if (claim(t))
		return NULL;
	struct work *w = t->now.work;
	heddle_omp_barrier(t);
	return w->copied;
}

OMP_EXPORT void GOMP_single_copy_end(void *data)
{
	struct thread *t = thread_self();
	t->now.work->copied = data;
	heddle_omp_barrier(t);
}
