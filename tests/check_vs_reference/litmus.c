/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Expectations in a program's file, in the form that the literature has them:
 *
 *   expect domain 0,1 0,1          the values that each printed register may have
 *   expect tso all                 every combination is possible, and nothing else
 *   expect sc all-but "0 0"        every combination except these
 *   expect sc is exit 0 "1\n"      one line for each outcome of the whole set
 *   expect sc classes 3            so many classes of schedules
 *
 * They are written from published knowledge, never from the reference's answers.
 */
#include "litmus.h"

#include <stdlib.h>
#include <string.h>

const char *const model_names[MODELS] = { "sc", "tso", "pso", "x86" };

#define COLUMNS_MAX 6
#define VALUES_MAX 4

struct domain {
	unsigned columns, count[COLUMNS_MAX];
	unsigned long value[COLUMNS_MAX][VALUES_MAX];
};

static bool parse_domain(struct domain *d, const char *text)
{
	*d = (struct domain){ 0 };
	while (*text == ' ') {
		unsigned c = d->columns++;
		if (c == COLUMNS_MAX)
			return false;
		do {
			char *end;
			if (d->count[c] == VALUES_MAX)
				return false;
			d->value[c][d->count[c]++] = strtoul(text + 1, &end, 10);
			text = end;
		} while (*text == ',');
	}
	return *text == '\n' || !*text;
}

/* Combination number n of the domain as it would be printed; false past the last one. */
static bool combination(const struct domain *d, unsigned n, struct outcome *x)
{
	memset(x, 0, sizeof(*x));
	x->end = END_EXIT;
	for (unsigned c = 0; c < d->columns; c++) {
		x->written +=
			(uint8_t)snprintf((char *)x->output + x->written, OUTPUT_MAX - x->written,
					  "%s%lx", c ? " " : "", d->value[c][n % d->count[c]]);
		n /= d->count[c];
	}
	x->output[x->written++] = '\n';
	return n == 0;
}

/* The quoted text is the output of one outcome; whether *text is at one, which it then moves
 * behind. */
static bool quoted(const char **text, struct outcome *x)
{
	const char *start = strchr(*text, '"'), *end = start ? strchr(start + 1, '"') : NULL;
	if (!end || memchr(*text, '\n', (size_t)(start - *text)))
		return false;
	memset(x, 0, sizeof(*x));
	x->end = END_EXIT;
	x->written = (uint8_t)(end - start - 1);
	memcpy(x->output, start + 1, x->written);
	x->output[x->written++] = '\n';
	*text = end + 1;
	return true;
}

static void expected_combinations(const struct domain *d, const char *exceptions,
				  struct outcomes *o)
{
	struct outcomes not = { 0 };
	struct outcome x;
	while (quoted(&exceptions, &x))
		outcomes_add(&not, &x);
	for (unsigned n = 0; combination(d, n, &x); n++)
		if (!outcomes_have(&not, &x))
			outcomes_add(o, &x);
	outcomes_release(&not );
}

static bool are_equal(const struct outcomes *a, const struct outcomes *b)
{
	return a->count == b->count &&
	       (!a->count || !memcmp(a->list, b->list, a->count * sizeof(a->list[0])));
}

struct expectation {
	bool has_set, is_bad;
	struct outcomes set;
	long classes; /* -1: nothing said */
};

static void read_line(const char *line, struct domain *d, struct expectation e[MODELS])
{
	char name[16] = "", what[16] = "";
	int n = 0;
	struct outcome x;
	if (!strncmp(line, "expect domain", 13)) {
		e[0].is_bad |= !parse_domain(d, line + 13);
		return;
	}
	if (strncmp(line, "expect ", 7))
		return;
	sscanf(line, "expect %15s %15s%n", name, what, &n);
	unsigned m = 0;
	while (m < MODELS && strcmp(name, model_names[m]))
		m++;
	struct expectation *at = &e[m < MODELS ? m : 0];
	at->is_bad |= m == MODELS;
	if (!strcmp(what, "classes")) {
		at->classes = strtol(line + n, NULL, 10);
		return;
	}
	at->has_set = true;
	if (!strcmp(what, "all") || !strcmp(what, "all-but"))
		expected_combinations(d, line + n, &at->set);
	else if (!strcmp(what, "is") && outcome_parse(&x, line + n + 1))
		outcomes_add(&at->set, &x);
	else
		at->is_bad = true;
}

static bool judge_set(const struct machine *m, const struct expectation *e, const char *name)
{
	struct outcomes o = { 0 };
	uint64_t states;
	bool fine =
		search_outcomes(m, 1000000, &o, &states) && are_equal(&o, &e->set) && !e->is_bad;
	if (!fine) {
		printf("# %s under %s: expected\n", name, model_names[m->model]);
		outcomes_print(&e->set, stdout, "#   ");
		printf("# found\n");
		outcomes_print(&o, stdout, "#   ");
	}
	outcomes_release(&o);
	return fine;
}

static bool judge_classes(const struct machine *m, const struct expectation *e, const char *name)
{
	uint64_t schedules, classes;
	bool fine = search_schedules(m, 200000, NULL, &schedules, &classes) &&
		    (long)classes == e->classes;
	if (!fine)
		printf("# %s under %s: %ld classes expected, %lu found\n", name,
		       model_names[m->model], e->classes, (unsigned long)classes);
	return fine;
}

unsigned litmus_judge(const struct prog *p, const char *text, const char *name, unsigned *wrong)
{
	struct domain d = { 0 };
	struct expectation e[MODELS] = { 0 };
	struct machine m = { .prog = *p };
	unsigned count = 0;
	for (unsigned i = 0; i < MODELS; i++)
		e[i].classes = -1;
	for (const char *line = text; line;
	     line = strchr(line, '\n'), line = line ? line + 1 : NULL)
		read_line(line, &d, e);
	for (m.model = MODEL_SC; m.model < MODELS; m.model++) {
		const struct expectation *at = &e[m.model];
		if (at->has_set || at->is_bad) {
			count++;
			*wrong += !judge_set(&m, at, name);
		}
		if (at->classes >= 0) {
			count++;
			*wrong += !judge_classes(&m, at, name);
		}
		outcomes_release(&e[m.model].set);
	}
	return count;
}
