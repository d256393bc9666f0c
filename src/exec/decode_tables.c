/* SPDX-License-Identifier: Apache-2.0 */
/* The decoder's tables; see decode_tables.h.  All operands are untrusted. */
#include "exec/decode_tables.h"

#include <string.h>

#include "base/alloc.h"

#define MAX_STACKS (1u << 24)
#define MAX_MODULES 4096
#define MAX_PATH 4096

/* ---- addresses ---- */

static const struct decode_module *module_of(struct decoder *d, uint64_t address)
{
	if (address - d->last_module.start < d->last_module.size)
		return &d->last_module;
	if (address < d->modules_low || address >= d->modules_high)
		return NULL;
	for (size_t i = 0; i < d->modules.len; i++) {
		if (address - d->modules.at[i].start < d->modules.at[i].size) {
			d->last_module = d->modules.at[i];
			return &d->last_module;
		}
	}
	return NULL;
}

uint64_t decode_address(struct decoder *d, uint64_t address)
{
	const struct decode_module *m = module_of(d, address);
	return m ? address - m->start + m->canonical : address;
}

/* ---- places ---- */

#define INLINED_MAX 64 /* functions at one address */

static int new_location(struct decoder *d, uint64_t pc, loc_id *out, struct err *err)
{
	const struct decode_module *m = module_of(d, pc);
	*out = 0;
	if (!m)
		return 0;
	struct location frames[INLINED_MAX];
	unsigned count = 0;
	do
		frames[count] = (struct location){ .region = m->region, .offset = pc - m->start };
	while (d->resolver &&
	       d->resolver->resolve(d->resolver->arg, &d->tables.regions.at[m->region], count,
				    &frames[count]) &&
	       ++count < INLINED_MAX);
	count += !count;
	int rc = 0;
	while (count-- > 0) { /* outermost first: trace_outer() */
		struct location *l = &frames[count];
		l->function = l->function ? l->function : mem_strdup("");
		l->file = l->file ? l->file : mem_strdup("");
		*out = (loc_id)d->tables.locations.len;
		vec_push(&d->tables.locations, *l);
		rc = rc ? rc : d->sink->location(d->sink->arg, l, err);
	}
	return rc;
}

int decode_find_location(struct decoder *d, uint64_t pc, loc_id *out, struct err *err)
{
	bool is_new;
	uint64_t *slot = map_put(&d->loc_of_pc, pc, &is_new);
	int rc = 0;
	if (is_new) {
		loc_id loc;
		rc = new_location(d, pc, &loc, err);
		*slot = loc;
	}
	*out = (loc_id)*slot;
	*decode_pc_slot(d, pc) = (struct decode_pc){ pc, *out };
	return rc;
}

/* ---- definitions ---- */

int decode_damaged(const struct decoder *d, const char *what, struct err *err)
{
	return err_set(err, ERR_PROGRAM, "the program damaged its event stream at word %llu: %s",
		       (unsigned long long)d->words, what);
}

char *decode_text(const uint64_t *ops, size_t count)
{
	const char *bytes = (const char *)ops;
	return mem_strndup(bytes, strnlen(bytes, count * 8));
}

static int define_region(struct decoder *d, struct region *r, struct err *err)
{
	if (!r->path)
		r->path = mem_strdup("");
	if (!r->build_id)
		r->build_id = mem_strdup("");
	vec_push(&d->tables.regions, *r);
	return d->sink->region(d->sink->arg, r, err);
}

/* Map a range whose address may differ between runs to a canonical address. */
static int relocate(struct decoder *d, uint64_t start, uint64_t size, uint64_t canonical_start,
		    struct err *err)
{
	if (d->modules.len >= MAX_MODULES)
		return decode_damaged(d, "too many modules", err);
	for (size_t i = 0; i < d->modules.len; i++)
		if (start < d->modules.at[i].start + d->modules.at[i].size &&
		    d->modules.at[i].start < start + size)
			return decode_damaged(d, "a module that overlaps another one", err);
	struct decode_module m = { start, size, canonical_start, (uint32_t)d->tables.regions.len };
	if (!d->modules.len || start < d->modules_low)
		d->modules_low = start;
	if (start + size > d->modules_high)
		d->modules_high = start + size;
	vec_push(&d->modules, m);
	return 0;
}

