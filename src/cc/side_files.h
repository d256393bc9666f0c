/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of files that a compiler writes beside its output (dependencies, coverage notes, saved temporaries)
 * when one command compiles and links.  They derive from the name of the program in ways that differ
 * between compilers and versions, so the compiler is asked: with -### it prints the commands it would run,
 * and the names stand in them.
 */
#ifndef HEDDLE_CC_SIDE_FILES_H
#define HEDDLE_CC_SIDE_FILES_H

#include "base/err.h"
#include "cc/args.h"
#include "cc/compiler.h"

/* For one source; NULL where the compiler's command does not say. */
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
	VEC(struct side_names) of;	/* one for each compiled source, in order */
};

int side_files_ask(struct side_files *s, const struct compiler *c, const struct cc_args *a, struct err *err);
/* Of the source with this number; NULL if nothing was asked. */
const struct side_names *side_files_of(const struct side_files *s, size_t number);
/* Flags for a separate compile step that give its side files these names. */
void side_names_flags(const struct side_names *n, const struct cc_args *a, const struct compiler *c,
		      struct words *out);
void side_files_release(struct side_files *s);

#endif
