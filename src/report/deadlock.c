/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who waits for whom when no thread can go on.
 *
 * A thread that waits for a lock waits for all who hold it, one that joins waits for the joined
 * thread.  A cycle is found by a breadth-first search from each thread along these edges until it
 * is met again, so the cycle that is told is a shortest one.  Threads outside every cycle wait
 * for something that only a thread of a cycle, or nobody, could provide.
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
	thr_id *from = mem_zero(count, sizeof(*from)); /* who led here, plus one */
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

static void tell_wait(struct finding *f, const struct scene *scene, struct names *names, thr_id t)
{
	const struct scene_thread *thread = scene_thread(scene, t);
	struct buf words = { 0 };
	names_thread(names, t, &words);
	buf_char(&words, ' ');
	finding_add_wait(scene, names, thread, &words);
	finding_add_place(f, thread->asked_obj ? &thread->asked : &thread->last, "%s", words.at);
	if (scene_awaited(thread))
		vec_push(&f->objects, scene_awaited(thread));
	buf_release(&words);
}

/* The lock of thread t that its predecessor in the cycle waits for. */
static void tell_hold(struct finding *f, const struct scene *scene, struct names *names, thr_id t,
		      uint64_t obj)
{
	const struct scene_lock *l = scene_held(scene_thread(scene, t), obj);
	if (!l)
		return;
	char *who = finding_thread_name(names, t), *what = finding_object_name(scene, names, obj);
	finding_add_place(f, &l->acquired, "%s holds %s%s, acquired here", who, what,
			  finding_hold_words(l));
	if (l->acquired.event < f->story_start)
		f->story_start = l->acquired.event;
	mem_free(who);
	mem_free(what);
}

/* A reader that waits although only readers hold the lock stands back for a writer. */
static void tell_writers(struct finding *f, const struct scene *scene, struct names *names,
			 thr_id reader, const bool *told)
{
	const struct scene_thread *thread = scene_thread(scene, reader);
	if (thread->wait_mode != SYNC_RDLOCK || scene_awaited(thread) != thread->wait_obj)
		return;
	for (thr_id t = 0; t < scene->threads.len; t++) {
		const struct scene_thread *other = &scene->threads.at[t];
		if (told[t] || scene_awaited(other) != thread->wait_obj ||
		    other->wait_mode != SYNC_WRLOCK)
			continue;
		char *who = finding_thread_name(names, reader),
		     *writer = finding_thread_name(names, t);
		finding_add_note(f, "%s is not admitted as a reader because %s waits to write", who,
				 writer);
		mem_free(who);
		mem_free(writer);
		return;
	}
}

static void tell_cycle(struct finding *f, const struct scene *scene, struct names *names,
		       const thread_list *cycle, bool *told)
{
	struct buf message = { 0 };
	f->story_start = f->event; /* the first of the acquisitions below */
	for (size_t i = 0; i < cycle->len; i++) {
		thr_id t = cycle->at[i], previous = cycle->at[i ? i - 1 : cycle->len - 1];
		if (message.len)
			buf_str(&message, i + 1 == cycle->len ? " and " : ", ");
		names_thread(names, t, &message);
		tell_wait(f, scene, names, t);
		tell_hold(f, scene, names, t, scene_awaited(scene_thread(scene, previous)));
		told[t] = true;
	}
	for (size_t i = 0; i < cycle->len; i++)
		tell_writers(f, scene, names, cycle->at[i], told);
	buf_str(&message, cycle->len == 1 ? " waits for itself" : " wait for each other");
	mem_free(f->message);
	f->message = buf_take(&message);
}

/* No cycle: the message names the first thread that waits, and how many do. */
static void tell_lost(struct finding *f, const struct scene *scene, struct names *names)
{
	size_t live = 0;
	thr_id first = THR_NONE;
	for (thr_id t = 0; t < scene->threads.len; t++) {
		if (!is_live(&scene->threads.at[t]))
			continue;
		live++;
		bool is_told = scene_awaited(&scene->threads.at[t]) ||
			       scene->threads.at[t].doing == DOING_IO;
		if (first == THR_NONE && is_told)
			first = t;
	}
	if (first == THR_NONE)
		return;
	struct buf message = { 0 };
	names_thread(names, first, &message);
	buf_char(&message, ' ');
	finding_add_wait(scene, names, &scene->threads.at[first], &message);
	if (live > 1)
		buf_printf(&message, ", %zu other thread%s wait%s too", live - 1,
			   live > 2 ? "s" : "", live > 2 ? "" : "s");
	buf_str(&message, ", and nobody is left who could end it");
	mem_free(f->message);
	f->message = buf_take(&message);
}

/* A lock that a thread took with it when it ended. */
static void tell_dead_owner(struct finding *f, const struct scene *scene, struct names *names,
			    uint64_t obj)
{
	for (thr_id t = 0; obj && t < scene->threads.len; t++) {
		const struct scene_lock *l = scene_held(&scene->threads.at[t], obj);
		if (!l || scene->threads.at[t].doing != DOING_END)
			continue;
		char *who = finding_thread_name(names, t),
		     *what = finding_object_name(scene, names, obj);
		finding_add_place(f, &l->acquired, "%s, which has ended, acquired %s here", who,
				  what);
		mem_free(who);
		mem_free(what);
	}
}

void finding_explain_livelock(struct finding *f, const struct scene *scene, struct names *names)
{
	/* Those that spin come first: what they look at is what the others wait for in the end. */
	for (int round = 0; round < 2; round++) {
		for (thr_id t = 0; t < scene->threads.len; t++) {
			const struct scene_thread *thread = &scene->threads.at[t];
			if (!is_live(thread) || waits(thread) != round)
				continue;
			char *who = finding_thread_name(names, t);
			if (round)
				tell_wait(f, scene, names, t);
			else
				finding_add_place(f, &thread->last, "%s spins here", who);
			finding_note_locks(f, scene, names, t, 0);
			mem_free(who);
		}
	}
}

void finding_explain_deadlock(struct finding *f, const struct scene *scene, struct names *names)
{
	bool *told = mem_zero(scene->threads.len, sizeof(*told));
	thread_list cycle = { 0 };
	find_cycle(scene, &cycle);
	if (cycle.len)
		tell_cycle(f, scene, names, &cycle, told);
	else
		tell_lost(f, scene, names);
	/* Threads of which is known what they wait for come first. */
	for (int round = 0; round < 2; round++) {
		for (thr_id t = 0; t < scene->threads.len; t++) {
			const struct scene_thread *thread = &scene->threads.at[t];
			if (told[t] || !is_live(thread) || waits(thread) != !round)
				continue;
			tell_wait(f, scene, names, t);
			tell_dead_owner(f, scene, names, scene_awaited(thread));
			finding_note_locks(f, scene, names, t, 0);
		}
	}
	vec_release(&cycle);
	mem_free(told);
}
