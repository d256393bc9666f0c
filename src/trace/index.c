/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opening an index.  The file is untrusted: before it is used, every count and reference in it is
 * checked, in one pass over each array.  A wrong index can still mislead an analysis, but cannot
 * cause accesses out of bounds.  Findings are proved by their witnesses anyway.
 */
#include "trace/index.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/search.h"
#include "trace/block.h"
#include "trace/index_file.h"

#define IDENTITY_BYTES 65536
#define SWEEP (1u << 20) /* entries between calls of madvise() */

int index_identify(const char *trace, uint64_t *bytes, uint64_t *hash, struct err *err)
{
	unsigned char part[IDENTITY_BYTES];
	struct stat st;
	int fd = open(trace, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st)) {
		int rc = err_set(err, ERR_IO, "cannot open %s: %s", trace, strerror(errno));
		if (fd >= 0)
			close(fd);
		return rc;
	}
	*bytes = (uint64_t)st.st_size;
	*hash = 0;
	off_t tail = st.st_size > IDENTITY_BYTES ? st.st_size - IDENTITY_BYTES : 0;
	for (int i = 0; i < 2; i++) {
		ssize_t n = pread(fd, part, sizeof(part), i ? tail : 0);
		*hash = hash_bytes(*hash, part, n > 0 ? (size_t)n : 0);
	}
	close(fd);
	return 0;
}

bool index_layout(const struct index_header *h, struct index_layout *l)
{
	const uint64_t limit = 1ull << 40;
	if (h->events >= EVENT_NONE || h->threads > TRACE_THREADS_MAX || h->cells > limit ||
	    h->cell_events > limit || h->objects > limit || h->object_events > limit)
		return false;
	l->events = sizeof(*h);
	l->thread_first = l->events + h->events * sizeof(struct index_event);
	l->thread_events = l->thread_first + (h->threads + 1) * sizeof(uint64_t);
	l->cells = l->thread_events + (h->events + 1) / 2 * 8;
	l->cell_events = l->cells + h->cells * sizeof(struct index_list);
	l->objects = l->cell_events + (h->cell_events + 1) / 2 * 8;
	l->object_events = l->objects + h->objects * sizeof(struct index_list);
	l->end = l->object_events + (h->object_events + 1) / 2 * 8;
	return true;
}

/* ---- checks: each returns a clause, or NULL ---- */

static bool is_event(const struct trace_index *x, ev_id e)
{
	return e == EVENT_NONE || e < x->count;
}

/* Limit resident memory during a pass: entries that were checked need not stay in memory. */
static void drop_pages(const struct trace_index *x, uint64_t done)
{
	if (done % SWEEP == SWEEP - 1)
		madvise(x->map, x->map_size, MADV_DONTNEED);
}

static const char *check_events(const struct trace_index *x)
{
	for (uint64_t i = 0; i < x->count; i++) {
		const struct index_event *e = &x->events[i];
		if (!event_kind_exists[e->kind])
			return "an event has an unknown kind";
		if (e->thread >= x->threads)
			return "an event has a thread that is not listed";
		uint64_t count;
		const ev_id *own = index_of_thread(x, e->thread, &count);
		if (e->own >= count || own[e->own] != i)
			return "an event is not where it should be among those of its thread";
		if (!is_event(x, e->link) || !is_event(x, e->branch) || !is_event(x, e->inside))
			return "an event points to one that does not exist";
		/* Chains of held locks only go backwards, so they are finite. */
		if (e->inside != EVENT_NONE &&
		    (e->inside >= i || x->events[e->inside].thread != e->thread))
			return "an event is inside an acquire that is not before it";
		drop_pages(x, i);
	}
	return NULL;
}

static const char *check_threads(const struct trace_index *x)
{
	for (uint32_t t = 0; t < x->threads; t++)
		if (x->thread_first[t] > x->thread_first[t + 1])
			return "the events of a thread end before they begin";
	if (x->thread_first[0] || x->thread_first[x->threads] != x->count)
		return "the lists of the threads are not as long as the trace";
	return NULL;
}

static const char *check_lists(const struct trace_index *x, const struct index_list *lists,
			       uint64_t count, const ev_id *events, uint64_t total)
{
	uint64_t used = 0;
	for (uint64_t i = 0; i < count; i++) {
		const struct index_list *l = &lists[i];
		if (l->first != used || l->count > total - used || !is_event(x, l->since))
			return "a list of events does not begin where the one before it ends";
		if (i && (l->address < l[-1].address ||
			  (l->address == l[-1].address && l->since + 1 <= l[-1].since + 1)))
			return "the lists of events are not sorted";
		for (uint64_t k = 0; k < l->count; k++) {
			if (events[used + k] >= x->count ||
			    (k && events[used + k] <= events[used + k - 1]))
				return "a list of events does not ascend";
			drop_pages(x, used + k);
		}
		used += l->count;
	}
	return used == total ? NULL : "there are events in no list";
}

