/* SPDX-License-Identifier: Apache-2.0 */
/* Error sentences and the reaction to broken invariants; see err.h. */
#include "base/err.h"

#include <stdio.h>
#include <stdlib.h>

int err_set(struct err *err, enum err_code code, const char *fmt, ...)
{
	if (err) {
		va_list ap;
		va_start(ap, fmt);
		vsnprintf(err->text, sizeof(err->text), fmt, ap);
		va_end(ap);
	}
	return -(int)code;
}

int err_exit_status(int negated)
{
	switch (-negated) {
#define ERROR(number, NAME, status) \
	case number:                \
		return status;
#include "base/errors.def"
#undef ERROR
	}
	return 70;
}

void err_bug(const char *file, int line, const char *what)
{
	fprintf(stderr, "heddle: internal error at %s:%d: %s\n", file, line, what);
	exit(70);
}
