/* SPDX-License-Identifier: Apache-2.0 */
/* The end of the program where the library cannot continue; see fail.h. */
#include "omp/fail.h"

#include <stdio.h>
#include <stdlib.h>

#include "omp/hooks.h"

void heddle_omp_fail(const char *what)
{
	fprintf(stderr, "heddle: the OpenMP library cannot %s\n", what);
	abort();
}

void *heddle_omp_allocate(size_t size)
{
	void *p = calloc(1, size);
	if (!p)
		heddle_omp_fail("allocate memory");
	return p;
}

/* #pragma omp error at(execution) */
OMP_EXPORT void GOMP_warning(const char *message, size_t length);
OMP_EXPORT void GOMP_error(const char *message, size_t length);

OMP_EXPORT void GOMP_warning(const char *message, size_t length)
{
	if (message)
		fprintf(stderr, "error directive encountered: %.*s\n", (int)length, message);
	else
		fputs("error directive encountered\n", stderr);
}

OMP_EXPORT void GOMP_error(const char *message, size_t length)
{
	GOMP_warning(message, length);
	exit(EXIT_FAILURE);
}
