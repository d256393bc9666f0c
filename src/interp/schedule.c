/* SPDX-License-Identifier: Apache-2.0 */
/* Threads and decisions between them. */
#include "interp/schedule.h"

#include <sys/mman.h>

#include "base/hash.h"

struct thread *thread_new(struct machine *m, struct function *f, uint64_t argument)
{
	if (m->threads.len == THREADS_MAX) {
		machine_end(m, INTERP_LIMIT, "more than %u threads", THREADS_MAX);
		return NULL;
	}
	struct thread *t = mem_zero(1, sizeof(*t));
	t->number = (uint32_t)m->threads.len;
	t->slots = mmap(NULL, SLOTS * 8ull, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	ASSERT(t->slots != MAP_FAILED);
	t->tls = mem_zero(m->m->globals.len + 1, sizeof(*t->tls));
	t->stack_end = ARENA_BASE + HEAP_END + (t->number + 1) * STACK_SIZE - 64;
	t->stack = t->stack_end;
	vec_push(&m->threads, t);
	if (f && thread_enter(m, t, f, IR_NONE) && f->ir->params.len)
		vec_last(&t->frames).r[f->slot_of[0]] = argument;
	return t;
}

void thread_free(struct thread *t)
{
	munmap(t->slots, SLOTS * 8ull);
	vec_release(&t->frames);
	vec_release(&t->specific);
	mem_free(t->tls);
	mem_free(t);
}

static struct object *object_at(const struct machine *m, uint64_t at)
{
	uint64_t *number = map_get(&m->objects, at);
	return number ? &m->list.at[*number - 1] : NULL;
}

bool thread_can_run(struct machine *m, struct thread *t)
{
	if (t->is_ended)
		return false;
	const struct object *o = object_at(m, t->object);
	switch (t->wait) {
	case WAIT_NONE:
		return true;
	case WAIT_MUTEX:
		return !o->owner;
	case WAIT_COND:
	case WAIT_BARRIER:
		return t->is_woken;
	case WAIT_READ:
		return !o->owner;
	case WAIT_WRITE:
		return !o->owner && !o->depth;
	case WAIT_SEM:
		return o->value > 0;
	case WAIT_JOIN:
		return m->threads.at[t->object]->is_ended;
	case WAIT_ONCE:
		return o->value == 1;
	}
	return true;
}

static uint32_t choose(struct machine *m, const uint32_t *can, uint32_t count)
{
	const struct interp_input *in = m->input;
	size_t number = m->decision++;
	size_t given = in->decisions;
	if (FAULT(INTERP_SCHEDULE_IGNORED))
		given = 0;
	if (number < given)
		for (uint32_t i = 0; i < count; i++)
			if (can[i] == in->schedule[number])
				return can[i];
	if (in->seed) {
		m->random = hash_mix(m->random, number);
		return can[m->random % count];
	}
	for (uint32_t i = 0; i < count; i++)
		if (m->current && can[i] == m->current->number)
			return can[i];
	return can[0];
}

bool schedule_next(struct machine *m)
{
	uint32_t can[THREADS_MAX], count = 0;
	for (uint32_t i = 0; i < m->threads.len; i++)
		if (thread_can_run(m, m->threads.at[i]))
			can[count++] = i;
	if (!count) {
		const struct thread *left = NULL;
		for (size_t i = 0; i < m->threads.len && !left; i++)
			if (!m->threads.at[i]->is_ended)
				left = m->current = m->threads.at[i];
		if (left)
			machine_end(m, INTERP_DEADLOCK, "no thread can run");
		else
			machine_end(m, INTERP_EXIT, " "); /* main has ended by pthread_exit */
		return false;
	}
	uint32_t next = count == 1 ? can[0] : choose(m, can, count);
	if (count > 1)
		vec_push(&m->result->schedule, next);
	m->current = m->threads.at[next];
	return true;
}

bool schedule_switch(struct machine *m, struct thread *t)
{
	if (t->was_switched) {
		t->was_switched = false;
		return false;
	}
	for (uint32_t i = 0; i < m->threads.len; i++)
		t->was_switched |= i != t->number && thread_can_run(m, m->threads.at[i]);
	return t->was_switched;
}
