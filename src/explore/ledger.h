/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ledger: an exploration on disk, from which it can be continued after its end, or after the
 * tool was killed at any moment.
 *
 * A file of records that is only appended to.  The first record identifies the search.  Then come
 * pairs: what has been found since the pair before, and the state of the search with all counts.
 * Each record has a checksum over its bytes and the checksum of the record before.  A reader
 * follows the records as far as they are intact, uses the last state and what was found before
 * it, and truncates the rest; what was explored after that state is explored again.
 *
 * A state is written when the search has gone on for a hundredth of its time since the last one,
 * and not more often than its size allows: so the file grows with the logarithm of the time.  If
 * it cannot be written (the disk is full), what is there stays whole, the search goes on, and it
 * is tried again.
 */
#ifndef HEDDLE_EXPLORE_LEDGER_H
#define HEDDLE_EXPLORE_LEDGER_H

#include "explore/explore.h"

struct ledger {
	/* Set by the caller of ledger_open(). */
	const char *path;
	/* lines "what: value"; a ledger with another one is of another search */
	struct buf identity;
	double first_seconds; /* it is not made before */
	bool is_continued;    /* there is one to be read */

	/* Private, except that they may be read. */
	int fd;				  /* -1: not made yet */
	uint64_t size;			  /* of its whole records */
	uint64_t check;			  /* of the last one */
	double written, cost;		  /* when a state was, and seconds that it took */
	size_t failures, outcomes, races; /* that it has */
	bool has_state;
	char note[512];	    /* about what was read; "": none */
	char failure[1024]; /* why the last state was not written; "": it was */
};

/* Errors: ERR_IO; ERR_FORMAT: it is no ledger, of another search, or in use. */
int ledger_open(struct ledger *l, struct err *err);
void ledger_close(struct ledger *l);
/* Remove it: the search has come to its end. */
void ledger_remove(struct ledger *l);

/* The search restarts: the file is written anew with the next state. */
void ledger_begin_again(struct ledger *l);

/* Put what it has into a search that has not begun.  Errors: ERR_IO, ERR_FORMAT. */
int ledger_read(struct ledger *l, const struct explore_config *c, void *state,
		struct explore_result *r, struct err *err);
bool ledger_is_due(const struct ledger *l, double seconds);
/* Between executions, with all results collected.  What keeps it from being written is in
 * `failure`. */
void ledger_write(struct ledger *l, const struct explore_config *c, const void *state,
		  const struct explore_result *r);

/* ---- result_save.c ---- */
/* What was found, from those numbers on. */
void result_save_found(const struct explore_result *r, size_t failures, size_t outcomes,
		       size_t races, struct buf *out);
/* false: it is not consistent */
bool result_load_found(struct explore_result *r, struct bytes *in);
/* Counts, of what was found too. */
void result_save_counts(const struct explore_result *r, struct buf *out);
bool result_load_counts(struct explore_result *r, struct bytes *in);

#endif
