/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The races that a search has found are shown.
 *
 * Races that one execution was the first to show are shown by repeating it once: of every access
 * that is like one of theirs the occurrences are counted, so each race is shown by exactly its
 * two accesses (races.h), and nothing else counts.
 *
 * All races on one object are one finding.  The first pair of places is reported in full.  Of a
 * further pair on the same variable only the places are reported.  Debug information has them, so
 * no execution is repeated, and the number of repeated executions does not grow with the number
 * of pairs.  The exception is a place in a function of a library header that was not inlined:
 * only an execution shows which line of the user called it, so some executions are repeated for
 * that.
 */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "check/check.h"
#include "report/frames.h"
#include "report/race.h"

#define REPEATS_MAX 500	      /* for races; what is not repeated is named */
#define CALLER_REPEATS_MAX 32 /* of those: made to find the caller of a function of a library */

struct watched {
	const struct race *race;
	struct race_side first, second;
	bool is_shown;
};

/* One access that is waited for. */
struct awaited {
	uint32_t watched;
	bool is_second;
	uint32_t next; /* index plus one of another one that the same event is */
};

struct watch {
	struct check *c;
	VEC(struct watched) races;
	VEC(struct awaited) accesses;
	struct map occurrences; /* race_access_key -> so many so far */
	struct map access_of;	/* that key and an occurrence -> index plus one in accesses */
	size_t regions;		/* known when the keys were made */
	bool has_fork;
};

static void count_at_least(struct finding *f, const struct race *race)
{
	uint64_t times = explore_times_found(race->executions, race->drawn);
	f->count = f->count > times ? f->count : times;
}

/* ---- objects ---- */

static uint64_t object_key(struct names *n, uint64_t address)
{
	struct buf object = { 0 };
	race_object(n, address, &object);
	uint64_t key = hash_bytes(FINDING_RACE, object.at, object.len);
	buf_release(&object);
	return key;
}

static struct finding *finding_of_object(const struct check *c, uint64_t key)
{
	for (size_t i = 0; i < c->findings.len; i++)
		if (c->findings.at[i].key == key && check_finding(c, i)->kind == FINDING_RACE)
			return check_finding(c, i);
	return NULL;
}

/* Both accesses were seen: a finding, or a further pair of one. */
static void take_race(struct watch *w, struct observer *o, struct watched *x)
{
	const struct event *first = &x->first.event, *second = &x->second.event;
	uint64_t key = object_key(&o->names, first->obj > second->obj ? first->obj : second->obj);
	struct finding *f = finding_of_object(w->c, key);
	struct finding_pair pair = { { race_side_of(&o->names, first),
				       race_side_of(&o->names, second) } };
	x->is_shown = true;
	if (f) {
		finding_add_pair(f, &pair);
		count_at_least(f, x->race);
		return;
	}
	finding_pair_release(&pair);
	struct finding new = finding_of_race(&x->first, &x->second, &o->scene, &o->names);
	count_at_least(&new, x->race);
	vec_push(&o->findings.list, new);
	/* The execution that is being made is the last one. */
	check_add_finding(w->c, vec_last(&w->c->repeats), o->findings.list.len - 1, key);
}

/* ---- watching ---- */

static void await_access(struct watch *w, struct decoder *d, size_t watched, bool is_second)
{
	struct race_access a =
		is_second ? w->races.at[watched].race->second : w->races.at[watched].race->first;
	a.address = decode_address(d, a.address);
	uint64_t key = race_access_key(&a);
	map_put(&w->occurrences, key, NULL);
	uint64_t *at = map_put(&w->access_of, hash_mix(key, a.occurrence), NULL);
	vec_push(&w->accesses, ((struct awaited){ (uint32_t)watched, is_second, (uint32_t)*at }));
	*at = w->accesses.len;
}

/* Events have canonical addresses of modules, so the keys are computed again when a module
 * appears.  Counts that were begun stay valid. */
static void make_keys(struct watch *w, struct decoder *d)
{
	map_clear(&w->access_of);
	w->accesses.len = 0;
	for (size_t i = 0; i < w->races.len; i++) {
		await_access(w, d, i, false);
		await_access(w, d, i, true);
	}
	w->regions = d->tables.regions.len;
}

