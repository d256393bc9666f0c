/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ordered regions.  Chunks get the turn in the order of iterations.  The turn itself orders
 * nothing in the program; only an ordered region is after the one before it.
 *
 * Dependences between iterations.  Each iteration of the nest has a byte, which depend(source)
 * publishes and depend(sink) receives.
 */
#include "omp/ordered.h"

#include <stdarg.h>
#include <stdlib.h>

#include "omp/fail.h"
#include "omp/team.h"

static void wait_for_turn(struct thread *t)
{
	struct work *w = t->now.work;
	struct waiter waiter = { .number = t->now.low };
	omp_step(&w->step);
	raw_lock(&w->lock);
	if (w->turn == t->now.low)
		raw_unlock(&w->lock);
	else
		heddle_omp_work_wait(t, &waiter);
}

OMP_EXPORT void GOMP_ordered_start(void)
{
	struct thread *t = thread_self();
	if (!t->now.work || !t->now.has_chunk)
		return;
	wait_for_turn(t);
	omp_receive(&t->now.work->ordered);
}

OMP_EXPORT void GOMP_ordered_end(void)
{
	struct thread *t = thread_self();
	if (t->now.work && t->now.has_chunk)
		omp_publish(&t->now.work->ordered);
}

void heddle_omp_ordered_pass(struct thread *t)
{
	struct work *w = t->now.work;
	if (!t->now.has_chunk)
		return;
	wait_for_turn(t);
	omp_step(&w->step);
	raw_lock(&w->lock);
	w->turn = t->now.high;
	struct waiter *waiters = heddle_omp_work_take_waiters(w, &w->turn);
	raw_unlock(&w->lock);
	heddle_omp_wake_all(waiters);
}

/* ---- depend(sink), depend(source) ---- */

struct doacross {
	unsigned count;
	uint64_t total;
	uint64_t *counts;
	uint8_t *is_done;
};

/* In one block, which belongs to the construct. */
void heddle_omp_doacross_set_up(struct work *work, unsigned count, const uint64_t *counts)
{
	uint64_t total = 1;
	for (unsigned i = 0; i < count; i++)
		if (__builtin_mul_overflow(total, counts[i], &total))
			heddle_omp_fail("follow so many iterations with depend(sink)");
	free(work->across);
	struct doacross *d = heddle_omp_allocate(sizeof(*d) + count * sizeof(*counts) + total);
	d->count = count;
	d->total = total;
	d->counts = (uint64_t *)(d + 1);
	d->is_done = (uint8_t *)(d->counts + count);
	for (unsigned i = 0; i < count; i++)
		d->counts[i] = counts[i];
	work->across = d;
}

static void post(const uint64_t *at)
{
	struct thread *t = thread_self();
	struct work *w = t->now.work;
	struct doacross *d = w->across;
	uint64_t number = 0;
	for (unsigned i = 0; i < d->count; i++)
		number = number * d->counts[i] + at[i];
	__tsan_atomic8_store(&d->is_done[number], 1, __ATOMIC_RELEASE);
	omp_step(&w->step);
	raw_lock(&w->lock);
	struct waiter *waiters = heddle_omp_work_take_waiters(w, &number);
	raw_unlock(&w->lock);
	heddle_omp_wake_all(waiters);
}

/* No thread waits for an iteration that does not exist. */
static void wait_for(uint64_t first, va_list rest)
{
	struct thread *t = thread_self();
	struct work *w = t->now.work;
	const struct doacross *d = w->across;
	uint64_t number = 0;
	bool exists = true;
	for (unsigned i = 0; i < d->count; i++) {
		uint64_t at = i ? va_arg(rest, uint64_t) : first;
		exists &= at < d->counts[i];
		number = number * d->counts[i] + at;
	}
	if (!exists || __tsan_atomic8_load(&d->is_done[number], __ATOMIC_ACQUIRE))
		return;
	struct waiter waiter = { .number = number };
	omp_step(&w->step);
	raw_lock(&w->lock);
	if (__atomic_load_n(&d->is_done[number], __ATOMIC_RELAXED))
		raw_unlock(&w->lock);
	else
		heddle_omp_work_wait(t, &waiter);
	__tsan_atomic8_load(&d->is_done[number], __ATOMIC_ACQUIRE);
}

OMP_EXPORT void GOMP_doacross_post(const uint64_t *at)
{
	post(at);
}

OMP_EXPORT void GOMP_doacross_ull_post(const uint64_t *at)
{
	post(at);
}

OMP_EXPORT void GOMP_doacross_wait(uint64_t first, ...)
{
	va_list rest;
	va_start(rest, first);
	wait_for(first, rest);
	va_end(rest);
}

OMP_EXPORT void GOMP_doacross_ull_wait(uint64_t first, ...)
{
	va_list rest;
	va_start(rest, first);
	wait_for(first, rest);
	va_end(rest);
}
