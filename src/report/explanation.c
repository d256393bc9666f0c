/* SPDX-License-Identifier: Apache-2.0 */
/* The texts of `heddle explain`, assembled into the tool; see explanation.h.  A kind of finding
 * without a text does not assemble. */
#include "report/explanation.h"

#include <string.h>

#define FINDING_KIND(NAME, name)                                    \
	__asm__(".pushsection .rodata\n"                            \
		"explanation_of_" #NAME ":\n"                       \
		".incbin \"src/report/explanations/" name ".md\"\n" \
		".byte 0\n"                                         \
		".popsection\n");                                   \
	extern const char explanation_of_##NAME[] __attribute__((visibility("hidden")));
#include "wire/finding.def"

#define CODE "    " /* what a line of code begins with */

const char *finding_explanation(enum finding_kind kind)
{
	switch (kind) {
#define FINDING_KIND(NAME, name) \
	case FINDING_##NAME:     \
		return explanation_of_##NAME;
#include "wire/finding.def"
	}
	return "";
}

void finding_summary(enum finding_kind kind, struct buf *out)
{
	const char *text = finding_explanation(kind);
	size_t end = strcspn(text, "\n"), start = strcspn(text, ":");
	start += strspn(text + start, ": ");
	if (start < end)
		buf_add(out, text + start, end - start);
}

void finding_example(enum finding_kind kind, struct buf *out)
{
	const char *line = strstr(finding_explanation(kind), "\n" CODE "#include");
	size_t blank = 0; /* lines since the last one of code */
	for (line = line ? line + 1 : ""; *line; line += line[0] == '\n') {
		size_t len = strcspn(line, "\n");
		if (len && strncmp(line, CODE, strlen(CODE)))
			break;
		if (len) {
			buf_fill(out, '\n', blank);
			buf_add(out, line + strlen(CODE), len - strlen(CODE));
			buf_char(out, '\n');
		}
		blank = len ? 0 : blank + 1;
		line += len;
	}
}

static const struct result_word result_words[] = {
#define FINDING_STATUS(NAME, word, meaning) { word, "", "status of a finding", meaning },
#define ASSUMPTION(NAME, word, detail, meaning) { word, detail, "assumption", meaning },
#include "report/words.def"
};

const struct result_word *result_word_at(size_t index)
{
	return index < sizeof(result_words) / sizeof(result_words[0]) ? &result_words[index] : NULL;
}

const struct result_word *result_word_named(const char *text)
{
	const struct result_word *w;
	for (size_t i = 0; (w = result_word_at(i)); i++) {
		size_t len = strlen(w->word);
		if (!strncmp(text, w->word, len) &&
		    (!text[len] || (text[len] == ':' && *w->detail)))
			return w;
	}
	return NULL;
}
