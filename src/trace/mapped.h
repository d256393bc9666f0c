/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A growing file that is written through a mapping.  Disk space is reserved before it is mapped,
 * so that a full disk causes an error and not a signal.  Private to src/trace.
 */
#ifndef HEDDLE_TRACE_MAPPED_H
#define HEDDLE_TRACE_MAPPED_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct mapped {
	int fd;
	unsigned char *at; /* moves when the file grows */
	size_t size;	   /* in use */
	size_t cap;	   /* reserved and mapped */
	const char *path;  /* as messages name it */
};

/* A new file; path NULL: one without a name, in TMPDIR.  Errors: ERR_IO. */
int mapped_create(struct mapped *m, const char *path, struct err *err);
/* Make the file longer by zeroed bytes. */
int mapped_extend(struct mapped *m, size_t bytes, struct err *err);
/*
 * Release the resident memory of the mapping.  The content stays in the file, and is paged in
 * again on access.  Happens automatically whenever the file grows by a large step.
 */
void mapped_drop_pages(const struct mapped *m);
/* Truncate the file to the size in use.  The mapping stays. */
int mapped_finish(struct mapped *m, struct err *err);
void mapped_close(struct mapped *m); /* accepts the zero state */

#endif
