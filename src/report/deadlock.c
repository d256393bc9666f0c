/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which thread waits for which when no thread can continue.
 *
 * A thread that waits for a lock waits for all threads that hold it; one that joins waits for the
 * joined thread.  A breadth-first search along these edges from each thread finds a shortest cycle
 * through it, and the first one found is reported.  Threads outside every cycle wait for something
 * that only a thread of a cycle, or no thread, could provide.
 */
#include "report/finding.h"

#include "base/alloc.h"

static bool waits(const struct scene_thread *t)
{
	return scene_awaited(t) || t->doing == DOING_JOIN || t->doing == DOING_IO;
}

static bool is_live(const struct scene_thread *t)
{
	return t->doing != DOING_NOTHING && t->doing != DOING_END;
}

/* Does a thread wait for another one, which holds what it wants or which it joins? */
static bool waits_for(const struct scene *scene, thr_id t, thr_id other)
{
	const struct scene_thread *thread = scene_thread(scene, t);
	uint64_t obj = scene_awaited(thread);
	if (obj)
		return scene_held(scene_thread(scene, other), obj);
	return thread->doing == DOING_JOIN && thread->wait_obj == other;
}

typedef VEC(thr_id) thread_list;

/* The threads of a shortest cycle through `start`, each waiting for the next; empty if there is
 * none. */
static void cycle_through(const struct scene *scene, thr_id start, thread_list *cycle)
{
	size_t count = scene->threads.len, first = 0;
	thread_list queue = { 0 };
	thr_id *from = mem_zero(count, sizeof(*from)); /* the predecessor, plus one */
	vec_push(&queue, start);
	cycle->len = 0;
	while (first < queue.len && !from[start]) {
		thr_id t = queue.at[first++];
		for (thr_id next = 0; next < count; next++) {
			if (from[next] || !waits_for(scene, t, next))
				continue;
			from[next] = t + 1;
			vec_push(&queue, next);
		}
	}
	if (from[start]) {
		/* Back along the edges, then the other way round. */
		thr_id t = start;
		do {
			t = from[t] - 1;
			vec_push(cycle, t);
		} while (t != start);
		for (size_t i = 0; i < cycle->len / 2; i++) {
			thr_id swap = cycle->at[i];
			cycle->at[i] = cycle->at[cycle->len - 1 - i];
			cycle->at[cycle->len - 1 - i] = swap;
		}
	}
	mem_free(from);
	vec_release(&queue);
}

static void find_cycle(const struct scene *scene, thread_list *cycle)
{
	for (thr_id start = 0; start < scene->threads.len; start++) {
		if (!waits(&scene->threads.at[start]))
			continue;
		cycle_through(scene, start, cycle);
		if (cycle->len)
			return;
	}
}

static void add_place(struct finding *f, struct names *names, enum finding_role role,
		      struct scene_place at, struct finding_about about)
{
	finding_add_place(f, &(struct finding_part){ role, at, about }, names);
}

static void show_wait(struct finding *f, const struct scene *scene, struct names *names, thr_id t)
{
	const struct scene_thread *thread = scene_thread(scene, t);
	struct scene_place at = thread->asked_obj ? thread->asked : thread->last;
	struct buf words = { 0 };
	finding_add_wait(scene, names, thread, &words);
	at.thread = t;
	add_place(f, names, ROLE_WAITS, at, (struct finding_about){ .text = words.at });
	if (scene_awaited(thread))
		vec_push(&f->objects, scene_awaited(thread));
	buf_release(&words);
}

/* The lock of thread t that its predecessor in the cycle waits for. */
static void show_hold(struct finding *f, const struct scene *scene, struct names *names, thr_id t,
		      uint64_t obj)
{
	const struct scene_lock *l = scene_held(scene_thread(scene, t), obj);
	if (!l)
		return;
	add_place(f, names, ROLE_HOLDS, l->acquired,
		  (struct finding_about){ .object = obj, .text = finding_hold_words(l) });
	if (l->acquired.event < f->story_start)
		f->story_start = l->acquired.event;
}

/* A reader that waits although only readers hold the lock stands back for a writer. */
static void note_writers(struct finding *f, const struct scene *scene, struct names *names,
			 thr_id reader, const bool *is_shown)
{
	const struct scene_thread *thread = scene_thread(scene, reader);
	if (thread->wait_mode != SYNC_RDLOCK || scene_awaited(thread) != thread->wait_obj)
		return;
	for (thr_id t = 0; t < scene->threads.len; t++) {
		const struct scene_thread *other = &scene->threads.at[t];
		if (is_shown[t] || scene_awaited(other) != thread->wait_obj ||
		    other->wait_mode != SYNC_WRLOCK)
			continue;
		struct buf who = { 0 }, writer = { 0 };
		names_thread(names, reader, &who);
		names_thread(names, t, &writer);
		finding_add_note(f, "%s is not admitted as a reader because %s waits to write",
				 who.at, writer.at);
		buf_release(&who);
		buf_release(&writer);
		return;
	}
}

