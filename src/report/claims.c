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
	for (size_t k = 0; c->kind == FINDING_RACE && k < c->ops.len; k++) {
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
	struct names *names;
	struct finding *f;
};

static const struct event *event_at(const struct words *w, size_t i)
{
	return claim_event(w->e, w->h, w->c->ops.at[i]);
}

static char *thread_name(const struct words *w, size_t i)
{
	struct buf name = { 0 };
	names_thread(w->names, event_at(w, i)->thread, &name);
	return buf_take(&name);
}

static char *object_name(const struct words *w, uint64_t object)
{
	struct buf name = { 0 };
	names_sync(w->names, object, &name);
	return buf_take(&name);
}

static enum finding_act act_of(const struct event *e)
{
	switch (e->kind) {
	case EV_READ:
		return ACT_READ;
	case EV_WRITE:
		return ACT_WRITE;
	case EV_RMW:
		return ACT_CHANGE;
	case EV_ACQUIRE:
		return ACT_LOCK;
	case EV_RELEASE:
		return ACT_UNLOCK;
	case EV_FREE:
		return ACT_FREE;
	case EV_WAIT:
		return ACT_WAIT;
	case EV_SIGNAL:
		return ACT_SIGNAL;
	case EV_BROADCAST:
		return ACT_BROADCAST;
	case EV_SYNC_DESTROY:
		return ACT_DESTROY;
	case EV_SYNC_INIT:
		return ACT_INITIALISE;
	default:
		return ACT_USE;
	}
}

/* The place of an operation in this role. */
static void add_place(struct words *w, size_t i, enum finding_role role)
{
	const struct event *e = event_at(w, i);
	finding_add_place(w->f,
			  &(struct finding_part){
				  role, scene_place_of(e), { .object = e->obj, .act = act_of(e) } },
			  w->names);
}

/* Locks that do not prevent it. */
static void note_locks(struct words *w, size_t i)
{
	struct acquires held = all_held(w->c, w->h, w->c->ops.at[i]);
	VEC(struct scene_lock) locks = { 0 };
	for (size_t k = 0; k < held.list.len; k++) {
		const struct event *e = claim_event(w->e, w->h, held.list.at[k]);
		vec_push(&locks, ((struct scene_lock){ e->obj, 1, e->mode, scene_place_of(e) }));
	}
	finding_note_locks(w->f, w->names, event_at(w, i)->thread, locks.at, locks.len, 0);
	if (!locks.len) {
		char *name = thread_name(w, i);
		finding_add_note(w->f, "%s holds no lock", name);
		mem_free(name);
	}
	vec_release(&locks);
	vec_release(&held.list);
}

/* ---- deadlocks ---- */

/* Where a thread waits, and for what. */
static void add_wait(struct words *w, size_t i)
{
	const struct event *e = event_at(w, i);
	struct buf text = { 0 };
	buf_str(&text, "waits for ");
	if (e->kind == EV_JOIN) {
		names_thread(w->names, (thr_id)e->a, &text);
		buf_str(&text, " to end");
	} else {
		names_sync(w->names, e->obj, &text);
		vec_push(&w->f->objects, e->obj);
	}
	finding_add_place(
		w->f, &(struct finding_part){ ROLE_WAITS, scene_place_of(e), { .text = text.at } },
		w->names);
	buf_release(&text);
}

/* Where a thread acquired what another one waits for. */
static void add_hold(struct words *w, size_t i, size_t waiting)
{
	const struct op *wanted = &w->h->ops.at[w->c->ops.at[waiting]];
	if (wanted->kind != OP_ACQUIRE)
		return;
	op_id held = held_in(w->c, w->h, w->c->ops.at[i], wanted->lock);
	if (held == OP_NONE)
		return;
	const struct event *e = claim_event(w->e, w->h, held);
	struct scene_lock lock = { .obj = e->obj, .mode = e->mode };
	finding_add_place(
		w->f,
		&(struct finding_part){ ROLE_HOLDS,
					scene_place_of(e),
					{ .object = e->obj, .text = finding_hold_words(&lock) } },
		w->names);
}

