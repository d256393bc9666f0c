/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From failure events to findings.  The runtime says what it saw in one event; what the threads did
 * before is in the scene.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/demangle.h"
#include "base/hash.h"
#include "report/finding.h"
#include "wire/wire.h"

/* What an explanation is made from. */
struct failing {
	struct finding *f;
	const struct event *e;
	const struct scene *scene;
	struct names *names;
};

static void add_place(struct failing *x, enum finding_role role, struct scene_place at,
		      struct finding_about about)
{
	finding_add_place(x->f, &(struct finding_part){ role, at, about }, x->names);
}

/* The same failure, with what is known beside its event. */
static void restate(struct failing *x, enum finding_sentence sentence, const char *text)
{
	finding_restate(x->f, sentence, &(struct finding_about){ .text = text }, x->names);
}

/* Where the block around an address was allocated and freed. */
static void explain_block(struct failing *x)
{
	const struct scene_block *b = scene_block_around(x->scene, x->e->obj);
	if (!b)
		return;
	add_place(x, ROLE_FREED, b->freed, (struct finding_about){ 0 });
	add_place(x, ROLE_ALLOCATED, b->made, (struct finding_about){ .number = b->size });
	vec_push(&x->f->objects, b->start);
}

static void explain_lock(struct failing *x)
{
	const struct scene_sync *s = scene_sync(x->scene, x->e->obj);
	thr_id owner = scene_owner(x->scene, x->e->obj);
	struct finding_about about = { .object = x->e->obj };
	if (owner != THR_NONE) {
		const struct scene_lock *l = scene_held(scene_thread(x->scene, owner), x->e->obj);
		about.text = finding_hold_words(l);
		add_place(x, ROLE_HOLDS, l->acquired, about);
	} else if (s && s->last_owner != THR_NONE && !s->destroyed.is_known) {
		add_place(x, ROLE_RELEASED, s->released, about);
	}
	if (s) {
		add_place(x, ROLE_DESTROYED, s->destroyed, about);
		add_place(x, ROLE_INITIALISED, s->made, about);
	}
}

/* "expr|file|line|function", where the expression may contain bars itself. */
static void explain_assertion(struct failing *x)
{
	const struct event *e = x->e;
	char *text = mem_strndup(e->data_len ? (const char *)e->data : "", e->data_len);
	char *end = text + strlen(text);
	for (int bars = 0; end > text && bars < 3;)
		if (*--end == '|')
			bars++;
	if (*end == '|')
		*end = 0;
	if (text[0])
		restate(x, SENTENCE_ASSERTED, text);
	mem_free(text);
}

/* "mangled type|what() of a std::exception". */
static void explain_exception(struct failing *x)
{
	const struct event *e = x->e;
	char *text = mem_strndup(e->data_len ? (const char *)e->data : "", e->data_len);
	char *what = strchr(text, '|');
	if (what)
		*what++ = 0;
	char *type = demangle(text);
	restate(x, SENTENCE_UNCAUGHT, type);
	if (what && *what) {
		struct buf message = { 0 };
		buf_printf(&message, "%s: %s", x->f->message, what);
		mem_free(x->f->message);
		x->f->message = buf_take(&message);
	}
	const struct scene_place *thrown = scene_throw(x->scene, e->obj);
	if (thrown && (thrown->loc != e->loc || thrown->thread != e->thread))
		add_place(x, ROLE_THREW, *thrown, (struct finding_about){ 0 });
	mem_free(type);
	mem_free(text);
}

static void explain_mismatch(struct failing *x)
{
	static const char *const makers[] = { "malloc", "new", "new[]" };
	static const char *const releasers[] = { "free", "delete", "delete[]" };
	uint64_t made = x->e->b >> 8, released = x->e->b & 0xff;
	if (made < 3 && released < 3) {
		char text[64];
		snprintf(text, sizeof(text), "%s is released by %s", makers[made],
			 releasers[released]);
		restate(x, SENTENCE_FREED_OTHERWISE, text);
	}
	explain_block(x);
}

/* Whose frame it was, and what that thread does now. */
static void explain_left_frame(struct failing *x)
{
	const struct scene_thread *owner = scene_thread(x->scene, x->scene->left_by);
	struct buf who = { 0 };
	names_thread(x->names, x->scene->left_by, &who);
	struct scene_place left = x->scene->left;
	left.thread = x->scene->left_by;
	add_place(x, ROLE_LEFT_FRAME, left, (struct finding_about){ 0 });
	if (owner && owner->doing == DOING_END)
		finding_add_note(x->f, "%s, on whose stack it was, has ended", who.at);
	else
		finding_add_note(x->f, "it was on the stack of %s", who.at);
	buf_release(&who);
}

