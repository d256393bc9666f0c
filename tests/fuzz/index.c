/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stored indexes of traces: opened, and if they are taken, asked everything that an analysis
 * asks.  repair() makes the header right, for the trace /dev/null, and the file as long as its
 * header says, so that mutations meet the arrays.
 */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "trace/block.h"
#include "trace/index_file.h"

#define TRACE "/dev/null"

static uint64_t sum; /* of what was read, so that it is */

static void ask_event(const struct trace_index *x, ev_id i)
{
	const struct index_event *e = &x->events[i];
	ev_id next = index_next(x, i), others[] = { e->link, e->branch, e->inside, next };
	for (size_t k = 0; k < sizeof(others) / sizeof(*others); k++)
		sum += others[k] == EVENT_NONE ? 1 : x->events[others[k]].kind;
	uint64_t steps = 0;
	for (ev_id held = EVENT_NONE; (held = index_held(x, i, held)) != EVENT_NONE;
	     sum += x->events[held].obj)
		if (++steps > x->count)
			abort();
	const struct index_list *cell = index_cell(x, e->obj, i),
				*object = index_object(x, e->obj, i);
	for (uint64_t k = 0; cell && k < cell->count; k++)
		sum += x->events[x->cell_events[cell->first + k]].size;
	for (uint64_t k = 0; object && k < object->count; k++)
		sum += x->events[x->object_events[object->first + k]].size;
}

static void run(const uint8_t *bytes, size_t len)
{
	struct trace_index x;
	struct err err;
	if (index_open(&x, fuzz_file(bytes, len), TRACE, &err))
		return;
	for (uint64_t i = 0; i < x.count; i++)
		ask_event(&x, (ev_id)i);
	for (uint32_t t = 0; t < x.threads; t++) {
		uint64_t count;
		const ev_id *own = index_of_thread(&x, t, &count);
		for (uint64_t k = 0; k < count; k++)
			if (x.events[own[k]].thread != t)
				abort();
	}
	index_close(&x);
}

static size_t repair(uint8_t *bytes, size_t len, size_t room)
{
	struct index_header h;
	struct index_layout l;
	struct err err;
	if (len < sizeof(h))
		return len;
	memcpy(&h, bytes, sizeof(h));
	memcpy(h.magic, INDEX_MAGIC, sizeof(h.magic));
	h.version = INDEX_VERSION;
	h.byte_order = TRACE_BYTE_ORDER;
	if (index_identify(TRACE, &h.trace_bytes, &h.trace_hash, &err))
		abort();
	h.checksum = hash_bytes(0, &h, offsetof(struct index_header, checksum));
	memcpy(bytes, &h, sizeof(h));
	if (!index_layout(&h, &l) || l.end > room)
		return len;
	if (l.end > len)
		memset(bytes + len, 0, l.end - len);
	return l.end;
}

const struct fuzz_target fuzz_index = { "index", run, repair };