static void show_cycle(struct finding *f, const struct scene *scene, struct names *names,
		       const thread_list *cycle, bool *is_shown)
{
	struct buf message = { 0 };
	f->story_start = f->event; /* the first of the acquisitions below */
	for (size_t i = 0; i < cycle->len; i++) {
		thr_id t = cycle->at[i], previous = cycle->at[i ? i - 1 : cycle->len - 1];
		if (message.len)
			buf_str(&message, i + 1 == cycle->len ? " and " : ", ");
		names_thread(names, t, &message);
		show_wait(f, scene, names, t);
		show_hold(f, scene, names, t, scene_awaited(scene_thread(scene, previous)));
		is_shown[t] = true;
	}
	for (size_t i = 0; i < cycle->len; i++)
		note_writers(f, scene, names, cycle->at[i], is_shown);
	finding_restate(f, cycle->len == 1 ? SENTENCE_SELF_WAIT : SENTENCE_WAIT_CYCLE,
			&(struct finding_about){ .thread = cycle->at[0], .text = message.at },
			names);
	buf_release(&message);
}

/* No cycle: the message names the first thread that waits, and how many do. */
static void state_endless_wait(struct finding *f, const struct scene *scene, struct names *names)
{
	size_t live = 0;
	thr_id first = THR_NONE;
	for (thr_id t = 0; t < scene->threads.len; t++) {
		if (!is_live(&scene->threads.at[t]))
			continue;
		live++;
		bool is_waiting = scene_awaited(&scene->threads.at[t]) ||
				  scene->threads.at[t].doing == DOING_IO;
		if (first == THR_NONE && is_waiting)
			first = t;
	}
	if (first == THR_NONE)
		return;
	struct buf wait = { 0 };
	finding_add_wait(scene, names, &scene->threads.at[first], &wait);
	if (live > 1)
		buf_printf(&wait, ", %zu other thread%s wait%s too", live - 1, live > 2 ? "s" : "",
			   live > 2 ? "" : "s");
	finding_restate(f, SENTENCE_ENDLESS_WAIT,
			&(struct finding_about){ .thread = first, .text = wait.at }, names);
	buf_release(&wait);
}

/* A lock that a thread held when it ended. */
static void show_ended_holder(struct finding *f, const struct scene *scene, struct names *names,
			      uint64_t obj)
{
	for (thr_id t = 0; obj && t < scene->threads.len; t++) {
		const struct scene_lock *l = scene_held(&scene->threads.at[t], obj);
		if (l && scene->threads.at[t].doing == DOING_END)
			add_place(f, names, ROLE_HELD_AT_END, l->acquired,
				  (struct finding_about){ .object = obj });
	}
}

static void note_locks(struct finding *f, const struct scene *scene, struct names *names, thr_id t)
{
	const struct scene_thread *thread = scene_thread(scene, t);
	finding_note_locks(f, names, t, thread->held.at, thread->held.len, 0);
}

void finding_explain_livelock(struct finding *f, const struct scene *scene, struct names *names)
{
	/* Those that spin come first: what they look at is what the others wait for in the end. */
	for (int round = 0; round < 2; round++) {
		for (thr_id t = 0; t < scene->threads.len; t++) {
			const struct scene_thread *thread = &scene->threads.at[t];
			if (!is_live(thread) || waits(thread) != round)
				continue;
			struct scene_place last = thread->last;
			last.thread = t;
			if (round)
				show_wait(f, scene, names, t);
			else
				add_place(f, names, ROLE_SPINS, last, (struct finding_about){ 0 });
			note_locks(f, scene, names, t);
		}
	}
}

void finding_explain_deadlock(struct finding *f, const struct scene *scene, struct names *names)
{
	bool *is_shown = mem_zero(scene->threads.len, sizeof(*is_shown));
	thread_list cycle = { 0 };
	find_cycle(scene, &cycle);
	if (cycle.len)
		show_cycle(f, scene, names, &cycle, is_shown);
	else
		state_endless_wait(f, scene, names);
	/* Threads come first if it is known what they wait for. */
	for (int round = 0; round < 2; round++) {
		for (thr_id t = 0; t < scene->threads.len; t++) {
			const struct scene_thread *thread = &scene->threads.at[t];
			if (is_shown[t] || !is_live(thread) || waits(thread) != !round)
				continue;
			show_wait(f, scene, names, t);
			show_ended_holder(f, scene, names, scene_awaited(thread));
			note_locks(f, scene, names, t);
		}
	}
	vec_release(&cycle);
	mem_free(is_shown);
}
