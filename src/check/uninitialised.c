/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Uninitialised heap values that matter.
 *
 * To read bytes that were not written is no error by itself: copies of structures do so.  It is one
 * when what the program does depends on them, and that is decided by experiment.  Fresh memory
 * has a fixed content (WIRE_FRESH_FILL).  An execution that reads such bytes is made again with
 * the same schedule and with another content of exactly these bytes, once zero and once
 * OTHER_FILL (check/experiment.h).  If it then has other operations, another output or another
 * end, the bytes decided about a branch, an address or an output, and the read is reported.
 * Values that are only read and written are not compared.
 *
 * What is missed: a dependence that none of the contents shows, and one in an execution that is
 * not looked at.
 *
 * Looked at are the first execution, and each in which an instruction reads the usual content
 * from an address where it did not before, up to FRESH_MAX.
 */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "check/experiment.h"
#include "report/unwritten.h"

/* executions of each sort that are kept */
#define FRESH_MAX 16
#define CODE_MAX 4
#define VALUE_MAX 2
#define OTHER_FILL 0x41

/* ---- executions that may have read such bytes ---- */

static bool has_fresh_byte(uint64_t value, uint32_t size)
{
	for (uint32_t i = 0; i < size && i < sizeof(value); i++)
		if ((value >> 8 * i & 0xff) == WIRE_FRESH_FILL)
			return true;
	return false;
}

/* A hash of the content is all that is known of a long one. */
static bool is_suspect(const struct wire_op *op)
{
	return (op->kind == EV_READ || op->kind == EV_RMW) &&
	       op->object - ARENA_HEAP < ARENA_SLOTS * ARENA_HEAP_PART &&
	       op->size <= sizeof(op->value) && has_fresh_byte(op->value, op->size);
}

void check_suspects_init(struct check_suspects *s)
{
	*s = (struct check_suspects){ 0 };
	pthread_mutex_init(&s->lock, NULL);
}

/* Whether a hash is new.  Two that share a bit count as one. */
static bool is_new_hash(uint64_t *bits, uint64_t hash)
{
	uint64_t bit = hash % CHECK_SUSPECT_BITS, *word = &bits[bit / 64], mask = 1ull << bit % 64;
	if (__atomic_load_n(word, __ATOMIC_RELAXED) & mask)
		return false;
	return !(__atomic_fetch_or(word, mask, __ATOMIC_RELAXED) & mask);
}

static void keep_schedule(struct check_schedules *list, size_t max, const struct execution *x)
{
	if (list->at.len < max)
		schedule_of(vec_add(&list->at), x);
}

void check_suspects_look(struct check_suspects *s, const struct execution *x)
{
	bool reads_fresh = false, has_code = false, has_value = false;
	if (x->end != EXPLORE_EXIT && x->end != EXPLORE_FAILURE)
		return;
	OPS_EACH_AND_AWAITED (op, x->ops, x->ops_count) {
		if (is_suspect(op))
			reads_fresh |= is_new_hash(s->fresh_read, hash_mix(op->pc, op->object));
		has_code |= is_new_hash(s->code_run, hash_mix(1, op->pc));
		if (op->kind == EV_READ || op->kind == EV_RMW)
			has_value |= is_new_hash(s->value_read, hash_mix(op->pc, op->value));
	}
	if (!reads_fresh && !has_code && !has_value)
		return;
	pthread_mutex_lock(&s->lock);
	bool is_first = !s->has_first; /* it is looked at in any case */
	s->has_first = true;
	if (reads_fresh)
		keep_schedule(&s->fresh, FRESH_MAX, x);
	if (has_code && !is_first)
		keep_schedule(&s->code, CODE_MAX, x);
	else if (has_value && !is_first)
		keep_schedule(&s->value, VALUE_MAX, x);
	pthread_mutex_unlock(&s->lock);
}

static void release_schedules(struct check_schedules *list)
{
	for (size_t i = 0; i < list->at.len; i++)
		schedule_release(&list->at.at[i]);
	vec_release(&list->at);
}

