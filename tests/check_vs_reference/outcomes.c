/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sets of outcomes, and their text: how the process ended, then its output in quotes, one outcome
 * for each line.
 */
#include "search.h"

#include <stdlib.h>
#include <string.h>

static const char *const end_names[] = {
	[END_NOT] = "not",
	[END_EXIT] = "exit",
	[END_ASSERTION] = "assertion",
	[END_DEADLOCK] = "deadlock",
	[END_LIVELOCK] = "livelock",
	[END_USE_AFTER_FREE] = "use-after-free",
	[END_DOUBLE_FREE] = "double-free",
	[END_UNDEFINED] = "undefined",
	[END_SIGNAL] = "signal",
	[END_HANGS] = "hangs",
};

/* Unused bytes are zero. */
static int compare(const struct outcome *a, const struct outcome *b)
{
	return memcmp(a, b, sizeof(*a));
}

/* Where it is, or where it should be. */
static unsigned place_of(const struct outcomes *o, const struct outcome *x)
{
	unsigned low = 0, high = o->count;
	while (low < high) {
		unsigned middle = (low + high) / 2;
		if (compare(&o->list[middle], x) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool outcomes_have(const struct outcomes *o, const struct outcome *x)
{
	unsigned at = place_of(o, x);
	return at < o->count && !compare(&o->list[at], x);
}

void outcomes_add(struct outcomes *o, const struct outcome *x)
{
	unsigned at = place_of(o, x);
	if (at < o->count && !compare(&o->list[at], x))
		return;
	if (o->count == o->room) {
		o->room = o->room ? o->room * 2 : 16;
		o->list = realloc(o->list, o->room * sizeof(*x));
		if (!o->list)
			abort();
	}
	memmove(&o->list[at + 1], &o->list[at], (o->count - at) * sizeof(*x));
	o->list[at] = *x;
	o->count++;
}

bool outcomes_end_with(const struct outcomes *o, enum ending end)
{
	for (unsigned i = 0; i < o->count; i++)
		if (o->list[i].end == end)
			return true;
	return false;
}

void outcomes_release(struct outcomes *o)
{
	free(o->list);
	*o = (struct outcomes){ 0 };
}

void outcomes_print(const struct outcomes *o, FILE *out, const char *before)
{
	for (unsigned i = 0; i < o->count; i++) {
		const struct outcome *x = &o->list[i];
		fprintf(out, "%s%s", before, end_names[x->end]);
		if (x->end == END_EXIT || x->end == END_SIGNAL)
			fprintf(out, " %u", x->status);
		fputs(" \"", out);
		for (unsigned c = 0; c < x->written; c++) {
			if (x->output[c] == '\n')
				fputs("\\n", out);
			else
				fputc(x->output[c], out);
		}
		fputs("\"\n", out);
	}
}

static bool parse_end(struct outcome *x, const char **text)
{
	for (unsigned e = END_EXIT; e <= END_HANGS; e++) {
		size_t n = strlen(end_names[e]);
		if (strncmp(*text, end_names[e], n))
			continue;
		x->end = (uint8_t)e;
		*text += n;
		if (e == END_EXIT || e == END_SIGNAL)
			x->status = (uint8_t)strtoul(*text, (char **)text, 10);
		return true;
	}
	return false;
}

bool outcome_parse(struct outcome *x, const char *text)
{
	memset(x, 0, sizeof(*x));
	if (!parse_end(x, &text) || strncmp(text, " \"", 2))
		return false;
	for (text += 2; *text != '"'; text++) {
		if (!*text || x->written == OUTPUT_MAX)
			return false;
		bool is_newline = text[0] == '\\' && text[1] == 'n';
		x->output[x->written++] = is_newline ? '\n' : (uint8_t)*text;
		text += is_newline;
	}
	return true;
}
