/* SPDX-License-Identifier: Apache-2.0 */
/* Data races of an execution made into findings; see race.h. */
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

static enum finding_act act_of(unsigned kind)
{
	switch (kind) {
	case EV_READ:
		return ACT_READ;
	case EV_RMW:
		return ACT_CHANGE;
	case EV_FREE:
		return ACT_FREE;
	case EV_FAILURE:
		return ACT_USE;
	default:
		return ACT_WRITE;
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

/* How many bytes an access touches, if these are more than both have in common; otherwise 0. */
static uint64_t extent_of(const struct event *e, const struct event *other)
{
	bool is_wider = e->kind != EV_FREE && e->kind != EV_FAILURE &&
			(e->obj < other->obj || end_of(e) > end_of(other));
	return is_wider ? end_of(e) - e->obj : 0;
}

static void note_locks(struct finding *f, const struct race_side *s, struct names *names)
{
	finding_note_locks(f, names, s->event.thread, s->held.at, s->held.len, 0);
	if (s->held.len)
		return;
	struct buf who = { 0 };
	names_thread(names, s->event.thread, &who);
	finding_add_note(f, "%s holds no lock", who.at);
	buf_release(&who);
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
	const struct finding_part places[] = {
		{ ROLE_FIRST_ACCESS,
		  scene_place_of(x),
		  { .object = x->obj, .act = act_of(x->kind), .number = extent_of(x, y) } },
		{ ROLE_SECOND_ACCESS,
		  scene_place_of(y),
		  { .act = act_of(y->kind), .number = extent_of(y, x) } },
	};
	struct finding f =
		finding_make(&(struct finding_input){ .sentence = SENTENCE_RACE,
						      .about = { .thread = x->thread,
								 .other = y->thread,
								 .object = common_start(x, y),
								 .act = act_of(x->kind),
								 .other_act = act_of(y->kind) },
						      .places = places,
						      .place_count = 2,
						      .event = y->index },
			     names);
	note_locks(&f, first, names);
	note_locks(&f, second, names);
	take_steps(&f, first, second, scene);
	f.race_events[0] = x->index;
	f.race_events[1] = y->index;
	add_own_pair(&f, first, second, names);
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
	/* Memory without a name is distinguished by its address only. */
	bool is_named = r && (r->kind == REGION_MODULE || out->at[out->len - 1] == ']' ||
			      (inside && inside > out->at + start && inside[-1] == ']'));
	if (is_named && inside && !strchr(inside, ']'))
		out->len = (size_t)(inside - out->at);
	out->at[out->len] = 0;
}

struct finding_side race_side_at(struct names *names, const struct location *l, thr_id thread,
				 unsigned kind)
{
	struct finding_side s = { .thread = thread, .act = act_of(kind), .line = l->line };
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
	       x->line == y->line && x->act == y->act && (x->file || x->offset == y->offset);
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
