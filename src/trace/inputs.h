/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the outside gave to a run: its events of the kinds input, input-data, io-wait and io-time, as records
 * of the form that the runtime wants for a replay (struct wire_input).  Collected in memory, and beyond a
 * mebibyte in a file that has no name.  doc/WITNESS.md describes the file that is kept beside a witness; it
 * has the same bytes.
 */
#ifndef HEDDLE_INPUTS_H
#define HEDDLE_INPUTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "trace/event.h"

struct inputs {
	uint64_t records;
	uint64_t hash;		/* of all records */
	uint64_t size;		/* bytes of the file, its first line included */

	/* Private. */
	struct buf ahead;	/* not yet in the file */
	int fd;			/* 0: there is no file yet */
	int failed;		/* errno of a write that failed */
};

void inputs_release(struct inputs *in);		/* the zero state is valid */

static inline bool inputs_has(unsigned kind)
{
	return kind == EV_INPUT || (kind >= EV_INPUT_DATA && kind <= EV_IO_TIME);
}

/* An event of one of those kinds. */
void inputs_add(struct inputs *in, const struct event *e);
void inputs_add_record(struct inputs *in, const struct wire_input *r, const void *bytes);

/* A descriptor of a file with all of it, which stays the owner's.  Errors: ERR_IO. */
int inputs_file(struct inputs *in, int *fd, struct err *err);
/* Keep it under a name.  Errors: ERR_IO. */
int inputs_save(struct inputs *in, const char *path, struct err *err);
/* Read it back; every record is checked.  Errors: ERR_IO, ERR_FORMAT, ERR_VERSION. */
int inputs_open(struct inputs *in, const char *path, struct err *err);

/*
 * The records in memory, as long as they are few: the next one after r, the first after NULL, NULL at the
 * end; its bytes follow it.  For inputs of at most INPUTS_IN_MEMORY bytes only.
 */
#define INPUTS_IN_MEMORY (1u << 20)
const struct wire_input *inputs_next(const struct inputs *in, const struct wire_input *r);

/* Name of a system call, NULL if calls.def has none; and back, WIRE_NO_CALL if none has the name. */
const char *call_name(unsigned number);
unsigned call_by_name(const char *name, size_t len);

#endif
