/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Content of memory as far as it follows from the events of a trace, byte by byte.  Unlike in
 * struct memory_image, a byte may be unknown.  In the zero state all bytes are unknown.
 */
#ifndef HEDDLE_TRACE_KNOWN_H
#define HEDDLE_TRACE_KNOWN_H

#include <stdbool.h>

#include "base/map.h"
#include "trace/event.h"
#include "trace/range_stamps.h"

#define KNOWN_LINE 64u

struct known_line {
	uint64_t known; /* a bit for each byte */
	uint64_t stamp; /* value of `stamp` below for which `known` is up to date */
	unsigned char bytes[KNOWN_LINE];
};

struct known {
	struct map line_of; /* address / KNOWN_LINE to index in lines */
	VEC(struct known_line) lines;
	struct range_stamps forgotten; /* whole lines that became unknown */
	uint64_t stamp;		       /* number of ranges in `forgotten` */
	struct known_hint {
		uint64_t number; /* plus one; 0: empty */
		uint32_t index;
	} hints[1024];
};

/* Set the content of memory; bytes NULL: it becomes unknown. */
void known_write(struct known *t, uint64_t address, const unsigned char *bytes, uint64_t size);
/*
 * Whether these bytes agree with the known content.  Bytes that were unknown become known.  If
 * not, *where is the first address that differs and *has its known content, and bytes from there
 * on do not become known.
 */
bool known_read(struct known *t, uint64_t address, const unsigned char *bytes, uint64_t size,
		uint64_t *where, unsigned char *has);
/*
 * Process an event of a trace from which others were left out: update the known content.  True if
 * the event reads something else than the known content, because a write was left out.  Then
 * *outside is an outside-write that explains the read, with the data of the event.
 */
bool known_follow(struct known *t, const struct event *e, struct event *outside);
void known_release(struct known *t);

/*
 * The bytes of an access event, in `small` or in the event's own data.  is_new: the bytes that an
 * rmw wrote.  NULL if the event does not have them.
 */
const unsigned char *event_bytes(const struct event *e, bool is_new, unsigned char small[8]);

#endif
