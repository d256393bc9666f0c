/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of strings; see words.h. */
#include "base/words.h"

#include <string.h>

#include "base/alloc.h"

void words_add(struct words *w, const char *word)
{
	vec_push(&w->list, mem_strdup(word));
}

void words_take(struct words *w, char *word)
{
	vec_push(&w->list, word);
}

bool words_contain(const struct words *w, const char *word)
{
	for (size_t i = 0; i < w->list.len; i++)
		if (!strcmp(w->list.at[i], word))
			return true;
	return false;
}

void words_release(struct words *w)
{
	for (size_t i = 0; i < w->list.len; i++)
		mem_free(w->list.at[i]);
	vec_release(&w->list);
}
