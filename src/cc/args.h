/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A compiler command line, parsed as far as the driver needs: the mode, the inputs, and which
 * words belong to compiling, to linking or to both.  Everything else is passed on unchanged.
 */
#ifndef HEDDLE_CC_ARGS_H
#define HEDDLE_CC_ARGS_H

#include <stdbool.h>

#include "base/err.h"
#include "base/words.h"

enum cc_mode {
	CC_PASS,       /* a query to the compiler: run it with the same words */
	CC_PREPROCESS, /* -E, -M, -MM */
	CC_COMPILE,    /* -c, -S, -fsyntax-only, a precompiled header */
	CC_LINK,       /* an executable, a shared library, a relocatable object */
};

enum cc_role {
	ROLE_BOTH, /* an option of every step; also everything unknown */
	ROLE_COMPILE,
	ROLE_LINK,
	/* -MD and the like: compile steps only; see side_files.h for split commands */
	ROLE_DEPEND,
	ROLE_OUTPUT,   /* -o */
	ROLE_LANGUAGE, /* -x: already applied to the inputs that follow it */
	ROLE_OURS,     /* --heddle-... */
	ROLE_INPUT,
};

enum cc_input {
	INPUT_C,      /* gets hooks */
	INPUT_HEADER, /* to be precompiled */
	INPUT_ASSEMBLER,
	INPUT_OTHER,  /* another language, selected by -x */
	INPUT_LINKER, /* object, library, linker script */
};

struct cc_word {
	enum cc_role role;
	char *text;
	char *value;	     /* the next word, if it is the option's value; else NULL */
	enum cc_input input; /* of ROLE_INPUT */
	char *language;	     /* of ROLE_INPUT: the -x in force, or NULL */
};

struct cc_args {
	VEC(struct cc_word) words; /* response files expanded */
	enum cc_mode mode;
	const char *output; /* value of -o, NULL if absent; owned by words */
	size_t sources;	    /* inputs that are compiled */
	size_t c_sources;   /* inputs that get hooks */
	bool is_shared;
	bool is_relocatable;
	bool has_no_libc; /* -nostdlib and the like, without an explicit -lc */
	bool is_freestanding;
	bool is_quiet;	     /* -w or HEDDLE_QUIET=1 */
	bool is_verbose;     /* --heddle-verbose */
	bool is_strict;	     /* -Werror in some form */
	bool is_for_run;     /* --for=run: for `heddle run` instead of exploration */
	bool has_bitcode;    /* --bitcode: objects carry their bitcode */
	const char *purpose; /* the word after --for=, NULL if absent; owned by words */
	bool has_lto;
	const char *openmp; /* the option that asks for OpenMP, NULL if absent; owned by words */
	/* options that write files whose names derive from the output's */
	bool has_side_files;
};

/* Errors: ERR_USAGE for options that heddle does not support (another sanitizer, -static, -m32). */
int cc_args_parse(struct cc_args *a, int argc, char **argv, struct err *err);
void cc_args_release(struct cc_args *a);

#endif
