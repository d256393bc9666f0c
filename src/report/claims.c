/* SPDX-License-Identifier: Apache-2.0 */
/* Claims in words; see claims.h.  Events other than these are not kept, so memory grows with the
 * claims. */
#include "report/claims.h"

#include <stdio.h>

#include "base/err.h"

/* ---- events ---- */

static void want(struct claim_events *e, uint64_t event)
{
	bool is_new;
	uint64_t *index = map_put(&e->index_of, event, &is_new);
	if (!is_new)
		return;
	*index = e->events.len;
	*vec_add(&e->events) = (struct event){ 0 };
}

size_t claim_first_step(const struct claim *c)
{
	size_t length = answer_length(&c->answer);
	return length > SHOWN_OPS ? length - SHOWN_OPS : 0;
}

/* The acquire that the thread made last before an operation and that the witness leaves open. */
static op_id held_in(const struct claim *c, const struct history *h, op_id op, uint32_t lock)
{
	op_id found = OP_NONE;
	for (size_t i = 0; i < answer_length(&c->answer); i++) {
		const struct op *o = &h->ops.at[answer_op(&c->answer, i)];
		if (o->thread != h->ops.at[op].thread || o->lock != lock)
			continue;
		if (o->kind == OP_ACQUIRE)
			found = answer_op(&c->answer, i);
		else if (o->kind == OP_RELEASE)
			found = OP_NONE;
	}
	return found;
}

struct acquires {
	VEC(op_id) list;
};

/* What the thread of an operation holds where the witness ends, in the order in which it took it.
 */
static struct acquires all_held(const struct claim *c, const struct history *h, op_id op)
{
	struct acquires held = { 0 };
	for (size_t i = 0; i < answer_length(&c->answer); i++) {
		op_id id = answer_op(&c->answer, i);
		const struct op *o = &h->ops.at[id];
		if (o->thread != h->ops.at[op].thread)
			continue;
		if (o->kind == OP_ACQUIRE)
			vec_push(&held.list, id);
		size_t kept = 0;
		for (size_t k = 0; o->kind == OP_RELEASE && k < held.list.len; k++)
			if (held.list.at[k] != o->match)
				held.list.at[kept++] = held.list.at[k];
		if (o->kind == OP_RELEASE)
			held.list.len = kept;
	}
	return held;
}

void claim_events_want(struct claim_events *e, const struct history *h, const struct claim *c,
		       const struct confirmation *confirmation)
{
	for (size_t k = 0; confirmation && k < confirmation->ops.len; k++)
		want(e, h->ops.at[confirmation->ops.at[k].op].event);
	for (size_t k = 0; k < c->ops.len; k++)
		want(e, h->ops.at[c->ops.at[k]].event);
	if (c->tie != TIE_NONE)
		want(e, h->ops.at[c->tie_from].event);
	for (size_t k = claim_first_step(c); k < answer_length(&c->answer); k++)
		want(e, h->ops.at[answer_op(&c->answer, k)].event);
	/* Locks that are held since long before. */
	for (size_t k = 0; k < c->ops.len; k++)
		for (size_t n = 0; n < c->ops.len; n++) {
			op_id held =
				h->ops.at[c->ops.at[n]].kind == OP_ACQUIRE
					? held_in(c, h, c->ops.at[k], h->ops.at[c->ops.at[n]].lock)
					: OP_NONE;
			if (held != OP_NONE)
				want(e, h->ops.at[held].event);
		}
	for (size_t k = 0; c->kind == CLAIM_RACE && k < c->ops.len; k++) {
		struct acquires held = all_held(c, h, c->ops.at[k]);
		for (size_t i = 0; i < held.list.len; i++)
			want(e, h->ops.at[held.list.at[i]].event);
		vec_release(&held.list);
	}
}

void claim_events_take(struct claim_events *e, const struct event *event)
{
	const uint64_t *index = map_get(&e->index_of, event->index);
	if (!index)
		return;
	e->events.at[*index] = *event;
	e->events.at[*index].data = NULL; /* it does not stay */
	e->events.at[*index].data_len = 0;
}

void claim_events_release(struct claim_events *e)
{
	map_release(&e->index_of);
	vec_release(&e->events);
}

const struct event *claim_event(const struct claim_events *e, const struct history *h, op_id op)
{
	const uint64_t *index = map_get(&e->index_of, h->ops.at[op].event);
	ASSERT(index);
	return &e->events.at[*index];
}

