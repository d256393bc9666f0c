/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Errors.  A fallible function returns 0 or a negated code of errors.def; one at a user or file
 * boundary also fills a struct err with one complete sentence: what, where, which byte or line.
 * The error path allocates nothing.
 */
#ifndef HEDDLE_ERR_H
#define HEDDLE_ERR_H

#include <stdarg.h>

enum err_code {
#define ERROR(number, NAME, status) ERR_##NAME = number,
#include "base/errors.def"
#undef ERROR
};

struct err {
	char text[1024];
};

/* Fill err (which may be NULL) and return -code. */
int err_set(struct err *err, enum err_code code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The exit status that belongs to a negated code. */
int err_exit_status(int negated);

/* Invariants: always on.  A failed one prints where and exits with status 70. */
#define ASSERT(cond) ((cond) ? (void)0 : err_bug(__FILE__, __LINE__, #cond))
_Noreturn void err_bug(const char *file, int line, const char *what);

#endif