void check_suspects_release(struct check_suspects *s)
{
	release_schedules(&s->fresh);
	release_schedules(&s->code);
	release_schedules(&s->value);
	pthread_mutex_destroy(&s->lock);
}

/* ---- experiments ---- */

struct search {
	struct experiments experiments;
	struct unwritten unwritten;
	struct experiment_fill fill;  /* of the last experiment that made a difference */
	struct divergence divergence; /* where it did */
};

/* Whether the content of these bytes matters. */
static int try_range(struct search *s, const struct plan *plan, struct unwritten_range r,
		     bool *matters, struct err *err)
{
	static const uint8_t bytes[] = { 0, OTHER_FILL };
	*matters = false;
	for (size_t i = 0; i < sizeof(bytes) && !*matters; i++) {
		bool is_made;
		s->fill = (struct experiment_fill){ .from = r.from, .to = r.to, .byte = bytes[i] };
		int rc = experiment(&s->experiments, plan, &s->fill, &s->experiments.other,
				    &is_made, err);
		if (rc)
			return rc;
		*matters = is_made && run_logs_differ(&s->experiments.usual, &s->experiments.other,
						      &s->divergence);
	}
	return 0;
}

/*
 * Whether what this instruction reads of the block matters.  All of it is tried first; bytes of
 * others lie between its own, so one of its own reads must show it, too, unless not all of these
 * are known.
 */
static int try_read(struct search *s, const struct plan *plan, const struct unwritten_read *read,
		    bool *matters, struct err *err)
{
	int rc = try_range(s, plan, read->all, matters, err);
	if (rc || !*matters || read->count == 1)
		return rc;
	for (size_t i = 0; i < read->count; i++) {
		rc = try_range(s, plan, read->ranges[i], matters, err);
		if (rc || *matters)
			return rc;
	}
	*matters = read->has_more;
	return 0;
}

/* Both executions must be the same once more: a program that does not repeat itself shows nothing.
 */
static int confirm(struct search *s, const struct plan *plan, bool *is_confirmed, struct err *err)
{
	int rc = experiment_confirm(&s->experiments, plan, NULL, &s->experiments.usual,
				    is_confirmed, err);
	if (!rc && *is_confirmed)
		rc = experiment_confirm(&s->experiments, plan, &s->fill, &s->experiments.other,
					is_confirmed, err);
	return rc;
}

/* ---- findings ---- */

static void add_divergence(struct finding *f, struct observer *o, const struct search *s)
{
	struct buf text = { 0 }, place = { 0 };
	buf_printf(&text, "with 0x%02x in these bytes instead of 0x%02x the same schedule ",
		   s->fill.byte, WIRE_FRESH_FILL);
	experiment_place(o, s->divergence.first ? s->divergence.first : s->divergence.second,
			 &place);
	buf_str(&text, place.len ? "first differs" : "goes another way");
	if (place.len)
		buf_str(&text, place.at);
	experiment_end(&s->experiments.other, &s->experiments.usual, &text);
	finding_add_note(f, "%s", text.at);
	buf_release(&place);
	buf_release(&text);
}

static uint64_t line_key(struct names *n, loc_id loc, stack_id stack)
{
	struct buf place = { 0 };
	names_place(n, names_own(n, loc, stack), &place);
	uint64_t key = hash_bytes(FINDING_UNINITIALISED, place.at, place.len);
	buf_release(&place);
	return key;
}

static bool is_known(const struct check *c, uint64_t key)
{
	for (size_t i = 0; i < c->findings.len; i++)
		if (c->findings.at[i].key == key)
			return true;
	return false;
}

