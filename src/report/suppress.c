/* SPDX-License-Identifier: Apache-2.0 */
/* Suppressions in the syntax of ThreadSanitizer; see suppress.h. */
#include "report/suppress.h"

#include <string.h>

#include "base/alloc.h"
#include "base/file.h"

static bool matches_here(const char *pattern, const char *text)
{
	for (; *pattern; pattern++, text++) {
		if (*pattern == '*') {
			for (; *text; text++)
				if (matches_here(pattern + 1, text))
					return true;
			return matches_here(pattern + 1, text);
		}
		if (*pattern == '$' && !pattern[1])
			return !*text;
		if (*pattern != *text)
			return false;
	}
	return true;
}

bool suppression_matches(const char *pattern, const char *text)
{
	if (*pattern == '^')
		return matches_here(pattern + 1, text);
	for (;; text++) {
		if (matches_here(pattern, text))
			return true;
		if (!*text)
			return false;
	}
}

/* What TSan calls kinds of reports, then kinds of findings. */
static const char *const kinds[] = {
	"race", "race_top", "mutex", "thread", "signal", "deadlock", "called_from_lib",
#define FINDING_KIND(NAME, name) name,
#include "wire/finding.def"
};

static bool is_kind(const char *word, size_t len)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (strlen(kinds[i]) == len && !memcmp(kinds[i], word, len))
			return true;
	return false;
}

int suppressions_parse(struct suppressions *all, const char *name, const char *text,
		       struct err *err)
{
	size_t number = 0;
	for (const char *line = text; *line;) {
		size_t len = strcspn(line, "\n");
		const char *next = line + len + (line[len] == '\n');
		number++;
		while (len && (*line == ' ' || *line == '\t'))
			line++, len--;
		while (len &&
		       (line[len - 1] == ' ' || line[len - 1] == '\t' || line[len - 1] == '\r'))
			len--;
		const char *colon = memchr(line, ':', len);
		if (len && *line != '#' && !colon)
			return err_set(err, ERR_FORMAT, "%s:%zu: a suppression is KIND:PATTERN",
				       name, number);
		if (len && *line != '#' && !is_kind(line, (size_t)(colon - line)))
			return err_set(err, ERR_FORMAT,
				       "%s:%zu: there is no kind '%.*s' of suppressions", name,
				       number, (int)(colon - line), line);
		if (len && *line != '#') {
			struct suppression s = {
				mem_strndup(line, (size_t)(colon - line)),
				mem_strndup(colon + 1, len - (size_t)(colon + 1 - line)), 0
			};
			vec_push(&all->list, s);
		}
		line = next;
	}
	return 0;
}

int suppressions_read(struct suppressions *all, const char *path, struct err *err)
{
	struct buf text = { 0 };
	int rc = file_read(path, &text, err);
	buf_str(&text, "");
	rc = rc ? rc : suppressions_parse(all, path, text.at ? text.at : "", err);
	buf_release(&text);
	return rc;
}

void suppressions_release(struct suppressions *all)
{
	for (size_t i = 0; i < all->list.len; i++) {
		mem_free(all->list.at[i].kind);
		mem_free(all->list.at[i].pattern);
	}
	vec_release(&all->list);
}
