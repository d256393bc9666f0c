/* SPDX-License-Identifier: Apache-2.0 */
/* Inspection of a program's file before the program is run. */
#ifndef HEDDLE_BINARY_PROGRAM_H
#define HEDDLE_BINARY_PROGRAM_H

#include <stdbool.h>

#include "base/err.h"
#include "binary/image.h"
#include "base/words.h"
#include "binary/unseen.h"
#include "wire/nondet.h"

/* Which runtime is linked into a program. */
enum program_runtime { PROGRAM_NO_RUNTIME, PROGRAM_FOR_EXPLORATION, PROGRAM_FOR_RUN };

struct program_info {
	char build_id[IMAGE_BUILD_ID_SIZE]; /* hex, "" if there is none */
	/* functions of the C library that wire/libc.def does not list */
	struct words unclassified;
	struct words refused; /* listed as REFUSED and used by the program */
	struct words needed;  /* shared libraries */
	struct unseen unseen;
	struct nondet_table nondet; /* values to try for nondeterministic inputs */
};

/*
 * Inspect an executable that is to be explored.  Errors, each with one sentence: ERR_IO (no such
 * file, cannot be read), ERR_PROGRAM (not executable, a script, not ELF, 32-bit, static, not built
 * by heddle, or built by another version or for `heddle run` only).  The caller releases info in
 * any case.
 */
int program_inspect(const char *path, struct program_info *info, struct err *err);
/*
 * Which runtime the file of a command has; none is no error, and neither is a script.  Errors:
 * ERR_IO, ERR_PROGRAM (not executable).
 */
int program_look(const char *path, enum program_runtime *runtime, struct err *err);
void program_info_release(struct program_info *info);

/* The same lists for a linked file in memory, executable or shared library. */
void program_collect_imports(const struct image *img, struct program_info *info);
enum program_runtime program_runtime(const struct image *img);

#endif
