/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "ring.h"

void record_set(struct record *record, unsigned thread, unsigned number, const char *fmt, ...)
{
	va_list ap;
	memset(record, 0, sizeof(*record));
	record->thread = thread;
	record->number = number;
	va_start(ap, fmt);
	vsnprintf(record->text, sizeof(record->text), fmt, ap);
	va_end(ap);
}
