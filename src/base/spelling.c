/* SPDX-License-Identifier: Apache-2.0 */
/* Suggestions for misspelt words, by edit distance; see spelling.h. */
#include "base/spelling.h"

#include <string.h>

#include "base/alloc.h"

size_t edit_distance(const char *a, const char *b)
{
	size_t n = strlen(b), *row = mem_alloc((n + 1) * sizeof(*row));
	for (size_t k = 0; k <= n; k++)
		row[k] = k;
	/* row[k]: distance from the first i characters of `a` to the first k characters of `b`. */
	for (size_t i = 0; a[i]; i++) {
		size_t diagonal = row[0];
		row[0] = i + 1;
		for (size_t k = 0; k < n; k++) {
			size_t replaced = diagonal + (a[i] != b[k]);
			diagonal = row[k + 1];
			size_t least = row[k] < diagonal ? row[k] : diagonal;
			row[k + 1] = replaced < least + 1 ? replaced : least + 1;
		}
	}
	size_t distance = row[n];
	mem_free(row);
	return distance;
}

bool spelling_is_close(const char *unknown, const char *known)
{
	if (strlen(unknown) >= 3 && strstr(known, unknown))
		return true;
	return edit_distance(unknown, known) <= strlen(known) / 3;
}
