/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loops.  The iterations of a loop are numbered from 0; threads take chunks of numbers, and the
 * program gets the values of its variable.  Values are kept modulo 2^64, so one implementation
 * serves signed and unsigned variables, up and down.
 *
 * That a thread takes a chunk orders nothing in the program (omp_step()).
 */
#include <stdlib.h>
#include <string.h>

#include "omp/ordered.h"
#include "omp/reduction.h"
#include "omp/team.h"

/* What a start function is called with. */
struct loop {
	bool is_unsigned, goes_up; /* goes_up: of unsigned ones */
	uint64_t first, end, step;
	unsigned kind;
	uint64_t chunk;
};

static uint64_t count_iterations(const struct loop *l)
{
	bool up = l->is_unsigned ? l->goes_up : (int64_t)l->step > 0;
	uint64_t low = up ? l->first : l->end, high = up ? l->end : l->first;
	uint64_t step = up ? l->step : -l->step;
	bool is_empty = l->is_unsigned ? low >= high : (int64_t)low >= (int64_t)high;
	return is_empty ? 0 : (high - low - 1) / step + 1;
}

static void set_up(struct work *w, const struct task_settings *settings, const struct loop *l)
{
	w->kind = l->kind & ~LOOP_MONOTONIC;
	w->chunk = l->chunk;
	if (w->kind == LOOP_RUNTIME) {
		w->kind = settings->schedule & ~LOOP_MONOTONIC;
		w->chunk = settings->chunk;
	}
	if (w->kind == LOOP_AUTO) {
		w->kind = LOOP_STATIC;
		w->chunk = 0;
	}
	if (w->kind != LOOP_STATIC && !w->chunk)
		w->chunk = 1;
	w->first = l->first;
	w->step_size = l->step;
	w->end = l->end;
	w->total = count_iterations(l);
	w->next = 0;
}

/* ---- chunks ---- */

static bool take_static(struct thread *t, const struct work *w)
{
	uint64_t n = w->total, size = t->now.team->size, i = t->now.number;
	unsigned long trip = t->now.trip++;
	if (!w->chunk) {
		uint64_t each = n / size, more = n % size;
		t->now.low = each * i + (i < more ? i : more);
		t->now.high = t->now.low + each + (i < more);
		return !trip && t->now.low < t->now.high;
	}
	uint64_t number = trip * size + i, chunks = (n - 1) / w->chunk + 1;
	if (!n || number >= chunks)
		return false;
	t->now.low = number * w->chunk;
	t->now.high = n - t->now.low > w->chunk ? t->now.low + w->chunk : n;
	return true;
}

static bool take_next(struct thread *t, struct work *w)
{
	omp_step(&w->step);
	raw_lock(&w->lock);
	uint64_t left = w->total - w->next, n = w->chunk, size = t->now.team->size;
	if (w->kind == LOOP_GUIDED && left) {
		uint64_t part = (left - 1) / size + 1;
		n = part > n ? part : n;
	}
	if (n > left)
		n = left;
	t->now.low = w->next;
	w->next += n;
	t->now.high = w->next;
	raw_unlock(&w->lock);
	return n;
}

static bool take_chunk(struct thread *t)
{
	struct work *w = t->now.work;
	bool is_cancelled = __atomic_load_n(&w->is_cancelled, __ATOMIC_RELAXED);
	return !is_cancelled && (w->kind == LOOP_STATIC ? take_static(t, w) : take_next(t, w));
}

static bool next_chunk(void *low, void *high)
{
	struct thread *t = thread_self();
	const struct work *w = t->now.work;
	t->now.has_chunk = take_chunk(t);
	if (!t->now.has_chunk)
		return false;
	omp_write_long(low, w->first + t->now.low * w->step_size);
	/* Behind the last iteration the sum could be beyond what the variable can hold. */
	omp_write_long(high,
		       t->now.high == w->total ? w->end : w->first + t->now.high * w->step_size);
	return true;
}

static bool next_ordered_chunk(void *low, void *high)
{
	heddle_omp_ordered_pass(thread_self());
	return next_chunk(low, high);
}

static bool start(const struct loop *l, void *low, void *high)
{
	struct thread *t = thread_self();
	bool is_first = heddle_omp_work_enter(t);
	if (is_first)
		set_up(t->now.work, &t->now.task->settings, l);
	raw_unlock(&t->now.work->lock);
	return low ? next_chunk(low, high) : true;
}

