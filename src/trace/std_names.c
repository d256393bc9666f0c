/* SPDX-License-Identifier: Apache-2.0 */
/* Names in traces that were imported from STD; std.h says where they are kept. */
#include <string.h>

#include "trace/std.h"

bool std_is_source(const struct trace_tables *t)
{
	const char *source = t ? trace_fact(t, STD_FACT) : NULL;
	return source && !strcmp(source, STD_FACT_VALUE);
}

static bool put_numbered(uint64_t address, uint64_t base, char letter, struct buf *out)
{
	uint64_t number = (address - base) / 8;
	if (address < base || number >= STD_NUMBERS)
		return false;
	buf_char(out, letter);
	buf_decimal(out, number);
	return true;
}

bool std_object_name(const struct trace_tables *t, uint64_t address, struct buf *out)
{
	if (address < STD_VARIABLES || !std_is_source(t))
		return false;
	if (address < STD_NAMED)
		return put_numbered(address, STD_VARIABLES, 'V', out) ||
		       put_numbered(address, STD_LOCKS, 'L', out);
	uint32_t region = trace_region_of(t, address);
	if (region)
		buf_str(out, t->regions.at[region].path);
	return region;
}

bool std_thread_name(const struct trace_tables *t, thr_id thread, struct buf *out)
{
	if (!std_is_source(t))
		return false;
	for (size_t i = 1; i < t->regions.len && thread >= STD_NAMED_THREADS; i++)
		if (t->regions.at[i].kind == REGION_STACK && t->regions.at[i].thread == thread) {
			buf_str(out, t->regions.at[i].path);
			return true;
		}
	buf_char(out, 'T');
	buf_decimal(out, thread);
	return true;
}
