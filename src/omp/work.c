/* SPDX-License-Identifier: Apache-2.0 */
/* Worksharing constructs: loops, sections, single, scope; see work.h. */
#include "omp/work.h"

#include <stdlib.h>
#include <string.h>

#include "omp/fail.h"
#include "omp/team.h"

static struct work_piece *piece_at(struct works *works, unsigned index)
{
	for (;;) {
		raw_lock(&works->lock);
		struct work_piece *piece = &works->first;
		unsigned i = index;
		for (; i && piece->next; i--)
			piece = piece->next;
		raw_unlock(&works->lock);
		if (!i)
			return piece;
		struct work_piece *fresh = heddle_omp_allocate(sizeof(*fresh));
		raw_lock(&works->lock);
		if (!piece->next) {
			piece->next = fresh;
			fresh = NULL;
		}
		raw_unlock(&works->lock);
		free(fresh);
	}
}

static void forget_older(struct work *work, uint32_t epoch)
{
	if (work->epoch == epoch + 1)
		return;
	work->epoch = epoch + 1;
	work->is_prepared = work->is_being_prepared = work->is_cancelled = false;
	work->next = work->total = work->turn = 0;
	work->copied = NULL;
	work->reductions = NULL;
}

struct work *heddle_omp_work_at(struct team *team, unsigned number, uint32_t epoch)
{
	struct work *work = &piece_at(&team->works, number / WORKS)->at[number % WORKS];
	raw_lock(&work->lock);
	forget_older(work, epoch);
	raw_unlock(&work->lock);
	return work;
}

static void enter(struct thread *t)
{
	unsigned number = t->now.works++;
	t->now.trip = 0;
	t->now.has_chunk = false;
	t->now.work = &piece_at(&t->now.team->works, number / WORKS)->at[number % WORKS];
}

bool heddle_omp_work_enter(struct thread *t)
{
	enter(t);
	struct work *work = t->now.work;
	raw_lock(&work->lock);
	bool is_first = work->epoch != t->now.epoch + 1;
	forget_older(work, t->now.epoch);
	return is_first;
}

void heddle_omp_works_release(struct works *works)
{
	struct work_piece *piece = &works->first;
	while (piece) {
		struct work_piece *next = piece->next;
		for (unsigned i = 0; i < WORKS; i++) {
			free(piece->at[i].memory);
			free(piece->at[i].across);
		}
		if (piece != &works->first)
			free(piece);
		piece = next;
	}
}

/* ---- waiting ---- */

void heddle_omp_work_wait(struct thread *t, struct waiter *waiter)
{
	struct work *work = t->now.work;
	waiter->thread = t;
	waiter->next = work->waiters;
	work->waiters = waiter;
	raw_unlock(&work->lock);
	heddle_omp_wait(&t->wake);
}

struct waiter *heddle_omp_work_take_waiters(struct work *work, const uint64_t *number)
{
	struct waiter *taken = NULL;
	for (struct waiter **slot = &work->waiters; *slot;) {
		struct waiter *w = *slot;
		if (number && w->number != *number) {
			slot = &w->next;
			continue;
		}
		*slot = w->next;
		w->next = taken;
		taken = w;
	}
	return taken;
}

void heddle_omp_wake_all(struct waiter *waiters)
{
	while (waiters) {
		/* After its post a waiter's stack frame is gone. */
		struct waiter *next = waiters->next;
		sem_post(&waiters->thread->wake);
		waiters = next;
	}
}

/* ---- constructs that allocate ---- */

bool heddle_omp_work_prepare(struct thread *t)
{
	enter(t);
	struct work *work = t->now.work;
	omp_step(&work->step);
	raw_lock(&work->lock);
	forget_older(work, t->now.epoch);
	if (!work->is_prepared && !work->is_being_prepared) {
		work->is_being_prepared = true;
		raw_unlock(&work->lock);
		return true;
	}
	struct waiter waiter = { 0 };
	if (work->is_prepared)
		raw_unlock(&work->lock);
	else
		heddle_omp_work_wait(t, &waiter);
	omp_receive(&work->step);
	return false;
}

void heddle_omp_work_prepared(struct thread *t)
{
	struct work *work = t->now.work;
	omp_publish(&work->step);
	raw_lock(&work->lock);
	work->is_prepared = true;
	struct waiter *waiters = heddle_omp_work_take_waiters(work, NULL);
	raw_unlock(&work->lock);
	heddle_omp_wake_all(waiters);
}

void *heddle_omp_work_memory(struct work *work, size_t size)
{
	free(work->memory);
	work->memory = heddle_omp_allocate(size ? size : 1);
	return work->memory;
}
