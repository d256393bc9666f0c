/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reference against `heddle check`.
 *
 * To start a search takes longer than most searches, so several programs are searched by one run,
 * in which main chooses one of them first: what each of them can do is told apart by the output
 * of its number, which comes before everything else.  Where the limit of executions ends the run,
 * the largest program has had its share and is not searched again, nor are those of which all
 * outcomes were found; the others are, together. If anything else is wrong with a run, each is
 * searched alone, and that counts.
 */
#include "judge.h"

#include <stdlib.h>
#include <string.h>

/* ---- which programs ---- */

/* The name of an instruction or a prefix. */
static bool uses_word(const struct prog *p, const char *word)
{
	static const char *const prefixes[] = { "", "await", "retry", "once" };
	for (unsigned t = 0; t < p->threads; t++)
		for (unsigned i = 0; i < p->len[t]; i++) {
			const struct insn *in = &p->code[t][i];
			if (!strcmp(word, op_names[in->op]) || !strcmp(word, prefixes[in->prefix]))
				return true;
		}
	return false;
}

static unsigned spinning_places(const struct prog *p)
{
	unsigned places = 0;
	for (unsigned t = 0; t < p->threads; t++)
		for (unsigned i = 0; i < p->len[t]; i++)
			places += p->code[t][i].prefix == PREFIX_AWAIT ||
				  p->code[t][i].prefix == PREFIX_RETRY;
	return places;
}

static bool is_left_out(const struct prog *p, const char *list)
{
	char words[400], *rest = words;
	snprintf(words, sizeof(words), "%s", list ? list : "");
	for (char *word; (word = strsep(&rest, ","));)
		if (*word && uses_word(p, word))
			return true;
	return false;
}

/* ---- one run ---- */

/* NULL: the sets are equal, as far as they can be compared. */
static const char *difference(const struct outcomes *all, const struct outcomes *seen,
			      bool is_complete)
{
	if (!is_subset(seen, all))
		return "heddle check has an outcome that is not possible";
	if (is_complete && !is_subset(all, seen))
		return "heddle check misses an outcome";
	return NULL;
}

static bool run_check(struct judge *j, const unsigned *numbers, unsigned count, struct checked *c)
{
	char limit[40];
	const char *options[20];
	unsigned n = 0;
	while (j->options[n] && n < 18) {
		options[n] = j->options[n];
		n++;
	}
	snprintf(limit, sizeof(limit), "--executions=%lu", (unsigned long)(j->limit * count));
	options[n] = j->limit ? limit : NULL;
	options[n + 1] = NULL;
	return drive_check(&j->target, numbers, count, options, c);
}

static void check_alone(struct judge *j, const struct item *it, unsigned number)
{
	struct outcomes all = all_outcomes(it, j->model), seen = { 0 };
	struct checked c = { .sets = &seen };
	bool fine = run_check(j, &number, 1, &c);
	bool is_cut = fine && !c.is_complete && c.is_limited && j->limit;
	const char *what = fine ? difference(&all, &seen, c.is_complete) : c.why;
	if (fine && !c.is_complete && !is_cut && !what)
		what = c.why;
	if (what)
		differ(j, it, what, &all, &seen);
	j->too_large += is_cut;
	j->outcomes += seen.count;
	j->executions += c.executions;
	outcomes_release(&all);
	outcomes_release(&seen);
}

/* Some of the judge's members. */
struct group {
	unsigned count, member[PROGRAMS_MAX];
};

/* The member that used up a limit, and has more executions than it may: it is not searched again.
 */
static unsigned largest(const struct judge *j, const struct group *g, const struct checked *c)
{
	unsigned most = 0;
	for (unsigned i = 1; i < g->count; i++)
		if (c->made[i] > c->made[most])
			most = i;
	return !c->is_complete && c->made[most] >= j->limit ? most : PROGRAMS_MAX;
}

/*
 * What a run of several found, against the reference: false if anything is wrong with it.  Those
 * of which something is missing in a run that was cut are left in the group.
 */
static bool compare_each(struct judge *j, struct group *g, const struct checked *c)
{
	unsigned large = largest(j, g, c);
	struct group rest = { 0 };
	uint64_t outcomes = 0;
	bool fine = true;
	for (unsigned i = 0; i < g->count && fine; i++) {
		struct outcomes all = all_outcomes(&j->members[g->member[i]], j->model);
		fine = !difference(&all, &c->sets[i], c->is_complete);
		if (i == large || is_subset(&all, &c->sets[i]))
			outcomes += c->sets[i].count;
		else
			rest.member[rest.count++] = g->member[i];
		outcomes_release(&all);
	}
	if (!fine || rest.count == g->count)
		return false;
	j->executions += c->executions;
	j->outcomes += outcomes;
	j->too_large += large != PROGRAMS_MAX;
	*g = rest;
	return true;
}

/* Whether the run was as it should be; only then it counts. */
static bool check_together(struct judge *j, struct group *g)
{
	struct outcomes seen[PROGRAMS_MAX] = { 0 };
	struct checked c = { .sets = seen };
	unsigned numbers[PROGRAMS_MAX], count = g->count;
	for (unsigned i = 0; i < count; i++)
		numbers[i] = j->numbers[g->member[i]];
	bool fine = run_check(j, numbers, count, &c) &&
		    (c.is_complete || (c.is_limited && j->limit)) && compare_each(j, g, &c);
	for (unsigned i = 0; i < count; i++)
		outcomes_release(&seen[i]);
	return fine;
}

void judge_check_rest(struct judge *j)
{
	struct group g = { .count = j->waiting };
	for (unsigned i = 0; i < g.count; i++)
		g.member[i] = i;
	while (g.count > 1 && check_together(j, &g))
		;
	for (unsigned i = 0; i < g.count; i++)
		check_alone(j, &j->members[g.member[i]], j->numbers[g.member[i]]);
	j->waiting = 0;
	free(j->members);
	j->members = NULL;
}

void judge_check(const struct item *it, unsigned number, void *judge)
{
	struct judge *j = judge;
	if (is_left_out(&it->prog, j->left_out)) {
		j->skipped++;
		return;
	}
	if (!j->members)
		j->members = calloc(PROGRAMS_MAX, sizeof(*j->members));
	if (!j->members)
		die("no memory", it->name);
	j->programs++;
	/* Those have many executions, and what is learnt about memory that is awaited makes mcr
	 * begin again. */
	if (j->spinning && spinning_places(&it->prog) >= j->spinning) {
		check_alone(j, it, number);
		return;
	}
	j->numbers[j->waiting] = number;
	j->members[j->waiting] = *it;
	j->members[j->waiting++].text = NULL;
	if (j->waiting >= j->group)
		judge_check_rest(j);
}