int decode_module(struct decoder *d, uint64_t start, const uint64_t *ops, size_t count,
		  struct err *err)
{
	if (count < 2 || count > 2 + MAX_PATH / 8 || !ops[0] || ops[0] > ADDRESS_BITS)
		return decode_damaged(d, "a module of impossible size", err);
	uint64_t size = canonical_whole_pages(ops[0]);
	uint64_t place = canonical_module(&d->places, ops[0]);
	int rc = relocate(d, start, size, place, err);
	if (rc)
		return rc;
	struct region r = {
		.start = place, .size = size, .kind = REGION_MODULE, .flags = (uint32_t)ops[1]
	};
	r.thread = THR_NONE;
	r.path = decode_text(ops + 2, count - 2);
	if (d->resolver)
		r.build_id = d->resolver->build_id(d->resolver->arg, r.path);
	return define_region(d, &r, err);
}

/* A module was unloaded.  Its addresses may be reused. */
int decode_module_gone(struct decoder *d, uint64_t start, struct err *err)
{
	size_t i = 0;
	while (i < d->modules.len && d->modules.at[i].start != start)
		i++;
	if (!i || i == d->modules.len)
		return decode_damaged(d, "the end of a module that is not loaded", err);
	struct decode_module gone = d->modules.at[i];
	d->modules.at[i] = vec_last(&d->modules);
	d->modules.len--;
	d->last_module = (struct decode_module){ 0 };
	memset(d->pcs, 0, sizeof(d->pcs));
	struct map before = d->loc_of_pc;
	d->loc_of_pc = (struct map){ 0 };
	for (size_t k = 0; k < before.cap; k++)
		if (before.slots[k].used && before.slots[k].key - gone.start >= gone.size)
			*map_put(&d->loc_of_pc, before.slots[k].key, NULL) = before.slots[k].value;
	map_release(&before);
	return 0;
}

int decode_memory(struct decoder *d, uint64_t start, const uint64_t *ops, size_t count,
		  struct err *err)
{
	if (count < 2 || ops[0] > ADDRESS_BITS || ops[1] < REGION_HEAP || ops[1] > REGION_ARGS)
		return decode_damaged(d, "a region of impossible size or kind", err);
	struct region r = { .start = start, .size = ops[0], .kind = (uint32_t)ops[1] };
	r.thread = r.kind == REGION_ARGS ? THR_NONE : count > 2 ? (thr_id)ops[2] : 0;
	if (start - ARENA_HEAP >= ARENA_END - ARENA_HEAP) {
		r.start = canonical_region(&d->places, start, r.size);
		int rc = relocate(d, start, r.size, r.start, err);
		if (rc)
			return rc;
	}
	return define_region(d, &r, err);
}

int decode_stack(struct decoder *d, uint64_t id, const uint64_t *ops, size_t count, struct err *err)
{
	uint64_t parent = count ? ops[0] : 0;
	if (count > 2 || !id || id >= MAX_STACKS ||
	    (parent && (parent >= d->stack_of_wire.len || !d->stack_of_wire.at[parent])))
		return decode_damaged(d, "a call stack without its outer part", err);
	vec_grow_zeroed(&d->stack_of_wire, id + 1);
	if (d->stack_of_wire.at[id])
		return decode_damaged(d, "a call stack that is defined twice", err);
	struct stack_node s = { .parent = parent ? d->stack_of_wire.at[parent] : 0 };
	int rc = decode_location(d, count > 1 ? ops[1] & ADDRESS_BITS : 0, &s.loc, err);
	if (rc)
		return rc;
	d->stack_of_wire.at[id] = (stack_id)d->tables.stacks.len;
	vec_push(&d->tables.stacks, s);
	return d->sink->stack(d->sink->arg, &s, err);
}