/* With task reductions, or with memory that the threads share. */
static bool start_with(const struct loop *l, void *low, void *high, uintptr_t *reductions,
		       void **memory)
{
	if (!reductions && !memory)
		return start(l, low, high);
	struct thread *t = thread_self();
	bool is_first = heddle_omp_work_prepare(t);
	struct work *w = t->now.work;
	if (is_first)
		set_up(w, &t->now.task->settings, l);
	heddle_omp_work_share(t, is_first, reductions, memory);
	return low ? next_chunk(low, high) : true;
}

/* Iterations of several nested loops in one order, with waits for others of them. */
static bool start_across(unsigned count, const uint64_t *counts, unsigned kind, uint64_t chunk,
			 void *low, void *high, uintptr_t *reductions, void **memory)
{
	struct thread *t = thread_self();
	bool is_first = heddle_omp_work_prepare(t);
	struct work *w = t->now.work;
	if (is_first) {
		const struct loop l = {
			.is_unsigned = true,
			.goes_up = true,
			.end = counts[0],
			.step = 1,
			.kind = kind,
			.chunk = chunk,
		};
		set_up(w, &t->now.task->settings, &l);
		heddle_omp_doacross_set_up(w, count, counts);
	}
	heddle_omp_work_share(t, is_first, reductions, memory);
	return low ? next_chunk(low, high) : true;
}

/* ---- regions that consist of a loop ---- */

static void prepare_loop(struct work *work, struct team *team, const void *arguments)
{
	set_up(work, &team->members[0].task.settings, arguments);
}

static void parallel_loop(void (*function)(void *), void *data, unsigned threads,
			  const struct loop *l)
{
	heddle_omp_parallel(function, data, threads, prepare_loop, l);
}

/* ---- the compiler's names ---- */

#define UP_OR_DOWN(i)                                   \
	((const struct loop){ .first = (uint64_t)first, \
			      .end = (uint64_t)end,     \
			      .step = (uint64_t)step,   \
			      .kind = (i),              \
			      .chunk = chunk })
#define UNSIGNED(i)                                \
	((const struct loop){ .is_unsigned = true, \
			      .goes_up = up,       \
			      .first = first,      \
			      .end = end,          \
			      .step = step,        \
			      .kind = (i),         \
			      .chunk = chunk })

typedef unsigned long long ull;

#define START(name, kind, next)                                                                   \
	OMP_EXPORT bool GOMP_loop_##name##_start(long first, long end, long step, uint64_t chunk, \
						 long *low, long *high)                           \
	{                                                                                         \
		return start(&UP_OR_DOWN(kind), low, high);                                       \
	}                                                                                         \
	OMP_EXPORT bool GOMP_loop_##name##_next(long *low, long *high)                            \
	{                                                                                         \
		return next(low, high);                                                           \
	}                                                                                         \
	OMP_EXPORT bool GOMP_loop_ull_##name##_start(bool up, ull first, ull end, ull step,       \
						     ull chunk, ull *low, ull *high)              \
	{                                                                                         \
		return start(&UNSIGNED(kind), low, high);                                         \
	}                                                                                         \
	OMP_EXPORT bool GOMP_loop_ull_##name##_next(ull *low, ull *high)                          \
	{                                                                                         \
		return next(low, high);                                                           \
	}

/* Without a chunk. */
#define START_RUNTIME(name, next)                                                            \
	OMP_EXPORT bool GOMP_loop_##name##_start(long first, long end, long step, long *low, \
						 long *high)                                 \
	{                                                                                    \
		uint64_t chunk = 0;                                                          \
		return start(&UP_OR_DOWN(LOOP_RUNTIME), low, high);                          \
	}                                                                                    \
	OMP_EXPORT bool GOMP_loop_##name##_next(long *low, long *high)                       \
	{                                                                                    \
		return next(low, high);                                                      \
	}                                                                                    \
	OMP_EXPORT bool GOMP_loop_ull_##name##_start(bool up, ull first, ull end, ull step,  \
						     ull *low, ull *high)                    \
	{                                                                                    \
		uint64_t chunk = 0;                                                          \
		return start(&UNSIGNED(LOOP_RUNTIME), low, high);                            \
	}                                                                                    \
	OMP_EXPORT bool GOMP_loop_ull_##name##_next(ull *low, ull *high)                     \
	{                                                                                    \
		return next(low, high);                                                      \
	}

