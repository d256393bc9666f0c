/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a search has found is shown: failures are shortened, everything is made again with all its
 * events, and what that shows becomes the findings of the result, each of them once.
 *
 * A failure is shown by the same failure in the repeated execution, a race by its two accesses;
 * nothing else counts.  A failure is shown also when the search was to end: its schedule is
 * known, so that costs one execution, and only shortening is left out.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/hash.h"
#include "check/check.h"
#include "explore/loops.h"

#define SHORTEN_TRIES 300

bool check_is_enough(struct check *c)
{
	c->is_cut |= check_is_interrupted || (c->end_by && clock_now_ns() >= c->end_by);
	return c->is_cut;
}

const char *check_witness_name(const struct check *c, const char *what, size_t number, size_t count,
			       struct buf *out)
{
	if (check_wants_no_witness(&c->options))
		return NULL;
	buf_clear(out);
	buf_str(out, c->options.output ? c->options.output : file_base_name(c->program.path.at));
	if (count > 1 || what[0])
		buf_printf(out, ".%s%zu", what, number + 1);
	buf_str(out, ".witness");
	return out->at;
}

/* ---- the findings ---- */

struct finding *check_finding(const struct check *c, size_t i)
{
	const struct check_finding *f = &c->findings.at[i];
	return &f->repeat->made.observer.findings.list.at[f->index];
}

void check_add_finding(struct check *c, struct check_repeat *r, size_t index, uint64_t key)
{
	vec_push(&c->findings, ((struct check_finding){ r, index, key }));
}

/*
 * Two failures are one finding if they are of one kind and their places are the same lines.
 * Where in its loop a thread that spins stood when the last thread began to is no difference:
 * there functions count.
 */
static uint64_t failure_key(struct check_repeat *r, const struct finding *f)
{
	uint64_t key = hash_mix(1, (uint64_t)f->kind);
	for (size_t i = 0; i < f->places.len; i++) {
		struct buf place = { 0 };
		struct names *names = &r->made.observer.names;
		loc_id own = names_own(names, f->places.at[i].loc, f->places.at[i].stack);
		if (f->kind == FINDING_LIVELOCK)
			buf_str(&place, names_location(names, own)->function);
		else
			names_place(names, own, &place);
		key = hash_bytes(key, place.at, place.len);
		buf_release(&place);
	}
	return f->places.len ? key : hash_bytes(key, f->message, strlen(f->message));
}

static struct finding *find_key(const struct check *c, uint64_t key)
{
	for (size_t i = 0; i < c->findings.len; i++)
		if (c->findings.at[i].key == key)
			return check_finding(c, i);
	return NULL;
}

/* ---- failures ---- */

static uint64_t times_found(const struct explore_failure *f)
{
	return explore_times_found(f->executions, f->drawn);
}

/*
 * Everything that the repeated execution shows of failures becomes part of the result.  False:
 * the failure that it was repeated for is not among it.
 */
static bool take_failures(struct check *c, struct check_repeat *r,
			  const struct explore_failure *wanted, const char *witness)
{
	bool is_shown = false;
	for (size_t i = 0; i < r->made.observer.findings.list.len; i++) {
		struct finding *f = &r->made.observer.findings.list.at[i];
		bool is_wanted = f->failure == wanted->failure;
		is_shown |= is_wanted;
		if (!is_wanted && !check_wants_kind(&c->options, f->kind))
			continue;
		f->count = is_wanted ? times_found(wanted) : 1;
		uint64_t key = failure_key(r, f);
		struct finding *same = find_key(c, key);
		if (same) {
			same->count += is_wanted ? f->count : 0;
			continue;
		}
		if (check_write_witness(c, r, f, witness))
			f->witness = mem_strdup(witness);
		check_add_finding(c, r, i, key);
	}
	return is_shown;
}

/* Where a place of the program is in its source: "in w() a.c:12"; nothing if that is not known. */
static void add_place_of(struct check *c, uint64_t pc, struct buf *out)
{
	for (size_t i = 0; i < c->repeats.len && pc; i++) {
		struct observer *o = &c->repeats.at[i]->made.observer;
		struct location l = { 0 };
		if (!observer_locate(o, pc, &l))
			continue;
		buf_str(out, " in ");
		if (l.function[0])
			buf_printf(out, "%s() ", l.function);
		if (l.file[0])
			buf_printf(out, "%s:%u", names_path(&o->names, l.file), l.line);
		mem_free(l.function);
		mem_free(l.file);
		return;
	}
}

