/* SPDX-License-Identifier: Apache-2.0 */
/* What heddle does not see of a program's own code (binary/unseen.h), as assumptions of a verdict.
 */
#include <string.h>

#include "base/demangle.h"
#include "check/unseen.h"
#include "exec/source.h"

#define NAMED_MAX 8 /* named of each kind; the others are counted */

static void add_functions(const struct unseen *u, struct report_summary *s)
{
	size_t count = u->functions.list.len;
	for (size_t i = 0; i < count && i < NAMED_MAX; i++) {
		char *name = demangle_function_name(u->functions.list.at[i]);
		report_assume_of(s, ASSUMES_NO_SANITIZE, "%s", name);
		mem_free(name);
	}
	if (count > NAMED_MAX)
		report_assume_of(s, ASSUMES_NO_SANITIZE, "and-%zu-more", count - NAMED_MAX);
}

static void add_assembler(const struct unseen *u, const char *path, struct report_summary *s)
{
	size_t count = u->assembler.len;
	struct source *source = count ? source_new() : NULL;
	const struct region module = { .path = (char *)path, .build_id = (char *)"" };
	for (size_t i = 0; i < count && i < NAMED_MAX; i++) {
		struct location l = { .offset = u->assembler.at[i] };
		source_resolve(source, &module, 0, &l);
		if (l.line)
			report_assume_of(s, ASSUMES_ASM, "%s:%u", l.file, l.line);
		else
			report_assume_of(s, ASSUMES_ASM, "%s",
					 l.function && *l.function ? l.function : path);
		mem_free(l.function);
		mem_free(l.file);
	}
	if (count > NAMED_MAX)
		report_assume_of(s, ASSUMES_ASM, "and-%zu-more", count - NAMED_MAX);
	if (source)
		source_free(source);
}

void unseen_add_assumptions(const struct unseen *u, const char *path, struct report_summary *s)
{
	add_functions(u, s);
	add_assembler(u, path, s);
	for (size_t i = 0; i < u->levels.list.len; i++)
		report_assume_of(s, ASSUMES_COMPILED, "%s", u->levels.list.at[i]);
}
