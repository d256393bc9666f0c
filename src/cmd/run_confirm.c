/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See run_confirm.h.  The search is `heddle check` in a process of its own, whose result is read back from
 * its JSON: a line for each key, as base/json.c writes it.
 */
#include "cmd/run_confirm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/process.h"

struct shown_place {
	char *file;
	uint32_t line;
};

/* Places in the order of the JSON: those of the finding, of a race two, and then its pairs, two by two. */
struct shown {
	char kind[32];
	VEC(struct shown_place) places;
	struct shown_place next;	/* what is known of the place that is being read */
	char *witness;
};

/* What exploration calls it, and whether both places must be the same or one is enough. */
static const struct {
	enum finding_kind kind;
	const char *shown;
	bool needs_both;
} kinds[] = {
	{ FINDING_RACE, "race", true },
	{ FINDING_USE_AFTER_FREE, "use-after-free", false },
	{ FINDING_DOUBLE_FREE, "double-free", false },
	{ FINDING_LOST_SIGNAL, "deadlock", false },
	{ FINDING_LOCK_ORDER, "deadlock", false },
	{ FINDING_DESTROY_IN_USE, "lock-misuse", false },
};

static bool is_at(struct names *n, const struct finding_place *f, const struct shown_place *p)
{
	const struct location *l = names_location(n, names_own(n, f->loc, f->stack));
	return l->line && p->line == l->line && !strcmp(p->file, names_path(n, l->file));
}

static bool is_at_any(struct names *n, const struct finding_place *f, const struct shown *s)
{
	for (size_t i = 0; i < s->places.len; i++)
		if (is_at(n, f, &s->places.at[i]))
			return true;
	return false;
}

/* Of a race: whether two places that belong together are these, in either order. */
static bool is_pair(struct names *n, const struct finding_place *x, const struct finding_place *y,
		    const struct shown *s)
{
	for (size_t i = 0; i + 1 < s->places.len; i += 2) {
		const struct shown_place *p = &s->places.at[i];
		if ((is_at(n, x, p) && is_at(n, y, p + 1)) || (is_at(n, y, p) && is_at(n, x, p + 1)))
			return true;
	}
	return false;
}

static bool is_same(struct names *n, const struct finding *f, const struct shown *s)
{
	size_t k = 0;
	while (k < sizeof(kinds) / sizeof(*kinds) && kinds[k].kind != f->kind)
		k++;
	if (k == sizeof(kinds) / sizeof(*kinds) || strcmp(kinds[k].shown, s->kind) || f->places.len < 2)
		return false;
	const struct finding_place *first = &f->places.at[0], *second = &f->places.at[1];
	return kinds[k].needs_both ? is_pair(n, first, second, s)
				   : is_at_any(n, first, s) || is_at_any(n, second, s);
}

static void release(struct shown *s)
{
	for (size_t i = 0; i < s->places.len; i++)
		mem_free(s->places.at[i].file);
	vec_release(&s->places);
	mem_free(s->next.file);
	mem_free(s->witness);
	*s = (struct shown){0};
}

static void compare(struct online *o, struct shown *s)
{
	for (size_t i = 0; s->kind[0] && s->witness && i < o->findings.list.len; i++) {
		struct finding *f = &o->findings.list.at[i];
		if (f->status == FINDING_CONFIRMED || !is_same(&o->names, f, s))
			continue;
		f->status = FINDING_CONFIRMED;
		f->witness = mem_strdup(s->witness);
	}
	release(s);
}

/* The value of a line `"key": value,`, without quotes; NULL if it is another key's. */
static char *value_of(const char *line, size_t len, const char *key)
{
	size_t n = strlen(key);
	if (len < n + 4 || line[0] != '"' || memcmp(line + 1, key, n) || line[n + 1] != '"')
		return NULL;
	const char *value = line + n + 4;
	len -= n + 4;
	len -= len && value[len - 1] == ',';
	bool is_quoted = len >= 2 && value[0] == '"';
	return is_quoted ? mem_strndup(value + 1, len - 2) : mem_strndup(value, len);
}

static void read_line(struct online *o, struct shown *s, const char *line, size_t len)
{
	char *kind = value_of(line, len, "kind"), *file = value_of(line, len, "file"),
	     *number = value_of(line, len, "line"), *thread = value_of(line, len, "thread"),
	     *witness = value_of(line, len, "witness");
	if (kind) {
		compare(o, s);
		snprintf(s->kind, sizeof(s->kind), "%s", kind);
	}
	/* A place has a thread, a frame of its stack has none: the next one overwrites it. */
	if (file) {
		mem_free(s->next.file);
		s->next.file = mem_strdup(file);
	}
	if (number)
		s->next.line = (uint32_t)strtoul(number, NULL, 10);
	if (thread && s->next.file) {
		vec_push(&s->places, s->next);
		s->next.file = NULL;
	}
	if (witness && strcmp(witness, "null")) {
		mem_free(s->witness);
		s->witness = mem_strdup(witness);
	}
	mem_free(kind);
	mem_free(file);
	mem_free(number);
	mem_free(thread);
	mem_free(witness);
}

static void read_result(struct online *o, const struct buf *text)
{
	struct shown s = {0};
	for (size_t at = 0; at < text->len;) {
		const char *line = text->at + at, *newline = memchr(line, '\n', text->len - at);
		size_t len = newline ? (size_t)(newline - line) : text->len - at;
		at += len + 1;
		while (len && *line == ' ')
			line++, len--;
		read_line(o, &s, line, len);
	}
	compare(o, &s);
}

int run_confirm(struct online *o, const char *program, char *const *argv, uint64_t seconds, struct err *err)
{
	char result[] = "/tmp/heddle-confirm-XXXXXX", time[40];
	int fd = mkstemp(result), status;
	if (fd < 0)
		return err_set(err, ERR_IO, "cannot make a temporary file %s", result);
	close(fd);
	snprintf(time, sizeof(time), "--time=%llu", (unsigned long long)seconds);
	const char *base = strrchr(program, '/');
	const char *const words[] = {
		"/proc/self/exe",	   "check",  "--continue", "--ledger=none", "-q", time, "-o",
		base ? base + 1 : program, "--json", result,	   program
	};
	struct words command = {0};
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		words_add(&command, words[i]);
	for (size_t i = 1; argv[i]; i++)
		words_add(&command, argv[i]);
	struct buf said = {0}, text = {0};
	int rc = process_run(&command, PROCESS_CAPTURE, &said, &status, err);
	if (!rc && !file_read(result, &text, NULL))
		read_result(o, &text);
	unlink(result);
	buf_release(&said);
	buf_release(&text);
	words_release(&command);
	return rc;
}
