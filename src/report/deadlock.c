/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who waits for whom when no thread can go on.
 *
 * A thread that waits for a lock waits for its owner, one that joins waits for the joined thread: each
 * waiting thread has at most one successor, so a cycle is found by following successors from each thread for
 * as many steps as there are threads.  Threads outside every cycle wait for something that only a thread of a
 * cycle, or nobody, could provide.
 */
#include "report/finding.h"

#include "base/alloc.h"

static bool waits(const struct scene_thread *t)
{
	return scene_awaited(t) || t->doing == DOING_JOIN;
}

static bool is_live(const struct scene_thread *t)
{
	return t->doing != DOING_NOTHING && t->doing != DOING_END;
}

/* Whom a thread waits for; THR_NONE if that is no single thread. */
static thr_id successor(const struct scene *scene, thr_id t)
{
	const struct scene_thread *thread = scene_thread(scene, t);
	if (!thread || !waits(thread))
		return THR_NONE;
	if (scene_awaited(thread))
		return scene_owner(scene, scene_awaited(thread));
	return thread->wait_obj < scene->threads.len ? (thr_id)thread->wait_obj : THR_NONE;
}

/* A thread on a cycle, THR_NONE if there is none. */
static thr_id find_cycle(const struct scene *scene)
{
	for (thr_id start = 0; start < scene->threads.len; start++) {
		thr_id t = start;
		for (size_t steps = 0; t != THR_NONE && steps < scene->threads.len; steps++) {
			t = successor(scene, t);
			if (t == start)
				return start;
		}
	}
	return THR_NONE;
}

static void tell_wait(struct finding *f, const struct scene *scene, struct names *names, thr_id t)
{
	const struct scene_thread *thread = scene_thread(scene, t);
	char *who = finding_thread_name(names, t), *what = NULL;
	uint64_t obj = scene_awaited(thread);
	if (obj) {
		what = finding_object_name(scene, names, obj);
		finding_add_place(f, thread->asked_obj ? &thread->asked : &thread->last, "%s waits for %s", who, what);
		vec_push(&f->objects, obj);
	} else if (thread->doing == DOING_JOIN) {
		what = finding_thread_name(names, (thr_id)thread->wait_obj);
		finding_add_place(f, &thread->last, "%s waits for %s to end", who, what);
	} else {
		finding_add_place(f, &thread->last, "%s is blocked", who);
	}
	mem_free(what);
	mem_free(who);
}

/* The lock of thread t that its predecessor in the cycle waits for. */
static void tell_hold(struct finding *f, const struct scene *scene, struct names *names, thr_id t,
		      uint64_t obj)
{
	const struct scene_lock *l = scene_held(scene_thread(scene, t), obj);
	if (!l)
		return;
	char *who = finding_thread_name(names, t), *what = finding_object_name(scene, names, obj);
	finding_add_place(f, &l->acquired, "%s holds %s, acquired here", who, what);
	if (l->acquired.event < f->story_start)
		f->story_start = l->acquired.event;
	mem_free(who);
	mem_free(what);
}

static void tell_cycle(struct finding *f, const struct scene *scene, struct names *names, thr_id first,
		       bool *told)
{
	struct buf message = {0};
	thr_id t = first, previous = first;
	f->story_start = f->event;	/* the first of the acquisitions below */
	while (successor(scene, previous) != first)
		previous = successor(scene, previous);
	do {
		char *who = finding_thread_name(names, t);
		thr_id next = successor(scene, t);
		if (message.len)
			buf_str(&message, next == first ? " and " : ", ");
		buf_str(&message, who);
		mem_free(who);
		tell_wait(f, scene, names, t);
		tell_hold(f, scene, names, t, scene_awaited(scene_thread(scene, previous)));
		told[t] = true;
		previous = t;
		t = next;
	} while (t != first);
	if (previous == first)
		buf_str(&message, " waits for itself");
	else
		buf_str(&message, " wait for each other");
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
		if (first == THR_NONE && scene_awaited(&scene->threads.at[t]))
			first = t;
	}
	if (first == THR_NONE)
		return;
	char *who = finding_thread_name(names, first);
	char *what = finding_object_name(scene, names, scene_awaited(&scene->threads.at[first]));
	struct buf message = {0};
	buf_printf(&message, "%s waits for %s", who, what);
	if (live > 1)
		buf_printf(&message, ", %zu other thread%s wait%s too", live - 1, live > 2 ? "s" : "",
			   live > 2 ? "" : "s");
	buf_str(&message, ", and nobody is left who could end it");
	mem_free(f->message);
	f->message = buf_take(&message);
	mem_free(who);
	mem_free(what);
}

void finding_explain_deadlock(struct finding *f, const struct scene *scene, struct names *names)
{
	bool *told = mem_zero(scene->threads.len, sizeof(*told));
	thr_id first = find_cycle(scene);
	if (first != THR_NONE)
		tell_cycle(f, scene, names, first, told);
	else
		tell_lost(f, scene, names);
	/* Threads of which is known what they wait for come first. */
	for (int round = 0; round < 2; round++) {
		for (thr_id t = 0; t < scene->threads.len; t++) {
			const struct scene_thread *thread = &scene->threads.at[t];
			if (told[t] || !is_live(thread) || waits(thread) != !round)
				continue;
			tell_wait(f, scene, names, t);
			finding_note_locks(f, scene, names, t, 0);
		}
	}
	mem_free(told);
}