/* ---- words ---- */

struct words {
	const struct claim *c;
	const struct history *h;
	const struct claim_events *e;
	const struct scene *scene;
	struct names *names;
	struct finding *f;
};

static const struct event *event_at(const struct words *w, size_t i)
{
	return claim_event(w->e, w->h, w->c->ops.at[i]);
}

/* "T1 'worker'"; the caller frees it. */
static char *who(const struct words *w, size_t i)
{
	return finding_thread_name(w->names, event_at(w, i)->thread);
}

static char *what(const struct words *w, uint64_t object)
{
	return finding_object_name(w->scene, w->names, object);
}

static const char *does(const struct event *e)
{
	switch (e->kind) {
	case EV_READ:
		return "read";
	case EV_WRITE:
		return "write";
	case EV_RMW:
		return "read and write";
	case EV_ACQUIRE:
		return "take";
	case EV_RELEASE:
		return "release";
	case EV_FREE:
		return "free";
	case EV_WAIT:
		return "wait for";
	case EV_SIGNAL:
		return "signal";
	case EV_BROADCAST:
		return "signal all that wait for";
	case EV_SYNC_DESTROY:
		return "destroy";
	case EV_SYNC_INIT:
		return "initialise";
	}
	return "use";
}

/* A place with its role: who, some words, the object. */
static void add_place(struct words *w, size_t i, const char *words)
{
	const struct event *e = event_at(w, i);
	struct scene_place place = scene_place_of(e);
	char *name = who(w, i), *object = e->obj ? what(w, e->obj) : mem_strdup("");
	finding_add_place(w->f, &place, "%s %s %s %s", name, words, does(e), object);
	mem_free(name);
	mem_free(object);
}