/* A failure that cannot be reproduced is reported with what the search knows. */
static void name_failure(struct check *c, const struct explore_failure *wanted, const char *why)
{
	struct check_repeat *r = check_repeat_none(c);
	struct observer *o = &r->made.observer;
	struct buf text = { 0 };
	uint64_t times = times_found(wanted);
	add_place_of(c, wanted->pc, &text);
	buf_printf(&text, ", and not shown, because %s", why);
	struct finding f =
		finding_make(&(struct finding_input){ .sentence = SENTENCE_NOT_SHOWN,
						      .failure = wanted->failure,
						      .about = { .number = times, .text = text.at },
						      .count = times },
			     &o->names);
	buf_release(&text);
	vec_push(&o->findings.list, f);
	check_add_finding(c, r, 0, hash_mix(wanted->failure, wanted->pc));
}

static int show_failure(struct check *c, const struct explore_config *config,
			struct explore_failure *f, double seconds, const char *witness,
			struct err *err)
{
	int rc = 0, kind = finding_kind_of_failure(f->failure);
	size_t index = NO_REPEAT;
	if (!check_is_enough(c))
		rc = explore_shorten(config, f, &f->schedule, SHORTEN_TRIES, seconds, err);
	struct plan plan = schedule_plan(&f->schedule, f->schedule.turns.len);
	/* Only a second signal keeps a failure from being shown. */
	uint64_t end_by = c->end_by;
	bool was_cut = c->is_cut;
	c->end_by = 0;
	if (!rc && !check_is_interrupted)
		rc = check_repeat(c, &plan, NULL, NULL, &index, err);
	c->end_by = end_by;
	struct check_repeat *r = index == NO_REPEAT ? NULL : c->repeats.at[index];
	const char *why = NULL;
	if (rc == -ERR_SUPPORT) {
		why = err->text;
		rc = 0;
	} else if (!rc && (!r || !r->is_whole)) {
		why = "heddle was interrupted";
	} else if (!rc && take_failures(c, r, f, witness)) {
		c->is_cut = was_cut;
		return 0;
	}
	if (why && kind >= 0)
		name_failure(c, f, why);
	else if (!rc)
		c->unrepeated++;
	return rc;
}

static int show_failures(struct check *c, const struct explore_config *config, double seconds,
			 struct err *err)
{
	struct explore_result *r = &c->result;
	struct buf name = { 0 };
	const struct wire_divided divided = c->divided;
	int rc = 0;
	seconds /= (double)(r->failures.len + 1);
	for (size_t i = 0; i < r->failures.len && !rc; i++) {
		const char *witness = check_witness_name(c, "", i, r->failures.len, &name);
		c->divided = divided;
		c->divided.count = r->failures.at[i].divided;
		c->divided.signals = r->failures.at[i].signals;
		c->divided.cancels = r->failures.at[i].cancels;
		loops_forget(&c->divided, r->failures.at[i].loops);
		if (check_wants_failure(&c->options, r->failures.at[i].failure))
			rc = show_failure(c, config, &r->failures.at[i], seconds, witness, err);
	}
	c->divided = divided;
	buf_release(&name);
	return rc;
}

/* ---- outcomes ---- */

/* An outcome is known without its witness. */
static int show_outcomes(struct check *c, struct err *err)
{
	struct explore_result *r = &c->result;
	struct buf name = { 0 };
	bool is_wanted = c->options.has_outcomes && !check_wants_no_witness(&c->options);
	int rc = 0;
	for (size_t i = 0; i < r->outcomes.len && !rc && is_wanted && !check_is_enough(c); i++) {
		const struct outcome *o = &r->outcomes.at[i];
		size_t index = NO_REPEAT;
		struct plan plan = schedule_plan(&o->schedule, o->schedule.turns.len);
		rc = check_repeat(c, &plan, NULL, NULL, &index, err);
		if (rc == -ERR_SUPPORT)
			rc = 0;
		struct check_repeat *made = c->repeats.at[index];
		const struct findings *findings = &made->made.observer.findings;
		const struct finding *f = findings->list.len ? &findings->list.at[0] : NULL;
		const char *witness = check_witness_name(c, "outcome", i, r->outcomes.len, &name);
		if (!rc && made->is_done && check_write_witness(c, made, f, witness))
			buf_str(&made->witness, witness);
		vec_push(&c->outcome_repeat, index);
	}
	buf_release(&name);
	return rc;
}

int check_show(struct check *c, const struct explore_config *config, double seconds,
	       struct err *err)
{
	int rc = show_failures(c, config, seconds, err);
	if (!rc && config->finds_races)
		rc = check_show_races(c, err);
	if (!rc && check_wants_kind(&c->options, FINDING_UNINITIALISED))
		rc = check_show_uninitialised(c, err);
	if (!rc && check_wants_kind(&c->options, FINDING_UNINITIALISED))
		rc = check_show_variables(c, err);
	if (!rc)
		rc = show_outcomes(c, err);
	/* What a verdict rests on is learnt from a whole execution. */
	size_t index;
	if (!rc && !c->repeats.len && c->result.executions && !check_is_enough(c))
		rc = check_repeat(c, &(struct plan){ 0 }, NULL, NULL, &index, err);
	return rc;
}
