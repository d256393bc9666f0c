/* SPDX-License-Identifier: Apache-2.0 */
/* What is printed about a difference, and comparisons of the reference with real runs and with
 * recordings; see judge.h. */
#include "judge.h"

#include <stdlib.h>
#include <string.h>

#include "litmus.h"

void die(const char *what, const char *about)
{
	fprintf(stderr, "ref: %s: %s\n", about, what);
	exit(2);
}

/* ---- differences ---- */

static void keep(const char *dir, const struct item *it, const char *what,
		 const struct outcomes *by_reference, const struct outcomes *by_other)
{
	char path[300];
	const char *base = strrchr(it->name, '/');
	snprintf(path, sizeof(path), "%s/%s.prog", dir, base ? base + 1 : it->name);
	for (char *c = path + strlen(dir); *c; c++)
		if (*c == ':')
			*c = '-';
	FILE *f = fopen(path, "w");
	if (!f)
		die("cannot be written", path);
	fprintf(f, "# %s: %s\n# The reference has:\n", it->name, what);
	outcomes_print(by_reference, f, "#   ");
	fprintf(f, "# The other side has:\n");
	outcomes_print(by_other, f, "#   ");
	prog_print(&it->prog, f);
	fclose(f);
}

void differ(struct judge *j, const struct item *it, const char *what,
	    const struct outcomes *by_reference, const struct outcomes *by_other)
{
	j->bad++;
	printf("# %s: %s\n", it->name, what);
	if (j->keep_in)
		keep(j->keep_in, it, what, by_reference, by_other);
}

unsigned spurious_wakeups;

struct outcomes all_outcomes(const struct item *it, enum model model)
{
	struct machine m = { .prog = it->prog, .model = model, .spurious = spurious_wakeups };
	struct outcomes o = { 0 };
	uint64_t states;
	if (!search_outcomes(&m, 5000000, &o, &states))
		die("too large", it->name);
	return o;
}

bool is_subset(const struct outcomes *a, const struct outcomes *b)
{
	for (unsigned i = 0; i < a->count; i++)
		if (!outcomes_have(b, &a->list[i]))
			return false;
	return true;
}

int sum_up(const struct judge *j, const char *what)
{
	printf("# %u programs, %lu outcomes, %u skipped, %u differences: %s\n", j->programs,
	       (unsigned long)j->outcomes, j->skipped, j->bad, what);
	return j->bad ? 1 : 0;
}

/* ---- the reference against real runs ---- */

/* What a real machine does then is anything. */
static bool has_misuse(const struct outcomes *o)
{
	return outcomes_end_with(o, END_USE_AFTER_FREE) || outcomes_end_with(o, END_DOUBLE_FREE);
}

/* The C library copies as it likes: the last word first, or with words that overlap. */
static bool copies_much(const struct prog *p)
{
	for (unsigned t = 0; t < p->threads; t++)
		for (unsigned i = 0; i < p->len[t]; i++)
			if (strchr(op_operands[p->code[t][i].op], 'd') &&
			    p->code[t][i].loc.size > 8)
				return true;
	return false;
}

/* The C library flushes at the end without the stream's lock: what others flush then can come out
 * twice. */
static bool may_flush_twice(const struct prog *p)
{
	unsigned joins = 0;
	for (unsigned t = 0; t < p->threads; t++)
		for (unsigned i = 0; i < p->len[t]; i++)
			joins += p->code[t][i].op == OP_JOIN;
	return prog_uses_stdio(p) && (joins + 1u < p->threads || prog_uses(p, OP_EXIT));
}

/* Without heddle a choice has the same answer each time, so a loop that only a choice ends may
 * never end. */
static bool awaits_choice(const struct prog *p)
{
	for (unsigned t = 0; t < p->threads; t++)
		for (unsigned i = 0; i < p->len[t]; i++)
			if ((p->code[t][i].op == OP_CHOOSE &&
			     p->code[t][i].prefix == PREFIX_AWAIT) ||
			    (p->code[t][i].op == OP_AGAIN && prog_uses(p, OP_CHOOSE)))
				return true;
	return false;
}

void judge_native(const struct item *it, unsigned number, void *judge)
{
	struct judge *j = judge;
	struct outcomes all = all_outcomes(it, MODEL_X86), seen = { 0 };
	char why[300] = "an outcome of the real machine is not possible";
	bool stuck = outcomes_end_with(&all, END_DEADLOCK) || outcomes_end_with(&all, END_LIVELOCK),
	     fine = true;
	j->programs++;
	j->target.number = number;
	/* A real machine takes a signal some time after it was sent. */
	if (stuck || has_misuse(&all) || may_flush_twice(&it->prog) || awaits_choice(&it->prog) ||
	    copies_much(&it->prog) || prog_uses_signals(&it->prog)) {
		j->skipped++;
		outcomes_release(&all);
		return;
	}
	for (unsigned i = 0; i < j->runs && fine; i++) {
		struct outcome x;
		fine = drive_native(&j->target, &x, why);
		if (fine)
			outcomes_add(&seen, &x);
	}
	j->outcomes += seen.count;
	if (!fine || !is_subset(&seen, &all))
		differ(j, it, why, &all, &seen);
	outcomes_release(&all);
	outcomes_release(&seen);
}

/* Recordings do not tell the exit status. */
static void forget_status(struct outcomes *o)
{
	struct outcomes without = { 0 };
	for (unsigned i = 0; i < o->count; i++) {
		struct outcome x = o->list[i];
		x.status = 0;
		outcomes_add(&without, &x);
	}
	outcomes_release(o);
	*o = without;
}

void judge_record(const struct item *it, unsigned number, void *judge)
{
	struct judge *j = judge;
	struct outcomes all = all_outcomes(it, j->model), seen = { 0 };
	char why[300] = "a recorded outcome is not possible";
	bool fine = true;
	forget_status(&all);
	j->programs++;
	j->target.number = number;
	/* A recording refuses to wait for a signal that only the outside can send. */
	if (outcomes_end_with(&all, END_DEADLOCK) &&
	    (prog_uses(&it->prog, OP_SIGWAIT) || prog_uses(&it->prog, OP_SUSPEND))) {
		j->skipped++;
		outcomes_release(&all);
		return;
	}
	for (unsigned i = 0; i < j->runs && fine; i++) {
		struct outcome x;
		fine = drive_record(&j->target, model_names[j->model], (j->programs - 1) * 100 + i,
				    &x, why);
		if (fine)
			outcomes_add(&seen, &x);
		if (fine && !outcomes_have(&all, &x))
			break;
	}
	j->outcomes += seen.count;
	if (!fine || !is_subset(&seen, &all))
		differ(j, it, why, &all, &seen);
	outcomes_release(&all);
	outcomes_release(&seen);
}