static void tell(struct words *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void tell(struct words *w, const char *fmt, ...)
{
	char text[512];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	w->f->message = mem_strdup(text);
}

/* One sentence about two threads and an object. */
static void tell_pair(struct words *w, const char *fmt, uint64_t obj)
{
	char *x = who(w, 0), *y = who(w, 1), *object = what(w, obj);
	struct buf text = { 0 };
	for (; *fmt; fmt++) {
		if (*fmt == '1' || *fmt == '2' || *fmt == '3')
			buf_str(&text, *fmt == '1' ? x : *fmt == '2' ? y : object);
		else
			buf_char(&text, *fmt);
	}
	tell(w, "%s", text.at);
	buf_release(&text);
	mem_free(x);
	mem_free(y);
	mem_free(object);
	vec_push(&w->f->objects, obj);
}

/* Which locks did not help. */
static void note_locks(struct words *w, size_t i)
{
	struct acquires held = all_held(w->c, w->h, w->c->ops.at[i]);
	struct buf text = { 0 };
	for (size_t k = 0; k < held.list.len; k++) {
		const struct event *e = claim_event(w->e, w->h, held.list.at[k]);
		char *object = what(w, e->obj);
		buf_printf(&text, "%s%s, taken at ", k ? "; " : "", object);
		names_place(w->names, e->loc, &text);
		mem_free(object);
	}
	char *name = who(w, i);
	if (held.list.len)
		finding_add_note(w->f, "%s holds %s", name, text.at);
	else
		finding_add_note(w->f, "%s holds no lock", name);
	mem_free(name);
	buf_release(&text);
	vec_release(&held.list);
}

static void tell_race(struct words *w)
{
	const struct event *a = event_at(w, 0), *b = event_at(w, 1);
	w->f->kind = FINDING_RACE;
	tell_pair(w, "1 and 2 can access 3 at the same time", a->obj > b->obj ? a->obj : b->obj);
	add_place(w, 0, "is about to");
	add_place(w, 1, "is about to");
	note_locks(w, 0);
	note_locks(w, 1);
}

static void tell_deadlock(struct words *w)
{
	struct buf text = { 0 };
	w->f->kind = FINDING_DEADLOCK;
	for (size_t i = 0; i < w->c->ops.len; i++) {
		char *name = who(w, i);
		buf_printf(&text, "%s%s", !i ? "" : i + 1 < w->c->ops.len ? ", " : " and ", name);
		mem_free(name);
	}
	tell(w, "%s can wait for each other for ever", text.at);
	buf_release(&text);
	for (size_t i = 0; i < w->c->ops.len; i++) {
		const struct event *e = event_at(w, i);
		struct scene_place place = scene_place_of(e);
		char *name = who(w, i);
		if (e->kind == EV_JOIN) {
			char *other = finding_thread_name(w->names, (thr_id)e->a);
			finding_add_place(w->f, &place, "%s waits for %s to end", name, other);
			mem_free(other);
		} else {
			char *object = what(w, e->obj);
			finding_add_place(w->f, &place, "%s waits for %s", name, object);
			mem_free(object);
			vec_push(&w->f->objects, e->obj);
		}
		mem_free(name);
	}
	/* Who holds what is waited for, since where. */
	for (size_t i = 0; i < w->c->ops.len; i++)
		for (size_t k = 0; k < w->c->ops.len; k++) {
			const struct op *wanted = &w->h->ops.at[w->c->ops.at[k]];
			op_id held = wanted->kind == OP_ACQUIRE
					     ? held_in(w->c, w->h, w->c->ops.at[i], wanted->lock)
					     : OP_NONE;
			if (held == OP_NONE)
				continue;
			const struct event *e = claim_event(w->e, w->h, held);
			struct scene_place place = scene_place_of(e);
			char *name = who(w, i), *object = what(w, e->obj);
			finding_add_place(w->f, &place, "%s holds %s since", name, object);
			mem_free(name);
			mem_free(object);
		}
}

static void tell_atomicity(struct words *w)
{
	w->f->kind = FINDING_ATOMICITY;
	tell_pair(w, "2 can come between two accesses of 1 to 3", event_at(w, 2)->obj);
	add_place(w, 0, "came here to");
	if (w->c->ops.len > 3)
		add_place(w, 3, "reads it in between, and is then to");
	else
		add_place(w, 1, "comes in between to");
	add_place(w, 2, "is about to");
}

static char *value(struct words *w, const struct event *e, uint64_t v)
{
	struct buf text = { 0 };
	names_value(w->names, e, v, &text);
	return buf_take(&text);
}

/* Why the two accesses belong together, as the trace shows it. */
static void note_tie(struct words *w)
{
	if (w->c->tie == TIE_NONE)
		return;
	const struct event *read = event_at(w, 0), *other = claim_event(w->e, w->h, w->c->tie_from);
	char *name = who(w, 0), *seen = value(w, read, read->a);
	char *made = value(w, event_at(w, 2), event_at(w, 2)->a),
	     *otherwise = value(w, other, other->a);
	bool is_data = w->c->tie == TIE_DATA;
	finding_add_note(
		w->f,
		"%s %s writes depends on what it reads: in the trace %s led to %s, and %s to %s",
		is_data ? "what" : "whether", name, seen, made, otherwise,
		is_data ? "something else" : "no write");
	mem_free(name);
	mem_free(seen);
	mem_free(made);
	mem_free(otherwise);
}

/* The same as runs have shown it, and what comes of it. */
static void note_lost_update(struct words *w, const struct confirmation *c)
{
	const struct event *e = event_at(w, 2);
	char *first = who(w, 0), *other = who(w, 1), *object = what(w, e->obj);
	char *left = value(w, e, c->left), *one = value(w, e, c->serial[0]),
	     *two = value(w, e, c->serial[1]);
	char *made[2] = { value(w, e, c->made[0]), value(w, e, c->made[1]) };
	bool is_data = c->tie == TIE_DATA;
	finding_add_note(w->f, "%s %s writes depends on what it read: %s, and %s if %s comes first",
			 is_data ? "what" : "whether", first, made[0],
			 is_data ? made[1] : "nothing", other);
	finding_add_note(w->f,
			 "%s is %s afterwards, but %s%s if %s comes first, and %s%s if %s does",
			 object, left, one, c->is_alone[0] ? ", written once," : "", first, two,
			 c->is_alone[1] ? ", written once," : "", other);
	mem_free(first);
	mem_free(other);
	mem_free(object);
	mem_free(left);
	mem_free(one);
	mem_free(two);
	mem_free(made[0]);
	mem_free(made[1]);
}

static void tell_claim(struct words *w)
{
	switch (w->c->kind) {
	case CLAIM_RACE:
		tell_race(w);
		return;
	case CLAIM_DEADLOCK:
		tell_deadlock(w);
		return;
	case CLAIM_ATOMICITY:
		tell_atomicity(w);
		return;
	case CLAIM_LOST_SIGNAL:
		w->f->kind = FINDING_DEADLOCK;
		tell_pair(w, "1 can wait for ever for a signal of 3 that 2 has given already",
			  event_at(w, 0)->obj);
		add_place(w, 0, "is about to");
		add_place(w, 1, "was the last to");
		return;
	case CLAIM_USE_AFTER_FREE:
		w->f->kind = FINDING_USE_AFTER_FREE;
		tell_pair(w, "1 can use 3 after 2 has freed it", event_at(w, 0)->obj);
		break;
	case CLAIM_USE_DESTROYED:
		w->f->kind = FINDING_LOCK_MISUSE;
		tell_pair(w, "1 can use 3 after 2 has destroyed it", event_at(w, 0)->obj);
		break;
	case CLAIM_USE_BEFORE_INIT:
		w->f->kind = FINDING_ORDER;
		tell_pair(w, "1 can use 3 before 2 initialises it", event_at(w, 0)->obj);
		add_place(w, 0, "is about to");
		add_place(w, 1, "has yet to");
		return;
	case CLAIM_KINDS:
		break;
	}
	add_place(w, 0, "is about to");
	add_place(w, 1, "has come here to");
}

/* The sentence of a failure that a run ended with. */
static const char *failure_sentence(uint32_t number)
{
	static const struct {
		uint32_t number;
		const char *sentence;
	} all[] = {
#define FAILURE(n, NAME, KIND, s) { n, s },
#include "wire/failure.def"
	};
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (all[i].number == number)
			return all[i].sentence;
	return "the program fails";
}

static void note_confirmation(struct words *w, const struct confirmation *c)
{
	if (!c->is_confirmed) {
		finding_add_note(w->f, "not confirmed: %s", c->why);
		return;
	}
	w->f->status = FINDING_CONFIRMED;
	if (c->effect == EFFECT_LOST_UPDATE)
		note_lost_update(w, c);
	if (c->failure == FAILURE_DOUBLE_FREE)
		w->f->kind = FINDING_DOUBLE_FREE;
	if (c->effect == EFFECT_OTHER_FAILURE) {
		w->f->kind = finding_kind_of_failure(c->failure);
		finding_add_note(w->f,
				 "the program fails, too, if one does all of it after the other");
	}
	if (c->effect == EFFECT_FAILURE)
		finding_add_note(
			w->f,
			"neither thread makes the program fail so if it comes after the other");
	if (c->effect == EFFECT_FAILURE || c->effect == EFFECT_OTHER_FAILURE) {
		struct buf identity = { 0 };
		buf_printf(&identity, "%llu at %llx with %llx", (unsigned long long)c->failure,
			   (unsigned long long)c->failure_pc,
			   (unsigned long long)event_at(w, 0)->obj);
		w->f->identity = buf_take(&identity);
	}
	if (!c->failure) {
		finding_add_note(w->f, "confirmed by running the program");
		return;
	}
	struct buf text = { 0 };
	for (const char *at = failure_sentence(c->failure); *at; at++) {
		if (at[0] != '%' || !at[1]) {
			buf_char(&text, *at);
			continue;
		}
		if (*++at == 'n')
			buf_decimal(&text, c->failure_detail);
		else
			buf_str(&text, *at == 'o' ? "the object" : "another");
	}
	finding_add_note(w->f, "confirmed by running the program, which then fails: %s", text.at);
	buf_release(&text);
}

void findings_add_claim(struct findings *list, const struct claim *c,
			const struct confirmation *confirmation, const struct history *h,
			const struct claim_events *e, const struct scene *scene,
			struct names *names)
{
	struct finding *f = vec_add(&list->list);
	struct words w = { c, h, e, scene, names, f };
	f->status = FINDING_PREDICTED;
	f->count = c->instances;
	tell_claim(&w);
	claim_steps(c, confirmation, h, e, &f->steps);
	f->event = answer_length(&c->answer);
	if (c->kind == CLAIM_ATOMICITY && !(confirmation && confirmation->is_confirmed))
		note_tie(&w);
	if (confirmation)
		note_confirmation(&w, confirmation);
	if (c->question.same_values)
		finding_add_note(f,
				 "some reads see other writes of the same value than in the trace");
}