START(static, LOOP_STATIC, next_chunk)
START(dynamic, LOOP_DYNAMIC, next_chunk)
START(guided, LOOP_GUIDED, next_chunk)
START(nonmonotonic_dynamic, LOOP_DYNAMIC, next_chunk)
START(nonmonotonic_guided, LOOP_GUIDED, next_chunk)
START(ordered_static, LOOP_STATIC, next_ordered_chunk)
START(ordered_dynamic, LOOP_DYNAMIC, next_ordered_chunk)
START(ordered_guided, LOOP_GUIDED, next_ordered_chunk)
START_RUNTIME(runtime, next_chunk)
START_RUNTIME(nonmonotonic_runtime, next_chunk)
START_RUNTIME(maybe_nonmonotonic_runtime, next_chunk)
START_RUNTIME(ordered_runtime, next_ordered_chunk)

#define START_WITH(name)                                                                       \
	OMP_EXPORT bool GOMP_loop_##name(long first, long end, long step, long kind,           \
					 uint64_t chunk, long *low, long *high,                \
					 uintptr_t *reductions, void **memory)                 \
	{                                                                                      \
		return start_with(&UP_OR_DOWN((unsigned)kind), low, high, reductions, memory); \
	}                                                                                      \
	OMP_EXPORT bool GOMP_loop_ull_##name(bool up, ull first, ull end, ull step, long kind, \
					     ull chunk, ull *low, ull *high,                   \
					     uintptr_t *reductions, void **memory)             \
	{                                                                                      \
		return start_with(&UNSIGNED((unsigned)kind), low, high, reductions, memory);   \
	}
START_WITH(start)
START_WITH(ordered_start)

#define START_ACROSS(name, kind)                                                                  \
	OMP_EXPORT bool GOMP_loop_doacross_##name##_start(unsigned count, const uint64_t *counts, \
							  uint64_t chunk, long *low, long *high)  \
	{                                                                                         \
		return start_across(count, counts, kind, chunk, low, high, NULL, NULL);           \
	}                                                                                         \
	OMP_EXPORT bool GOMP_loop_ull_doacross_##name##_start(                                    \
		unsigned count, const uint64_t *counts, uint64_t chunk, ull *low, ull *high)      \
	{                                                                                         \
		return start_across(count, counts, kind, chunk, low, high, NULL, NULL);           \
	}
START_ACROSS(static, LOOP_STATIC)
START_ACROSS(dynamic, LOOP_DYNAMIC)
START_ACROSS(guided, LOOP_GUIDED)

#define START_ACROSS_RUNTIME(prefix, type)                                                       \
	OMP_EXPORT bool GOMP_loop_##prefix##doacross_runtime_start(                              \
		unsigned count, const uint64_t *counts, type *low, type *high)                   \
	{                                                                                        \
		return start_across(count, counts, LOOP_RUNTIME, 0, low, high, NULL, NULL);      \
	}                                                                                        \
	OMP_EXPORT bool GOMP_loop_##prefix##doacross_start(                                      \
		unsigned count, const uint64_t *counts, long kind, uint64_t chunk, type *low,    \
		type *high, uintptr_t *reductions, void **memory)                                \
	{                                                                                        \
		return start_across(count, counts, (unsigned)kind, chunk, low, high, reductions, \
				    memory);                                                     \
	}
START_ACROSS_RUNTIME(, long)
START_ACROSS_RUNTIME(ull_, ull)

#define PARALLEL(name, kind)                                                                 \
	OMP_EXPORT void GOMP_parallel_loop_##name(void (*function)(void *), void *data,      \
						  unsigned threads, long first, long end,    \
						  long step, uint64_t chunk, unsigned flags) \
	{                                                                                    \
		(void)flags;                                                                 \
		parallel_loop(function, data, threads, &UP_OR_DOWN(kind));                   \
	}
PARALLEL(static, LOOP_STATIC)
PARALLEL(dynamic, LOOP_DYNAMIC)
PARALLEL(guided, LOOP_GUIDED)
PARALLEL(nonmonotonic_dynamic, LOOP_DYNAMIC)
PARALLEL(nonmonotonic_guided, LOOP_GUIDED)

#define PARALLEL_RUNTIME(name)                                                            \
	OMP_EXPORT void GOMP_parallel_loop_##name(void (*function)(void *), void *data,   \
						  unsigned threads, long first, long end, \
						  long step, unsigned flags)              \
	{                                                                                 \
		uint64_t chunk = 0;                                                       \
		(void)flags;                                                              \
		parallel_loop(function, data, threads, &UP_OR_DOWN(LOOP_RUNTIME));        \
	}
PARALLEL_RUNTIME(runtime)
PARALLEL_RUNTIME(nonmonotonic_runtime)
PARALLEL_RUNTIME(maybe_nonmonotonic_runtime)

OMP_EXPORT void GOMP_loop_end(void)
{
	heddle_omp_barrier(thread_self());
}

OMP_EXPORT void GOMP_loop_end_nowait(void)
{
}