/* A read that precedes the write with which it races: the race is reported already. */
static bool is_in_race(const struct check *c, struct names *n, const struct event *e)
{
	const struct location *l = names_location(n, names_own(n, e->loc, e->stack));
	for (size_t i = 0; i < c->findings.len; i++) {
		const struct finding *f = check_finding(c, i);
		for (size_t k = 0; k < 2 * f->pairs.len; k++) {
			const struct finding_side *s = &f->pairs.at[k / 2].sides[k % 2];
			if (s->file && s->line == l->line && l->file[0] &&
			    !strcmp(s->file, names_path(n, l->file)))
				return true;
		}
	}
	return false;
}

void check_add_uninitialised(struct check *c, struct check_repeat *r, struct finding f,
			     uint64_t key)
{
	struct buf name = { 0 };
	const char *witness = check_witness_name(c, "uninitialised", c->uninitialised++, 0, &name);
	if (check_write_witness(c, r, &f, witness))
		f.witness = mem_strdup(witness);
	vec_push(&r->made.observer.findings.list, f);
	check_add_finding(c, r, r->made.observer.findings.list.len - 1, key);
	buf_release(&name);
}

static void report(struct search *s, struct check_repeat *r, const struct unwritten_read *read,
		   uint64_t key)
{
	struct check *c = s->experiments.c;
	const struct finding_part places[] = {
		{ ROLE_READS, scene_place_of(&read->event), { .object = read->ranges[0].from } },
		{ ROLE_ALLOCATED, read->block.made, { .number = read->block.size } },
	};
	struct finding f =
		finding_make(&(struct finding_input){ .sentence = SENTENCE_UNWRITTEN_READ,
						      .about = { .thread = read->event.thread,
								 .object = read->ranges[0].from },
						      .places = places,
						      .place_count = 2,
						      .event = read->event.index },
			     &r->made.observer.names);
	add_divergence(&f, &r->made.observer, s);
	vec_push(&f.objects, read->block.start);
	check_add_uninitialised(c, r, f, key);
}

/* ---- one execution ---- */

static void watch_event(void *arg, struct observer *o, const struct event *e)
{
	struct search *s = arg;
	if (!e)
		unwritten_clear(&s->unwritten);
	else
		unwritten_follow(&s->unwritten, e, &o->scene);
}

static int try_reads(struct search *s, struct check_repeat *r, const struct plan *plan,
		     struct err *err)
{
	bool is_usable = false;
	int rc = experiment_usual(&s->experiments, plan, &is_usable, err);
	for (size_t i = 0; i < s->unwritten.reads.len && is_usable && !rc; i++) {
		const struct unwritten_read *read = &s->unwritten.reads.at[i];
		uint64_t key =
			line_key(&r->made.observer.names, read->event.loc, read->event.stack);
		bool matters = false;
		if (!is_known(s->experiments.c, key) &&
		    !is_in_race(s->experiments.c, &r->made.observer.names, &read->event))
			rc = try_read(s, plan, read, &matters, err);
		if (matters && !rc)
			rc = confirm(s, plan, &matters, err);
		if (matters && !rc)
			report(s, r, read, key);
	}
	return rc;
}

static int examine(struct search *s, const struct plan *plan, struct err *err)
{
	size_t index;
	struct check *c = s->experiments.c;
	int rc = check_repeat(c, plan, watch_event, s, &index, err);
	if (rc == -ERR_SUPPORT)
		return 0; /* it is too long to be recorded */
	if (!rc && s->unwritten.reads.len && c->repeats.at[index]->is_whole)
		rc = try_reads(s, c->repeats.at[index], plan, err);
	return rc;
}

int check_show_uninitialised(struct check *c, struct err *err)
{
	struct search s = { .experiments = { .c = c } };
	int rc = 0;
	if (c->result.executions && !check_is_enough(c))
		rc = examine(&s, &(struct plan){ 0 }, err);
	for (size_t i = 0; i < c->suspects.fresh.at.len && !rc && !check_is_enough(c); i++) {
		const struct schedule *x = &c->suspects.fresh.at.at[i];
		struct plan plan = schedule_plan(x, x->turns.len);
		rc = examine(&s, &plan, err);
	}
	experiments_release(&s.experiments);
	unwritten_release(&s.unwritten);
	return rc;
}
