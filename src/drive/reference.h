/* SPDX-License-Identifier: Apache-2.0 */
/* What a replay repeats: a witness, or a trace, which holds its schedule. */
#ifndef HEDDLE_DRIVE_REFERENCE_H
#define HEDDLE_DRIVE_REFERENCE_H

#include "drive/target.h"
#include "trace/trace.h"
#include "trace/witness.h"

struct reference {
	const char *path;
	bool is_trace;
	bool is_sparse;		      /* a trace that has only what several threads touch */
	struct witness witness;	      /* of a trace: made from it */
	VEC(struct trace_fact) facts; /* of a trace: those before its events */
	bool is_cut_off;
};

/* Errors: ERR_IO, ERR_FORMAT; ERR_SUPPORT for a trace that does not say where the run ended. */
int reference_load(struct reference *ref, const char *path, struct err *err);
void reference_release(struct reference *ref);
/* Whether it ends where the program cannot continue. */
bool reference_ends_by_itself(const struct reference *ref);
/* The event before which a replay stops: the end of the run, or of the race that the witness is of.
 */
uint64_t reference_end(const struct reference *ref);
/* Whether the program is the recorded one.  Errors: ERR_PROGRAM. */
int reference_check_program(const struct reference *ref, const struct target *p, struct err *err);
/*
 * The program's argument vector: as given, completed from the reference.  Its own name is the
 * recorded one, wherever the program stands now.  The caller frees the vector.
 */
char **reference_argv(const struct reference *ref, int argc, char **argv);
/* The facts that stand in front of the trace of a replay. */
void reference_write_facts(const struct reference *ref, struct trace_writer *w);

#endif
