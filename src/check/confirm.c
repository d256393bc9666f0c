/* SPDX-License-Identifier: Apache-2.0 */
/* Controlled runs that show what `heddle run` has reported; see confirm.h. */
#include "check/confirm.h"

#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "check/check.h"
#include "drive/streams.h"

/* What exploration calls it, and whether both places must be the same or one is enough. */
static const struct {
	enum finding_kind kind, explored;
	bool needs_both;
} kinds[] = {
	{ FINDING_RACE, FINDING_RACE, true },
	{ FINDING_USE_AFTER_FREE, FINDING_USE_AFTER_FREE, false },
	{ FINDING_DOUBLE_FREE, FINDING_DOUBLE_FREE, false },
	{ FINDING_LOST_SIGNAL, FINDING_DEADLOCK, false },
	{ FINDING_LOCK_ORDER, FINDING_DEADLOCK, false },
	{ FINDING_DESTROY_IN_USE, FINDING_LOCK_MISUSE, false },
};

/* A line of the source.  Strings belong to the names. */
struct line {
	const char *file;
	uint32_t number;
};

static struct line line_of(struct names *n, const struct finding_place *p)
{
	const struct location *l = names_location(n, names_own(n, p->loc, p->stack));
	return (struct line){ names_path(n, l->file), l->line };
}

static bool is_same_line(struct line a, struct line b)
{
	return a.number && a.number == b.number && a.file && b.file && !strcmp(a.file, b.file);
}

static bool is_at_any(struct line line, struct names *n, const struct finding *explored)
{
	for (size_t i = 0; i < explored->places.len; i++)
		if (is_same_line(line, line_of(n, &explored->places.at[i])))
			return true;
	return false;
}

/* Whether a race is between these two lines, in either order. */
static bool is_pair(struct line a, struct line b, const struct finding *explored)
{
	for (size_t i = 0; i < explored->pairs.len; i++) {
		const struct finding_side *s = explored->pairs.at[i].sides;
		struct line first = { s[0].file, s[0].line }, second = { s[1].file, s[1].line };
		if ((is_same_line(a, first) && is_same_line(b, second)) ||
		    (is_same_line(b, first) && is_same_line(a, second)))
			return true;
	}
	return false;
}

static bool is_same(struct names *n, const struct finding *f, struct names *explored_names,
		    const struct finding *explored)
{
	size_t k = 0;
	while (k < sizeof(kinds) / sizeof(*kinds) && kinds[k].kind != f->kind)
		k++;
	if (k == sizeof(kinds) / sizeof(*kinds) || kinds[k].explored != explored->kind ||
	    f->places.len < 2)
		return false;
	struct line first = line_of(n, &f->places.at[0]), second = line_of(n, &f->places.at[1]);
	return kinds[k].needs_both ? is_pair(first, second, explored)
				   : is_at_any(first, explored_names, explored) ||
					     is_at_any(second, explored_names, explored);
}

static void confirm(struct online *o, const struct check *c, size_t i)
{
	const struct finding *explored = check_finding(c, i);
	struct names *names = &c->findings.at[i].repeat->made.observer.names;
	for (size_t k = 0; k < o->findings.list.len; k++) {
		struct finding *f = &o->findings.list.at[k];
		if (f->status == FINDING_CONFIRMED || !explored->witness ||
		    !is_same(&o->names, f, names, explored))
			continue;
		f->status = FINDING_CONFIRMED;
		f->witness = mem_strdup(explored->witness);
	}
}

int check_confirm(struct online *o, char **argv, uint64_t seconds, off_t input_at, struct err *err)
{
	struct streams streams;
	struct check c = { .options = check_defaults(), .ledger = { .fd = -1 } };
	c.options.goes_on = true;
	c.options.ledger = "none";
	c.options.seconds = seconds;
	if (input_at >= 0)
		lseek(STDIN_FILENO, input_at, SEEK_SET);
	streams_init(&streams);
	streams_rewind_input(&streams);
	int rc = check_run(&c, argv, err);
	streams_restore(&streams);
	for (size_t i = 0; i < c.findings.len && !rc; i++)
		confirm(o, &c, i);
	check_release(&c);
	return rc;
}
