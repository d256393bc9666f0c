/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The compiler that `heddle cc` and `heddle c++` run: its detection, and the flags for
 * instrumentation.
 */
#ifndef HEDDLE_CC_COMPILER_H
#define HEDDLE_CC_COMPILER_H

#include "base/err.h"
#include "base/process.h"
#include "base/words.h"

enum compiler_family { COMPILER_GCC, COMPILER_CLANG };

/* The two drivers of a family differ in the libraries that they link and in the language of a .c
 * file. */
enum compiler_driver { DRIVER_C, DRIVER_CXX };

struct compiler {
	struct words command; /* as given by HEDDLE_CC or HEDDLE_CXX: `gcc`, `ccache gcc` */
	enum compiler_family family;
	int major; /* version number up to the first dot; 0 if it could not be read */
	enum compiler_driver driver;
	char *headers;	   /* directory of heddle's own headers for programs */
	char *cxx_headers; /* directory of headers that precede libstdc++'s */
};

/*
 * Choose the compiler by HEDDLE_CC (default gcc) or HEDDLE_CXX (default g++), and detect its
 * family and version.  Errors: ERR_IO, ERR_SUPPORT (neither family).
 */
int compiler_detect(struct compiler *c, enum compiler_driver driver, struct err *err);
void compiler_release(struct compiler *c);
/* Begin a command line. */
void compiler_add_command(const struct compiler *c, struct words *argv);

/* Flags that affect the preprocessor; part of compiler_hook_flags(). */
void compiler_preprocess_flags(const struct compiler *c, struct words *out);
/* All flags of an instrumented compilation.  is_strict: the user turns warnings into errors. */
void compiler_hook_flags(const struct compiler *c, bool is_strict, struct words *out);
/* Flags of a compilation for `heddle run`: ThreadSanitizer's own. */
void compiler_run_flags(const struct compiler *c, bool is_preprocessed_only, struct words *out);

#endif
