/* SPDX-License-Identifier: Apache-2.0 */
/* Messages to the tool, one for each finding, as text (wire/run.h). */
#ifndef HEDDLE_RUN_REPORT_H
#define HEDDLE_RUN_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/finding.h"

struct thr;

void report_hello(const char *how);
/* The thread has ended and was not joined. */
void report_leak(uint32_t uid, uint32_t creator);
/*
 * The handler that the thread runs calls this function, or has changed errno (`function` is NULL).
 * `pc` is where, in the handler.
 */
void report_handler(struct thr *t, const char *function, uintptr_t pc);
/*
 * What every thread does, in a process that ends now: all others are stopped for good.  `first`,
 * if it is not NULL, is why.  The number is that of a signal.
 */
struct state_report {
	enum finding_kind kind;
	const char *text; /* NULL: none */
	uintptr_t address;
	unsigned number;
	struct thr *first;
};
void report_state(const struct state_report *s);
/* Each thread waits for a lock that the next one holds, the last one for one of the first. */
void report_cycle(struct thr *const *threads, unsigned n);
bool is_benign(uintptr_t address,
	       size_t size); /* annotate.c: the program declares races there as benign */

#endif