static const char *check(struct trace_index *x, const struct index_header *h)
{
	const char *flaw = check_threads(x);
	if (!flaw)
		flaw = check_events(x);
	if (!flaw)
		flaw = check_lists(x, x->cells, x->cell_count, x->cell_events, h->cell_events);
	if (!flaw)
		flaw = check_lists(x, x->objects, x->object_count, x->object_events,
				   h->object_events);
	return flaw;
}

static int check_header(const struct index_header *h, const char *path, const char *trace,
			struct index_layout *l, struct err *err)
{
	uint64_t bytes, hash;
	if (memcmp(h->magic, INDEX_MAGIC, sizeof(h->magic)))
		return err_set(err, ERR_FORMAT, "%s is not the index of a trace", path);
	if (h->version != INDEX_VERSION || h->byte_order != TRACE_BYTE_ORDER)
		return err_set(err, ERR_VERSION, "%s is an index of another version; make it again",
			       path);
	if (h->checksum != hash_bytes(0, h, offsetof(struct index_header, checksum)) ||
	    !index_layout(h, l))
		return err_set(err, ERR_FORMAT,
			       "%s: the header of the index is damaged; make it again", path);
	int rc = index_identify(trace, &bytes, &hash, err);
	if (rc)
		return rc;
	if (bytes != h->trace_bytes || hash != h->trace_hash)
		return err_set(err, ERR_FORMAT,
			       "%s is the index of another trace than %s; make it again", path,
			       trace);
	return 0;
}

static void set_arrays(struct trace_index *x, const struct index_header *h,
		       const struct index_layout *l)
{
	const char *at = x->map;
	x->events = (const void *)(at + l->events);
	x->count = h->events;
	x->thread_first = (const void *)(at + l->thread_first);
	x->thread_events = (const void *)(at + l->thread_events);
	x->threads = (uint32_t)h->threads;
	x->cells = (const void *)(at + l->cells);
	x->cell_count = h->cells;
	x->cell_events = (const void *)(at + l->cell_events);
	x->objects = (const void *)(at + l->objects);
	x->object_count = h->objects;
	x->object_events = (const void *)(at + l->object_events);
}

/* Map the file at a descriptor, which may be closed afterwards. */
static int map_file(struct trace_index *x, int fd, const char *path, struct err *err)
{
	struct stat st;
	if (fd < 0 || fstat(fd, &st))
		return err_set(err, ERR_IO, "cannot open %s: %s", path, strerror(errno));
	if ((uint64_t)st.st_size < sizeof(struct index_header))
		return err_set(err, ERR_FORMAT, "%s is not the index of a trace", path);
	x->map_size = (size_t)st.st_size;
	x->map = mmap(NULL, x->map_size, PROT_READ, MAP_SHARED, fd, 0);
	if (x->map == MAP_FAILED) {
		x->map = NULL;
		return err_set(err, ERR_IO, "cannot map %s: %s", path, strerror(errno));
	}
	return 0;
}

int index_open(struct trace_index *x, const char *path, const char *trace, struct err *err)
{
	struct index_layout l;
	*x = (struct trace_index){ 0 };
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int rc = map_file(x, fd, path, err);
	if (fd >= 0)
		close(fd);
	const struct index_header *h = x->map;
	if (!rc)
		rc = check_header(h, path, trace, &l, err);
	if (!rc && l.end != x->map_size)
		rc = err_set(err, ERR_FORMAT,
			     "%s: the index is %s than its header says; make it again", path,
			     l.end > x->map_size ? "shorter" : "longer");
	if (!rc) {
		set_arrays(x, h, &l);
		const char *flaw = check(x, h);
		if (flaw)
			rc = err_set(err, ERR_FORMAT, "%s: the index is damaged: %s; make it again",
				     path, flaw);
	}
	if (rc)
		index_close(x);
	return rc;
}

void index_close(struct trace_index *x)
{
	if (x->map)
		munmap(x->map, x->map_size);
	*x = (struct trace_index){ 0 };
}

/* The list of an address with the latest lifetime that began before the event. */
static const struct index_list *find(const struct index_list *lists, uint64_t count,
				     uint64_t address, ev_id at)
{
	/* EVENT_NONE + 1 is 0: the lifetime from the beginning comes first. */
	uint64_t end =
		partition_point(count, i,
				lists[i].address < address || (lists[i].address == address &&
							       (ev_id)(lists[i].since + 1) <= at));
	return end && lists[end - 1].address == address ? &lists[end - 1] : NULL;
}

uint64_t index_first_cell(const struct trace_index *x, uint64_t address)
{
	return partition_point(x->cell_count, i,
			       x->cells[i].address < address / INDEX_CELL * INDEX_CELL);
}

const struct index_list *index_cell(const struct trace_index *x, uint64_t address, ev_id at)
{
	return find(x->cells, x->cell_count, address / INDEX_CELL * INDEX_CELL, at);
}

const struct index_list *index_object(const struct trace_index *x, uint64_t address, ev_id at)
{
	return find(x->objects, x->object_count, address, at);
}
