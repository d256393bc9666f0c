/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of a trace that orders can be about.  Most accesses of most programs are to memory that one thread
 * uses, or that nobody writes; they cannot be what two threads disagree about.  The sieve reads a trace
 * twice, in memory that grows with the memory of the program only, and writes a trace without them, which is
 * what an index and a history are then made of.
 *
 * Kept are all events except accesses to cells of 8 bytes that only one thread uses and frees, or that nobody
 * writes. All accesses to a cell that is kept are kept, so what each read saw stays the same.  A mark that a
 * branch was passed, on an access that is left out, goes to the next event of its thread.
 */
#ifndef HEDDLE_ORACLE_SIEVE_H
#define HEDDLE_ORACLE_SIEVE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct sieve_result {
	uint64_t events;	/* of the trace */
	uint64_t kept;		/* as far as they were written */
	bool is_written;	/* false: it is not worth it, or the trace is not sequentially consistent */
	bool is_cut_off;	/* there were more than the limit */
	bool is_incomplete;	/* the trace itself is cut off */
};

struct sieve_options {
	uint64_t limit;		/* of events that are kept; 0: none */
	bool always;		/* write the copy even if hardly anything is left out */
};

/* Errors: those of reading and writing traces. */
int sieve_trace(const char *trace, const char *to, const struct sieve_options *o, struct sieve_result *result,
		struct err *err);

#endif
