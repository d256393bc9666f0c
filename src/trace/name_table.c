/* SPDX-License-Identifier: Apache-2.0 */
/* Names of one kind in an STD file, found by their text; see name_table.h. */
#include "trace/name_table.h"

#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"

bool word_is(struct word w, const char *text)
{
	return w.len == strlen(text) && !memcmp(w.at, text, w.len);
}

struct named *name_table_find(struct name_table *n, struct word text, bool *is_new)
{
	uint64_t *first = map_put(&n->first, hash_bytes(0, text.at, text.len), NULL);
	*is_new = false;
	for (size_t i = *first; i; i = n->list.at[i - 1].older)
		if (word_is(text, n->list.at[i - 1].text))
			return &n->list.at[i - 1];
	struct named *name = vec_add(&n->list);
	name->text = mem_strndup(text.at, text.len);
	name->older = *first;
	*first = n->list.len;
	*is_new = true;
	return name;
}

void name_table_release(struct name_table *n)
{
	for (size_t i = 0; i < n->list.len; i++)
		mem_free(n->list.at[i].text);
	vec_release(&n->list);
	map_release(&n->first);
}
