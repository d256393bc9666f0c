/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The external inputs of a run: its events of the kinds input, input-data, io-wait and io-time,
 * as records in the form that the runtime needs for a replay (struct wire_input).  They are
 * collected in memory, and beyond a mebibyte in a temporary file without a name.  The file that
 * is kept next to a witness has the same bytes (doc/WITNESS.md).
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
	uint64_t hash; /* of all records */
	uint64_t size; /* bytes of the file, its first line included */

	/* Private. */
	struct buf ahead; /* not yet in the file */
	int fd;		  /* 0: there is no file yet */
	int failed;	  /* errno of a write that failed */
};

void inputs_release(struct inputs *in); /* the zero state is valid */

static inline bool inputs_has(unsigned kind)
{
	return kind == EV_INPUT || (kind >= EV_INPUT_DATA && kind <= EV_IO_TIME);
}

/* An event of one of those kinds. */
void inputs_add(struct inputs *in, const struct event *e);
void inputs_add_record(struct inputs *in, const struct wire_input *r, const void *bytes);

/* A descriptor of a file with all records; `in` keeps its ownership.  Errors: ERR_IO. */
int inputs_file(struct inputs *in, int *fd, struct err *err);
/* Save the records to a file.  Errors: ERR_IO. */
int inputs_save(struct inputs *in, const char *path, struct err *err);
/* Open such a file and check every record.  Errors: ERR_IO, ERR_FORMAT, ERR_VERSION. */
int inputs_open(struct inputs *in, const char *path, struct err *err);

/*
 * Iterate over records in memory: the record after r (NULL: the first one); NULL at the end.  Its
 * bytes follow it.  Only for inputs of at most INPUTS_IN_MEMORY bytes.
 */
#define INPUTS_IN_MEMORY (1u << 20)
const struct wire_input *inputs_next(const struct inputs *in, const struct wire_input *r);

/* Name of a system call, NULL if calls.def has none; and back, WIRE_NO_CALL if none has the name.
 */
const char *call_name(unsigned number);
unsigned call_by_name(const char *name, size_t len);

#endif
