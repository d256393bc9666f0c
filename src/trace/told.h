/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a trace has told about the content of memory, exact to the byte; a byte may also be untold.  Different
 * from struct memory_image in that it knows what it does not know.  The zero state has been told nothing.
 */
#ifndef HEDDLE_TRACE_TOLD_H
#define HEDDLE_TRACE_TOLD_H

#include <stdbool.h>

#include "base/map.h"
#include "trace/event.h"
#include "trace/lives.h"

#define TOLD_LINE 64u

struct told_line {
	uint64_t known;		/* a bit for each byte */
	uint64_t stamp;		/* until when it is known that nothing was forgotten */
	unsigned char bytes[TOLD_LINE];
};

struct told {
	struct map line_of;	/* address / TOLD_LINE to index in lines */
	VEC(struct told_line) lines;
	struct lives forgotten;	/* whole lines */
	uint64_t stamp;		/* how often something was forgotten */
	struct told_hint {
		uint64_t number;	/* plus one; 0: empty */
		uint32_t index;
	} hints[1024];
};

/* Memory contains these bytes from now on; bytes NULL: something, but nobody says what. */
void told_write(struct told *t, uint64_t address, const unsigned char *bytes, uint64_t size);
/*
 * Do these bytes agree with what was told?  Those not told before are taken over.  If not, *where is the
 * first address that contradicts and *has what it should contain, and nothing is taken over from there on.
 */
bool told_read(struct told *t, uint64_t address, const unsigned char *bytes, uint64_t size, uint64_t *where,
	       unsigned char *has);
/*
 * An event of a trace that leaves others out: what it tells, and what it forgets because blocks come and go.
 * True if it reads what nobody told, because the write was left out: then *outside is an outside-write that
 * explains it, with the data of the event.
 */
bool told_follow(struct told *t, const struct event *e, struct event *outside);
void told_release(struct told *t);

/*
 * The bytes that an access event carries: size of them, in `small` or in the event's own data.  The second
 * half for is_new, what an rmw wrote.  NULL if the event does not have them.
 */
const unsigned char *event_bytes(const struct event *e, bool is_new, unsigned char small[8]);

#endif
