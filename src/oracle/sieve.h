/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Removal of accesses that cannot conflict.  Most accesses of most programs are to memory that
 * only one thread uses, or that is never written.  The sieve reads a trace twice, with memory
 * that grows only with the memory of the program, and writes a trace without them.  An index and
 * a history are then built from that.
 *
 * All events are kept except accesses to cells of 8 bytes that only one thread uses and frees, or
 * that are never written.  All accesses to a cell that is kept are kept, so the source of each
 * read stays the same. The branch mark of an omitted access goes to the next event of its thread.
 */
#ifndef HEDDLE_ORACLE_SIEVE_H
#define HEDDLE_ORACLE_SIEVE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct sieve_result {
	uint64_t events;    /* of the trace */
	uint64_t kept;	    /* events of the copy */
	bool is_written;    /* false: a copy is not worth it, or the memory model is not SC */
	bool is_cut_off;    /* there were more than the limit */
	bool is_incomplete; /* the trace itself is cut off */
};

struct sieve_options {
	uint64_t limit; /* of events that are kept; 0: none */
	bool always;	/* write the copy even if hardly anything is left out */
};

/* Errors: those of reading and writing traces. */
int sieve_trace(const char *trace, const char *to, const struct sieve_options *o,
		struct sieve_result *result, struct err *err);

#endif