static void begin(struct watch *w)
{
	for (size_t i = 0; i < w->races.len; i++) {
		struct watched *x = &w->races.at[i];
		x->first.is_taken = x->second.is_taken = x->is_shown = false;
	}
	map_clear(&w->occurrences);
	w->regions = 0;
	w->has_fork = false;
}

static void saw(struct watch *w, struct observer *o, const struct event *e, struct watched *x,
		bool is_second)
{
	if (x->is_shown || (is_second && !x->first.is_taken))
		return;
	race_side_take(is_second ? &x->second : &x->first, e, &o->scene);
	if (is_second)
		take_race(w, o, x);
}

static void watch_event(void *arg, struct observer *o, const struct event *e)
{
	struct watch *w = arg;
	if (!e) {
		begin(w);
		return;
	}
	w->has_fork |= e->kind == EV_FORK;
	if (!w->has_fork || (e->kind != EV_READ && e->kind != EV_WRITE && e->kind != EV_RMW &&
			     e->kind != EV_FREE && e->kind != EV_FAILURE))
		return;
	if (w->regions != o->decoder->tables.regions.len)
		make_keys(w, o->decoder);
	struct race_access a = { e->thread, e->kind, 0, e->obj, e->size, 0 };
	uint64_t key = race_access_key(&a);
	uint64_t *count = map_get(&w->occurrences, key);
	if (!count)
		return;
	uint64_t *at = map_get(&w->access_of, hash_mix(key, ++*count));
	for (uint32_t i = at ? (uint32_t)*at : 0; i; i = w->accesses.at[i - 1].next)
		saw(w, o, e, &w->races.at[w->accesses.at[i - 1].watched],
		    w->accesses.at[i - 1].is_second);
}

static void watch_clear(struct watch *w)
{
	for (size_t i = 0; i < w->races.len; i++) {
		race_side_release(&w->races.at[i].first);
		race_side_release(&w->races.at[i].second);
	}
	w->races.len = 0;
}

static void watch_release(struct watch *w)
{
	watch_clear(w);
	vec_release(&w->races);
	vec_release(&w->accesses);
	map_release(&w->occurrences);
	map_release(&w->access_of);
}

/* ---- what needs no execution ---- */

/* An observer that knows the program's modules; NULL: nothing was repeated yet. */
static struct observer *any_observer(const struct check *c)
{
	for (size_t i = 0; i < c->repeats.len; i++)
		if (c->repeats.at[i]->made.observer.decoder->tables.regions.len > 1)
			return &c->repeats.at[i]->made.observer;
	return NULL;
}

static bool side_by_pc(struct observer *o, const struct race_access *a, bool must_be_own,
		       struct finding_side *s)
{
	struct location l = { 0 };
	if (!observer_locate(o, a->pc, &l))
		return false;
	bool is_known = (l.file[0] || l.function[0]) && (!must_be_own || frames_is_own(&l));
	*s = race_side_at(&o->names, &l, a->thread, a->kind);
	mem_free(l.function);
	mem_free(l.file);
	return is_known;
}

/*
 * List the pair with the finding of a variable that has one.  False: there is none, it is no
 * variable, or a place is not in the user's own code and must be.
 */
static bool add_by_place(struct check *c, const struct race *race, bool must_be_own)
{
	struct observer *o = any_observer(c);
	uint64_t address = race->first.address > race->second.address ? race->first.address
								      : race->second.address;
	if (!o)
		return false;
	address = decode_address(o->decoder, address);
	uint32_t region = trace_region_of(&o->decoder->tables, address);
	if (!region || o->decoder->tables.regions.at[region].kind != REGION_MODULE)
		return false;
	struct finding *f = finding_of_object(c, object_key(&o->names, address));
	struct finding_pair pair = { 0 };
	bool is_known = f && side_by_pc(o, &race->first, must_be_own, &pair.sides[0]) &&
			side_by_pc(o, &race->second, must_be_own, &pair.sides[1]);
	if (!is_known) {
		finding_pair_release(&pair);
		return false;
	}
	count_at_least(f, race);
	finding_add_pair(f, &pair);
	return true;
}

