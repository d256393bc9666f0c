/* SPDX-License-Identifier: Apache-2.0 */
/* Messages to the tool, one for each finding, as text (wire/run.h). */
#ifndef HEDDLE_RUN_REPORT_H
#define HEDDLE_RUN_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct thr;

void report_hello(const char *how);
/* Each thread waits for a lock that the next one holds, the last one for one of the first. */
void report_cycle(struct thr *const *threads, unsigned n);
bool is_benign(uintptr_t address,
	       size_t size); /* annotate.c: the program declares races there as benign */

#endif
