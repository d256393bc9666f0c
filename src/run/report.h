/* SPDX-License-Identifier: Apache-2.0 */
/* Messages to the tool, one for each finding, as text (wire/run.h). */
#ifndef HEDDLE_RUN_REPORT_H
#define HEDDLE_RUN_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void report_hello(const char *how);
bool is_benign(uintptr_t address,
	       size_t size); /* annotate.c: the program declares races there as benign */

#endif
