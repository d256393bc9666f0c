/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dependences between the children of a task.  For each address in a depend clause the parent has
 * a place.  It lists the dependences of tasks that have not ended, and it has two words by which
 * tasks that have ended are before later ones.
 */
#include <stdlib.h>

#include "omp/fail.h"
#include "omp/task_queue.h"

/* Of omp_depend_t, which is an address and a kind. */
enum { KIND_IN = 1 };

static struct place *place_of(struct task *parent, uintptr_t address)
{
	if (!parent->places)
		parent->places = heddle_omp_allocate(PLACES * sizeof(*parent->places));
	struct place **list = &parent->places[address / sizeof(void *) % PLACES];
	for (struct place *p = *list; p; p = p->next)
		if (p->address == address)
			return p;
	struct place *p = heddle_omp_allocate(sizeof(*p));
	p->address = address;
	p->next = *list;
	*list = p;
	return p;
}

/* An address that is named twice counts once, as written if it is in one of both. */
static void add(struct task *task, uintptr_t address, bool is_out)
{
	struct place *place = place_of(task->parent, address);
	for (unsigned i = 0; i < task->dependence_count; i++) {
		if (task->dependences[i].place == place) {
			task->dependences[i].is_out |= is_out;
			return;
		}
	}
	task->dependences[task->dependence_count++] =
		(struct dependence){ .place = place, .task = task, .is_out = is_out };
}

/*
 * The compiler's list: the number of addresses, how many of them are written, the addresses.  Or 0
 * and four numbers: of all, of those written, of those in mutexinoutset, of those read; the rest
 * are objects of type omp_depend_t.
 */
void heddle_omp_depend(struct thread *t, struct task *task, void **list)
{
	(void)t;
	bool is_long = !list[0];
	size_t count = (size_t)list[is_long], out = (size_t)list[1 + is_long], objects = count;
	void **addresses = list + 2;
	if (is_long) {
		out += (size_t)list[3];
		objects = out + (size_t)list[4];
		addresses = list + 5;
	}
	if (!count)
		return;
	task->dependences = heddle_omp_allocate(count * sizeof(*task->dependences));
	for (size_t i = 0; i < count; i++) {
		if (i < objects) {
			add(task, (uintptr_t)addresses[i], i < out);
		} else {
			const uintptr_t *object = addresses[i];
			add(task, object[0], object[1] != KIND_IN);
		}
	}
}

static bool conflicts(const struct dependence *a, const struct dependence *b)
{
	return a->is_out || b->is_out;
}

/* The list begins with the newest. */
void heddle_omp_depend_link(struct task *task)
{
	for (unsigned i = 0; i < task->dependence_count; i++) {
		struct dependence *d = &task->dependences[i];
		for (const struct dependence *o = d->place->open; o; o = o->next)
			task->unresolved += conflicts(d, o);
		d->next = d->place->open;
		d->place->open = d;
	}
}

static void unlink_one(struct dependence *d, struct waiter **woken)
{
	struct dependence **slot = &d->place->open;
	for (; *slot != d; slot = &(*slot)->next) {
		struct task *later = (*slot)->task;
		if (conflicts(d, *slot) && !--later->unresolved)
			heddle_omp_queue_add(&later->team->tasks, later, woken);
	}
	*slot = d->next;
}

void heddle_omp_depend_unlink(struct task *task, struct waiter **woken)
{
	for (unsigned i = 0; i < task->dependence_count; i++)
		unlink_one(&task->dependences[i], woken);
}

/* A task that writes is after all before it, one that reads after those that write. */
void heddle_omp_depend_receive(const struct task *task)
{
	for (unsigned i = 0; i < task->dependence_count; i++) {
		const struct dependence *d = &task->dependences[i];
		omp_receive(&d->place->written);
		if (d->is_out)
			omp_receive(&d->place->read);
	}
}

void heddle_omp_depend_publish(const struct task *task)
{
	for (unsigned i = 0; i < task->dependence_count; i++) {
		const struct dependence *d = &task->dependences[i];
		omp_publish(d->is_out ? &d->place->written : &d->place->read);
	}
}
