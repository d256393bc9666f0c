/* SPDX-License-Identifier: Apache-2.0 */
/* The slow paths of memory.h.  Lines are allocated in slabs and never move. */
#include "trace/memory.h"

#define SLAB 1024u /* lines */

unsigned char *memory_find_line(struct memory_image *m, uint64_t number)
{
	bool is_new;
	uint64_t *place = map_put(&m->line_of, number, &is_new);
	if (is_new) {
		if (m->lines % SLAB == 0)
			vec_push(&m->slabs, mem_zero(SLAB, sizeof(struct memory_line)));
		*place = m->lines++;
	}
	unsigned char *bytes = m->slabs.at[*place / SLAB][*place % SLAB].bytes;
	m->hints[number & (MEMORY_HINTS - 1)] = (struct memory_hint){ number + 1, bytes };
	return bytes;
}

void memory_release(struct memory_image *m)
{
	for (size_t i = 0; i < m->slabs.len; i++)
		mem_free(m->slabs.at[i]);
	vec_release(&m->slabs);
	map_release(&m->line_of);
}