/* One finding for all that there was no time for: kinds and places are known. */
static void name_races(struct check *c, const struct race *const *races, size_t count,
		       const char *why)
{
	struct observer *o = any_observer(c);
	struct check_repeat *r = check_repeat_none(c);
	struct finding f =
		finding_make(&(struct finding_input){ .sentence = SENTENCE_RACES_NOT_SHOWN,
						      .about = { .number = count, .text = why } },
			     &r->made.observer.names);
	f.count = 0;
	for (size_t i = 0; i < count; i++) {
		struct finding_pair pair = { 0 };
		count_at_least(&f, races[i]);
		if (o && side_by_pc(o, &races[i]->first, false, &pair.sides[0]) &&
		    side_by_pc(o, &races[i]->second, false, &pair.sides[1]))
			finding_add_pair(&f, &pair);
		else
			finding_pair_release(&pair);
	}
	vec_push(&r->made.observer.findings.list, f);
	check_add_finding(c, r, 0, hash_mix(FINDING_RACE, 0));
}

/* ---- all of them ---- */

/* The access fails because the block was freed before: that failure is reported, and is the same
 * mistake. */
static bool is_failure(const struct check *c, const struct race *race)
{
	for (size_t i = 0; race->second.kind == EV_FAILURE && i < c->result.failures.len; i++)
		if (c->result.failures.at[i].pc == race->second.pc &&
		    check_wants_failure(&c->options, c->result.failures.at[i].failure))
			return true;
	return false;
}

/* Repeat the execution that showed them. */
static int show_together(struct check *c, struct watch *w, struct err *err)
{
	const struct schedule *s = &w->races.at[0].race->by->schedule;
	struct plan plan = schedule_plan(s, s->turns.len);
	size_t index, before = c->findings.len;
	struct buf name = { 0 };
	int rc = check_repeat(c, &plan, watch_event, w, &index, err);
	for (size_t i = before; i < c->findings.len && !rc; i++) {
		const char *witness = check_witness_name(c, "race", i - c->first_race, 0, &name);
		if (check_write_witness(c, c->repeats.at[index], check_finding(c, i), witness))
			check_finding(c, i)->witness = mem_strdup(witness);
	}
	buf_release(&name);
	return rc;
}

struct unshown {
	VEC(const struct race *) list;
	const char *why;
};

static void leave_unshown(struct unshown *u, const struct watch *w, const char *why)
{
	u->why = why;
	for (size_t i = 0; i < w->races.len; i++)
		if (!w->races.at[i].is_shown)
			vec_push(&u->list, w->races.at[i].race);
}

static int show_batch(struct check *c, struct watch *w, size_t *repeats, struct unshown *u,
		      struct err *err)
{
	if (check_is_enough(c) || *repeats >= REPEATS_MAX) {
		leave_unshown(u, w, c->is_cut ? "heddle was to end" : "there are too many of them");
		return 0;
	}
	++*repeats;
	bool was_cut = c->is_cut;
	int rc = show_together(c, w, err);
	if (rc == -ERR_SUPPORT) {
		leave_unshown(u, w, "their execution is too long to be recorded");
		return 0;
	}
	if (!rc && c->is_cut && !was_cut)
		leave_unshown(u, w, "heddle was to end");
	for (size_t i = 0; i < w->races.len && !rc && !c->is_cut; i++)
		c->unrepeated += !w->races.at[i].is_shown;
	return rc;
}

int check_show_races(struct check *c, struct err *err)
{
	struct races *all = &c->result.races;
	struct watch w = { .c = c };
	struct unshown unshown = { 0 };
	size_t repeats = 0;
	int rc = 0;
	c->first_race = c->findings.len;
	bool *is_done = mem_zero(all->found.len + 1, sizeof(*is_done));
	for (size_t i = 0; i < all->found.len && !rc; i++) {
		const struct race_schedule *by = all->found.at[i].by;
		size_t left = by->users;
		bool must_be_own = !c->options.all_frames && repeats < CALLER_REPEATS_MAX &&
				   !check_is_enough(c);
		watch_clear(&w);
		for (size_t k = i; k < all->found.len && left && !is_done[i]; k++) {
			const struct race *race = &all->found.at[k];
			if (race->by != by || is_done[k])
				continue;
			left--;
			is_done[k] = k != i;
			if (!is_failure(c, race) && !add_by_place(c, race, must_be_own))
				vec_push(&w.races, ((struct watched){ .race = race }));
		}
		if (w.races.len)
			rc = show_batch(c, &w, &repeats, &unshown, err);
	}
	if (unshown.list.len && !rc)
		name_races(c, unshown.list.at, unshown.list.len, unshown.why);
	watch_release(&w);
	vec_release(&unshown.list);
	mem_free(is_done);
	return rc;
}
