/* SPDX-License-Identifier: Apache-2.0 */
/* See race.h. */
#include "report/race.h"

#include <string.h>

#include "base/alloc.h"

void race_side_take(struct race_side *s, const struct event *e, const struct scene *scene)
{
	const struct scene_thread *t = scene_thread(scene, e->thread);
	s->event = *e;
	s->event.data = NULL; /* it does not stay */
	s->event.data_len = 0;
	s->held.len = 0;
	for (size_t i = 0; t && i < t->held.len; i++)
		vec_push(&s->held, t->held.at[i]);
	s->is_taken = true;
}

void race_side_release(struct race_side *s)
{
	vec_release(&s->held);
}

/* ---- words ---- */

static const char *access_word(unsigned kind)
{
	switch (kind) {
	case EV_READ:
		return "reads";
	case EV_RMW:
		return "changes";
	case EV_FREE:
		return "frees";
	case EV_FAILURE:
		return "uses";
	default:
		return "writes";
	}
}

static uint64_t end_of(const struct event *e)
{
	return e->obj + (e->size ? e->size : 1);
}

/* The first byte that both touch. */
static uint64_t common_start(const struct event *x, const struct event *y)
{
	return x->obj > y->obj ? x->obj : y->obj;
}

/* " (64 bytes)": of an access that touches more than both have in common. */
static void add_extent(struct buf *out, const struct event *e, const struct event *other)
{
	if (e->kind != EV_FREE && e->kind != EV_FAILURE &&
	    (e->obj < other->obj || end_of(e) > end_of(other)))
		buf_printf(out, " (%llu bytes)", (unsigned long long)(end_of(e) - e->obj));
}

static void note_locks(struct finding *f, const struct race_side *s, const struct scene *scene,
		       struct names *names, const char *thread)
{
	if (!s->held.len)
		finding_add_note(f, "%s holds no lock", thread);
	for (size_t i = 0; i < s->held.len; i++) {
		const struct scene_lock *l = &s->held.at[i];
		char *what = finding_object_name(scene, names, l->obj);
		struct buf where = { 0 };
		names_place(names, names_own(names, l->acquired.loc, l->acquired.stack), &where);
		finding_add_note(f, "%s holds %s%s (acquired at %s)", thread, what,
				 finding_hold_words(l), where.at);
		buf_release(&where);
		mem_free(what);
	}
}

/* The last steps with both accesses, also if the first one is further back than steps are
 * remembered. */
static void take_steps(struct finding *f, const struct race_side *first,
		       const struct race_side *second, const struct scene *scene)
{
	struct scene_steps last;
	scene_last_steps(scene, &last);
	bool is_in = false;
	for (size_t i = 0; i < last.events.len; i++)
		is_in |= last.events.at[i].index == first->event.index;
	for (size_t i = 0; i < last.events.len; i++) {
		if (!is_in && last.events.at[i].index > first->event.index) {
			vec_push(&f->steps.events, first->event);
			is_in = true;
		}
		vec_push(&f->steps.events, last.events.at[i]);
	}
	vec_push(&f->steps.events, second->event);
	vec_release(&last.events);
}

static void add_own_pair(struct finding *f, const struct race_side *first,
			 const struct race_side *second, struct names *names)
{
	const struct event *x = &first->event, *y = &second->event;
	struct finding_pair pair = { { race_side_of(names, x), race_side_of(names, y) } };
	finding_add_pair(f, &pair);
}

struct finding finding_of_race(const struct race_side *first, const struct race_side *second,
			       const struct scene *scene, struct names *names)
{
	const struct event *x = &first->event, *y = &second->event;
	struct finding f = { .kind = FINDING_RACE, .event = y->index, .count = 1 };
	struct scene_place here = scene_place_of(x), there = scene_place_of(y);
	struct buf object = { 0 }, message = { 0 }, whole = { 0 }, other = { 0 };
	char *a = finding_thread_name(names, x->thread), *b = finding_thread_name(names, y->thread);
	names_object(names, common_start(x, y), &object);
	buf_printf(&message, "%s %s %s and %s %s it, in no order", a, access_word(x->kind),
		   object.at, b, access_word(y->kind));
	f.message = buf_take(&message);
	names_object(names, x->obj, &whole);
	add_extent(&whole, x, y);
	add_extent(&other, y, x);
	finding_add_place(&f, &here, "%s %s %s", a, access_word(x->kind), whole.at);
	finding_add_place(&f, &there, "%s %s it%s", b, access_word(y->kind),
			  other.len ? other.at : "");
	note_locks(&f, first, scene, names, a);
	note_locks(&f, second, scene, names, b);
	vec_push(&f.objects, common_start(x, y));
	take_steps(&f, first, second, scene);
	f.race_events[0] = x->index;
	f.race_events[1] = y->index;
	add_own_pair(&f, first, second, names);
	buf_release(&object);
	buf_release(&whole);
	buf_release(&other);
	mem_free(a);
	mem_free(b);
	return f;
}

/* ---- objects and pairs ---- */

void race_object(struct names *names, uint64_t address, struct buf *out)
{
	size_t start = out->len;
	names_object(names, address, out);
	uint32_t region = trace_region_of(names->tables, address);
	const struct region *r = region ? &names->tables->regions.at[region] : NULL;
	char *inside = strrchr(out->at + start, '+');
	/* Where nothing names a part of memory its address is all that tells it from others. */
	bool is_named = r && (r->kind == REGION_MODULE || out->at[out->len - 1] == ']' ||
			      (inside && inside > out->at + start && inside[-1] == ']'));
	if (is_named && inside && !strchr(inside, ']'))
		out->len = (size_t)(inside - out->at);
	out->at[out->len] = 0;
}

struct finding_side race_side_at(struct names *names, const struct location *l, thr_id thread,
				 unsigned kind)
{
	struct finding_side s = { .thread = thread, .access = access_word(kind), .line = l->line };
	s.file = l->file[0] ? mem_strdup(names_path(names, l->file)) : NULL;
	s.function = l->function[0] ? mem_strdup(l->function) : NULL;
	s.offset = l->offset;
	return s;
}

struct finding_side race_side_of(struct names *names, const struct event *e)
{
	loc_id own = names_own(names, e->loc, e->stack);
	return race_side_at(names, names_location(names, own), e->thread, e->kind);
}

static bool is_same_text(const char *x, const char *y)
{
	return x && y ? !strcmp(x, y) : x == y;
}

static bool is_same_side(const struct finding_side *x, const struct finding_side *y)
{
	return is_same_text(x->file, y->file) && is_same_text(x->function, y->function) &&
	       x->line == y->line && x->access == y->access && (x->file || x->offset == y->offset);
}

static bool is_same_pair(const struct finding_pair *x, const struct finding_pair *y)
{
	return (is_same_side(&x->sides[0], &y->sides[0]) &&
		is_same_side(&x->sides[1], &y->sides[1])) ||
	       (is_same_side(&x->sides[0], &y->sides[1]) &&
		is_same_side(&x->sides[1], &y->sides[0]));
}

void finding_add_pair(struct finding *f, struct finding_pair *pair)
{
	for (size_t i = 0; i < f->pairs.len; i++) {
		if (is_same_pair(&f->pairs.at[i], pair)) {
			finding_pair_release(pair);
			return;
		}
	}
	vec_push(&f->pairs, *pair);
}
