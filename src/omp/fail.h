/* SPDX-License-Identifier: Apache-2.0 */
/* What the library cannot do ends the program, with a sentence. */
#ifndef HEDDLE_OMP_FAIL_H
#define HEDDLE_OMP_FAIL_H

#include <stddef.h>

/* "heddle: the OpenMP library cannot ..." */
_Noreturn void heddle_omp_fail(const char *what);
/* Memory that is zero. */
void *heddle_omp_allocate(size_t size);

#endif
