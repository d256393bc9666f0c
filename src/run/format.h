/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that functions like printf access through their arguments. */
#ifndef HEDDLE_RUN_FORMAT_H
#define HEDDLE_RUN_FORMAT_H

#include <stdarg.h>
#include <stdint.h>

struct thr;

/* The format and the strings that it prints are read. */
void format_access(struct thr *t, const char *format, va_list ap, uintptr_t pc);

#endif
