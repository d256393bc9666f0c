/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The second part of building an index: postings become lists, and the file is completed; see
 * index_build.c.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "trace/block.h"
#include "trace/index_builder.h"

#define SWEEP (1u << 20) /* entries between calls of madvise() */

static int by_address(const void *x, const void *y)
{
	const struct built_list *a = *(struct built_list *const *)x,
				*b = *(struct built_list *const *)y;
	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return (uint32_t)(a->since + 1) < (uint32_t)(b->since + 1) ? -1 : 1;
}

/* Limit resident memory during a pass over both files. */
static void drop_pages(const struct index_builder *b, const struct mapped *other, uint64_t done)
{
	if (done % SWEEP)
		return;
	mapped_drop_pages(&b->file);
	mapped_drop_pages(other);
}

/* Write the sorted lists and their events.  lists: `count` structures of `stride` bytes, each
 * with a struct built_list first. */
static void fill_lists(const struct index_builder *b, void *lists, size_t count, size_t stride,
		       const struct mapped *postings, struct index_list *to, ev_id *events)
{
	struct built_list **sorted = mem_alloc(count * sizeof(*sorted));
	uint64_t first = 0;
	for (size_t i = 0; i < count; i++)
		sorted[i] = (struct built_list *)((char *)lists + i * stride);
	qsort(sorted, count, sizeof(*sorted), by_address);
	for (size_t i = 0; i < count; i++) {
		struct built_list *l = sorted[i];
		to[i] = (struct index_list){ l->address, l->since, l->mode, first, l->count };
		l->next = first;
		first += l->count;
	}
	const struct posting *p = (const struct posting *)postings->at;
	for (size_t i = 0; i < postings->size / sizeof(*p); i++) {
		struct built_list *l = (struct built_list *)((char *)lists + p[i].list * stride);
		events[l->next++] = p[i].event;
		drop_pages(b, postings, i);
	}
	mem_free(sorted);
}

static void fill_thread_lists(struct index_builder *b, const struct index_layout *l)
{
	uint64_t *first = (uint64_t *)(b->file.at + l->thread_first);
	ev_id *events = (ev_id *)(b->file.at + l->thread_events);
	uint64_t total = 0;
	for (size_t i = 0; i < b->threads.len; i++) {
		first[i] = total;
		total += b->threads.at[i].count;
		/* Reads without a branch after them. */
		for (ev_id at = b->threads.at[i].pending; at != EVENT_NONE;) {
			ev_id next = index_record(b, at)->branch;
			index_record(b, at)->branch = EVENT_NONE;
			at = next;
		}
	}
	first[b->threads.len] = total;
	for (uint64_t i = 0; i < b->count; i++) {
		events[first[index_record(b, (ev_id)i)->thread] + index_record(b, (ev_id)i)->own] =
			(ev_id)i;
		drop_pages(b, &b->cell_postings, i);
	}
}

int index_write_lists(struct index_builder *b, const char *trace, struct err *err)
{
	struct index_header h = { .version = INDEX_VERSION,
				  .byte_order = TRACE_BYTE_ORDER,
				  .events = b->count,
				  .threads = b->threads.len,
				  .cells = b->cells.len,
				  .objects = b->objects.len,
				  .cell_events = b->cell_postings.size / sizeof(struct posting),
				  .object_events =
					  b->object_postings.size / sizeof(struct posting) };
	struct index_layout l;
	int rc = index_identify(trace, &h.trace_bytes, &h.trace_hash, err);
	if (!rc && !index_layout(&h, &l))
		rc = err_set(err, ERR_SUPPORT, "%s is too large for an index", trace);
	if (!rc)
		rc = mapped_extend(&b->file, l.end - b->file.size, err);
	if (rc)
		return rc;
	fill_thread_lists(b, &l);
	fill_lists(b, b->cells.at, b->cells.len, sizeof(*b->cells.at), &b->cell_postings,
		   (struct index_list *)(b->file.at + l.cells),
		   (ev_id *)(b->file.at + l.cell_events));
	fill_lists(b, b->objects.at, b->objects.len, sizeof(*b->objects.at), &b->object_postings,
		   (struct index_list *)(b->file.at + l.objects),
		   (ev_id *)(b->file.at + l.object_events));
	memcpy(h.magic, INDEX_MAGIC, sizeof(h.magic));
	h.checksum = hash_bytes(0, &h, offsetof(struct index_header, checksum));
	memcpy(b->file.at, &h, sizeof(h));
	return mapped_finish(&b->file, err);
}
