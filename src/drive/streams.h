/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The standard streams of a program that the tool runs for itself.  The program inherits the
 * tool's streams, so the tool redirects its own for the time of the run.
 */
#ifndef HEDDLE_DRIVE_STREAMS_H
#define HEDDLE_DRIVE_STREAMS_H

#include <pthread.h>
#include <stdbool.h>
#include <sys/types.h>

struct streams {
	int kept[3];	  /* descriptors 0 to 2 as they were; -1: not changed */
	off_t input_at;	  /* offset of standard input to go back to; -1: none */
	int terminal;	  /* our end of the terminal that hides output; -1: there is none */
	pthread_t reader; /* discards what is written to that terminal */
	bool has_reader;
};

void streams_init(struct streams *s);

/*
 * Discard standard output and standard error.  Programs can tell a terminal from other files: a
 * terminal is replaced by another one that is not shown, with the same settings and size.
 */
void streams_hide_output(struct streams *s);

/* Standard input that can be read again: a file from its present offset on, otherwise nothing. */
void streams_rewind_input(struct streams *s);

/* Standard input is a pipe with these bytes.  Nothing changes if they do not fit into one. */
void streams_give_input(struct streams *s, const void *bytes, size_t count);

/* Undo all of the above. */
void streams_restore(struct streams *s);

#endif
