/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of the files that a compiler writes besides its output (dependencies, coverage notes,
 * saved temporaries) when one command compiles and links.  How they derive from the name of the
 * program differs between compilers and versions.  So they are read from the compiler's own
 * commands, which it prints with -###.
 */
#ifndef HEDDLE_CC_SIDE_FILES_H
#define HEDDLE_CC_SIDE_FILES_H

#include "base/err.h"
#include "cc/args.h"
#include "cc/compiler.h"

/* For one source; NULL where the compiler's command has no such option. */
struct side_names {
	char *depend_file;
	char *depend_target;
	char *dump_dir;
	char *dump_base;
	char *dump_extension;
	char *coverage_notes;
	char *coverage_data;
};

struct side_files {
	VEC(struct side_names) of; /* one for each compiled source, in order */
};

int side_files_query(struct side_files *s, const struct compiler *c, const struct cc_args *a,
		     struct err *err);
/* The names of a source, by its number; NULL if they were not queried. */
const struct side_names *side_files_of(const struct side_files *s, size_t number);
/* Flags for a separate compile step that give its side files these names. */
void side_names_flags(const struct side_names *n, const struct cc_args *a, const struct compiler *c,
		      struct words *out);
void side_files_release(struct side_files *s);

#endif
