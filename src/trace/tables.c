/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tables of a trace, and the rules for definitions and events.  The writer and both readers
 * use the same checks, so everything that can be written can be read, in either form.
 */
#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "trace/block.h"
#include "trace/std.h"

void tables_init(struct trace_tables *t)
{
	*t = (struct trace_tables){ 0 };
	struct trace_fact *f = vec_add(&t->facts);
	f->name = mem_strdup("");
	f->value = mem_strdup("");
	vec_add(&t->locations);
	vec_add(&t->stacks);
	vec_add(&t->regions);
}

struct id_limits tables_limits(const struct trace_tables *t)
{
	return (struct id_limits){ .regions = (uint32_t)t->regions.len,
				   .locations = (uint32_t)t->locations.len,
				   .stacks = (uint32_t)t->stacks.len,
				   .sites = 1 };
}

void trace_tables_release(struct trace_tables *t)
{
	for (size_t i = 0; i < t->facts.len; i++) {
		mem_free(t->facts.at[i].name);
		mem_free(t->facts.at[i].value);
	}
	for (size_t i = 0; i < t->locations.len; i++) {
		mem_free(t->locations.at[i].function);
		mem_free(t->locations.at[i].file);
	}
	for (size_t i = 0; i < t->regions.len; i++) {
		mem_free(t->regions.at[i].path);
		mem_free(t->regions.at[i].build_id);
	}
	vec_release(&t->facts);
	vec_release(&t->locations);
	vec_release(&t->stacks);
	vec_release(&t->regions);
}

const char *trace_fact(const struct trace_tables *t, const char *name)
{
	for (size_t i = 1; i < t->facts.len; i++)
		if (!strcmp(t->facts.at[i].name, name))
			return t->facts.at[i].value;
	return NULL;
}

/* The latest region wins, because memory may be unmapped and mapped again. */
uint32_t trace_region_of(const struct trace_tables *t, uint64_t address)
{
	for (size_t i = t->regions.len; i-- > 1;)
		if (address - t->regions.at[i].start < t->regions.at[i].size)
			return (uint32_t)i;
	return 0;
}

void trace_text_address(const struct trace_tables *t, uint64_t address, struct buf *out)
{
	if (std_object_name(t, address, out))
		return;
	uint32_t id = t ? trace_region_of(t, address) : 0;
	if (!id) {
		buf_printf(out, "0x%llx", (unsigned long long)address);
		return;
	}
	const struct region *r = &t->regions.at[id];
	unsigned long long offset = address - r->start;
	if (r->kind == REGION_MODULE) {
		const char *base = file_base_name(r->path);
		buf_str(out, *base ? base : r->path);
	} else {
		buf_str(out, region_kind_name(r->kind));
		if (r->thread != THR_NONE)
			buf_printf(out, " %u", r->thread);
	}
	/* Stacks grow down: offsets from the end do not depend on the stack's size. */
	if (r->kind == REGION_STACK)
		buf_printf(out, "-0x%llx", (unsigned long long)r->size - offset);
	else
		buf_printf(out, "+0x%llx", offset);
}

const char *region_flaw(const struct region *r)
{
	if (!region_kind_name(r->kind))
		return "a region has an unknown kind";
	if (r->size > UINT64_MAX - r->start)
		return "a region reaches beyond the end of the address space";
	if (strlen(r->path) > TRACE_STRING_MAX || strlen(r->build_id) > TRACE_STRING_MAX)
		return "a string of a region is too long";
	return NULL;
}

loc_id trace_outer(const struct trace_tables *t, loc_id loc)
{
	if (loc < 2 || loc >= t->locations.len)
		return 0;
	const struct location *l = &t->locations.at[loc], *before = l - 1;
	bool is_same = before->region == l->region && before->offset == l->offset;
	bool is_inlined = l->region && l->offset && is_same;
	return is_inlined ? loc - 1 : 0;
}

const char *location_flaw(const struct location *l, const struct id_limits *limits)
{
	if (l->region >= limits->regions)
		return "a location names a region that is not defined";
	if (strlen(l->function) > TRACE_STRING_MAX || strlen(l->file) > TRACE_STRING_MAX)
		return "a string of a location is too long";
	return NULL;
}

const char *stack_flaw(const struct stack_node *s, const struct id_limits *limits)
{
	if (s->parent >= limits->stacks)
		return "a call stack names a parent that is not defined";
	if (s->loc >= limits->locations)
		return "a call stack names a location that is not defined";
	return NULL;
}