static void explain_crash(struct failing *x)
{
	const struct event *e = x->e;
	const char *name = e->b < 65 ? sigabbrev_np((int)e->b) : NULL;
	char text[128];
	int n = snprintf(text, sizeof(text), "SIG%s", name ? name : "nal");
	size_t room = sizeof(text) - (size_t)n;
	bool is_access = e->b == SIGSEGV || e->b == SIGBUS;
	if (e->a == FAILURE_SIGNAL_SENT)
		snprintf(text + n, room, ", which was sent by a call");
	else if (is_access && e->obj == WIRE_NO_ADDRESS)
		snprintf(text + n, room, " for an access to an address that no memory can have");
	else if (is_access)
		snprintf(text + n, room, " for an access to address 0x%llx",
			 (unsigned long long)e->obj);
	restate(x, SENTENCE_KILLED, text);
}

/* A pointer that was never one: it has more bits than an address, and is no object. */
static void explain_no_address(struct failing *x)
{
	char text[32];
	if (!(x->e->b >> 48))
		return;
	snprintf(text, sizeof(text), "0x%llx", (unsigned long long)x->e->b);
	restate(x, SENTENCE_FREED_NOWHERE, text);
	if (x->e->b == WIRE_FRESH_FILL * 0x0101010101010101ull)
		finding_add_note(x->f, "a new block that has not been written "
				       "contains this");
}

/* Where all other threads are: for a run that did not end. */
static void explain_threads(struct failing *x)
{
	finding_add_note(x->f, "--steps=N gives another limit, --steps=0 none");
	for (thr_id t = 0; t < x->scene->threads.len; t++) {
		const struct scene_thread *thread = &x->scene->threads.at[t];
		if (t == x->e->thread || thread->doing == DOING_NOTHING ||
		    thread->doing == DOING_END)
			continue;
		struct scene_place last = thread->last;
		last.thread = t;
		add_place(x, ROLE_IS_HERE, last, (struct finding_about){ 0 });
	}
}

static void explain(struct failing *x)
{
	const struct event *e = x->e;
	if (e->a == FAILURE_DEADLOCK || e->a == FAILURE_LOCK_CYCLE) {
		finding_explain_deadlock(x->f, x->scene, x->names);
		return;
	}
	if (e->a == FAILURE_LIVELOCK) {
		finding_explain_livelock(x->f, x->scene, x->names);
		return;
	}
	add_place(x, ROLE_FAILS, scene_place_of(e),
		  (struct finding_about){ .text = failure_does(e->a) });
	switch (e->a) {
	case FAILURE_ASSERTION:
		explain_assertion(x);
		break;
	case FAILURE_SIGNAL:
	case FAILURE_SIGNAL_SENT:
		explain_crash(x);
		break;
	case FAILURE_READ_FREED:
	case FAILURE_WRITE_FREED:
	case FAILURE_DOUBLE_FREE:
	case FAILURE_INVALID_FREE:
		explain_block(x);
		if (e->a == FAILURE_INVALID_FREE)
			explain_no_address(x);
		break;
	case FAILURE_READ_LEFT:
	case FAILURE_WRITE_LEFT:
		explain_left_frame(x);
		break;
	case FAILURE_FREE_MISMATCH:
		explain_mismatch(x);
		break;
	case FAILURE_EXCEPTION:
		explain_exception(x);
		break;
	case FAILURE_STEP_LIMIT:
		explain_threads(x);
		break;
	case FAILURE_ABORT:
	case FAILURE_STACK_OVERFLOW:
	case FAILURE_TERMINATE:
		break;
	default:
		explain_lock(x);
		break;
	}
	const struct scene_thread *t = scene_thread(x->scene, e->thread);
	if (t)
		finding_note_locks(x->f, x->names, e->thread, t->held.at, t->held.len, e->obj);
}

static bool is_same(const struct finding *x, const struct finding *y)
{
	if (x->kind != y->kind || x->places.len != y->places.len)
		return false;
	for (size_t i = 0; i < x->places.len; i++)
		if (x->places.at[i].loc != y->places.at[i].loc)
			return false;
	return true;
}

static uint64_t failure_hash(const struct event *e)
{
	uint64_t parts[] = { e->a, e->b, e->obj, e->loc, e->stack, e->thread };
	return hash_bytes(hash_bytes(0, e->data, e->data_len), parts, sizeof(parts));
}

void findings_add_failure(struct findings *list, const struct event *e, const struct scene *scene,
			  struct names *names)
{
	/* A program that fails in a loop may fail a million times: the same event is only
	 * counted. */
	bool is_new;
	uint64_t *known = map_put(&list->known, failure_hash(e), &is_new);
	if (!is_new) {
		list->list.at[*known - 1].count++;
		return;
	}
	struct finding_input in = { .failure = (uint32_t)e->a,
				    .about = { .thread = e->thread,
					       .other = (thr_id)e->b,
					       .object = e->obj,
					       .number = e->b },
				    .event = e->index };
	if (!failure_sentence(e->a))
		in.about.number = e->a;
	struct finding f = finding_make(&in, names);
	explain(&(struct failing){ &f, e, scene, names });
	for (size_t i = 0; i < list->list.len; i++) {
		if (is_same(&list->list.at[i], &f)) {
			list->list.at[i].count++;
			*known = i + 1;
			finding_release(&f);
			return;
		}
	}
	scene_last_steps(scene, &f.steps);
	vec_push(&list->list, f);
	*known = list->list.len;
}
