/* SPDX-License-Identifier: Apache-2.0 */
/* Names of objects; see trace_names.h.  A name is looked up once for each address. */
#include "cmd/trace_names.h"

#include <stdlib.h>
#include <string.h>

#include "trace/std.h"

static void find_name(struct trace_names *n, const struct trace_tables *t, uint64_t address,
		      struct buf *out)
{
	uint32_t id = trace_region_of(t, address);
	const struct region *r = id ? &t->regions.at[id] : NULL;
	if (r && r->start >= STD_VARIABLES && r->kind == REGION_MODULE && trace_fact(t, STD_FACT)) {
		buf_str(out, r->path);
		if (r->size > 8)
			buf_printf(out, "%llu", (unsigned long long)(address - r->start) / 8);
		return;
	}
	if (!n->source)
		n->source = source_new();
	if (!r || r->kind != REGION_MODULE ||
	    !source_data_name(n->source, r, address - r->start, out))
		trace_text_address(t, address, out);
}

const char *trace_names_object(struct trace_names *n, const struct trace_tables *t,
			       uint64_t address)
{
	bool is_new;
	uint64_t *index = map_put(&n->known, address, &is_new);
	if (is_new) {
		struct buf name = { 0 };
		find_name(n, t, address, &name);
		*index = n->names.len;
		vec_push(&n->names, buf_take(&name));
	}
	return n->names.at[*index];
}

bool trace_names_match(struct trace_names *n, const struct trace_tables *t, uint64_t address,
		       const char *wanted)
{
	char *end;
	uint64_t number = strtoull(wanted, &end, 0);
	if (end != wanted && !*end)
		return number == address;
	const char *name = trace_names_object(n, t, address);
	size_t len = strlen(wanted);
	return !strncmp(name, wanted, len) && (!name[len] || name[len] == '+');
}

void trace_names_release(struct trace_names *n)
{
	for (size_t i = 0; i < n->names.len; i++)
		mem_free(n->names.at[i]);
	vec_release(&n->names);
	map_release(&n->known);
	if (n->source)
		source_free(n->source);
}