static void make_deadlock(struct words *w, struct finding_input *in)
{
	struct buf text = { 0 };
	size_t count = w->c->ops.len;
	for (size_t i = 0; i < count; i++) {
		buf_str(&text, !i ? "" : i + 1 < count ? ", " : " and ");
		names_thread(w->names, event_at(w, i)->thread, &text);
	}
	in->about.text = text.at;
	*w->f = finding_make(in, w->names);
	buf_release(&text);
	for (size_t i = 0; i < count; i++)
		add_wait(w, i);
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < count; k++)
			add_hold(w, i, k);
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
	char *name = thread_name(w, 0), *seen = value(w, read, read->a);
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
	char *first = thread_name(w, 0), *other = thread_name(w, 1),
	     *object = object_name(w, e->obj);
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

/* ---- the finding ---- */

static enum finding_sentence sentence_of(enum finding_kind kind)
{
	switch (kind) {
	case FINDING_RACE:
		return SENTENCE_CAN_RACE;
	case FINDING_DEADLOCK:
		return SENTENCE_CAN_DEADLOCK;
	case FINDING_LOST_SIGNAL:
		return SENTENCE_CAN_LOSE_SIGNAL;
	case FINDING_ATOMICITY:
		return SENTENCE_CAN_INTERLEAVE;
	case FINDING_USE_AFTER_FREE:
		return SENTENCE_CAN_USE_FREED;
	case FINDING_LOCK_MISUSE:
		return SENTENCE_CAN_USE_DESTROYED;
	default:
		return SENTENCE_CAN_USE_EARLY;
	}
}

/* The memory that a claim about two threads is about. */
static uint64_t object_of(const struct words *w)
{
	const struct event *a = event_at(w, 0), *b = event_at(w, 1);
	if (w->c->kind == FINDING_RACE) /* the first byte of both accesses */
		return a->obj > b->obj ? a->obj : b->obj;
	return w->c->kind == FINDING_ATOMICITY ? event_at(w, 2)->obj : a->obj;
}

static void make_finding(struct words *w)
{
	enum finding_sentence sentence = sentence_of(w->c->kind);
	struct finding_input in = { .sentence = sentence,
				    .status = FINDING_PREDICTED,
				    .count = w->c->instances,
				    .event = answer_length(&w->c->answer) };
	if (w->c->kind == FINDING_DEADLOCK) {
		make_deadlock(w, &in);
		return;
	}
	in.about = (struct finding_about){ .thread = event_at(w, 0)->thread,
					   .other = event_at(w, 1)->thread,
					   .object = object_of(w) };
	*w->f = finding_make(&in, w->names);
	for (size_t i = 0; i < w->c->ops.len && finding_role_of(sentence, i) != ROLE_NONE; i++) {
		/* The write of an intruder whose read comes in between. */
		bool is_read_between =
			sentence == SENTENCE_CAN_INTERLEAVE && i == 1 && w->c->ops.len > 3;
		if (is_read_between)
			add_place(w, 3, ROLE_READS_BETWEEN);
		else
			add_place(w, i, finding_role_of(sentence, i));
	}
	for (size_t i = 0; i < 2 && w->c->kind == FINDING_RACE; i++)
		note_locks(w, i);
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
		int kind = finding_kind_of_failure(c->failure);
		w->f->kind = kind < 0 ? FINDING_CRASH : (enum finding_kind)kind;
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
	const char *sentence = failure_sentence(c->failure);
	finding_fill(sentence ? sentence : "the program fails",
		     &(struct finding_words){ .number = c->failure_detail }, &text);
	finding_add_note(w->f, "confirmed by running the program, which then fails: %s", text.at);
	buf_release(&text);
}

void findings_add_claim(struct findings *list, const struct claim *c,
			const struct confirmation *confirmation, const struct history *h,
			const struct claim_events *e, struct names *names)
{
	struct finding *f = vec_add(&list->list);
	struct words w = { c, h, e, names, f };
	make_finding(&w);
	claim_steps(c, confirmation, h, e, &f->steps);
	if (c->kind == FINDING_ATOMICITY && !(confirmation && confirmation->is_confirmed))
		note_tie(&w);
	if (confirmation)
		note_confirmation(&w, confirmation);
	if (c->question.same_values)
		finding_add_note(f,
				 "some reads see other writes of the same value than in the trace");
}
