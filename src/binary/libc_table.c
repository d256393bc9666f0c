/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reader of the list of C library functions.  The rows are sorted, so a name is found by
 * bisection; a unit test checks the order.
 */
#include "binary/libc_table.h"

#include <stdlib.h>
#include <string.h>

struct row {
	const char *name;
	enum libc_class class;
};

static const struct row rows[] = {
#define LIBC(name, CLASS) { #name, LIBC_##CLASS },
#include "wire/libc.def"
#undef LIBC
};

static int compare(const void *name, const void *row)
{
	return strcmp(name, ((const struct row *)row)->name);
}

enum libc_class libc_class(const char *name)
{
	const struct row *r =
		bsearch(name, rows, sizeof(rows) / sizeof(*rows), sizeof(*rows), compare);
	return r ? r->class : LIBC_UNKNOWN;
}

bool libc_is_library(const char *file_name)
{
	static const char *const names[] = {
		"libc.so.",	 "libm.so.",	"libpthread.so.",
		"libdl.so.",	 "librt.so.",	"ld-linux-x86-64.so.",
		"libresolv.so.", "libutil.so.", "libanl.so.",
		"libmvec.so.",
	};
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strncmp(file_name, names[i], strlen(names[i])))
			return true;
	return false;
}
