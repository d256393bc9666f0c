/* SPDX-License-Identifier: Apache-2.0 */
/* Findings of a run, fatal signals among them (failure.c). */
#ifndef HEDDLE_RT_FAILURE_H
#define HEDDLE_RT_FAILURE_H

#include <signal.h>

#include "rt/rt.h"

enum failure_number {
#define FAILURE(number, NAME, KIND, does, sentence) FAIL_##NAME = number,
#include "wire/finding.def"
};

void failure_init(void);
/* handlers of the calling OS thread get a stack of their own */
void failure_alternate_stack(void);
/* the handler of fatal signals */
void failure_on_signal(int signal, siginfo_t *info, void *context);
/* an event; the run continues */
void rt_finding(unsigned failure, uintptr_t obj, uint64_t detail, pc_t pc);
void rt_finding_text(unsigned failure, const char *text, pc_t pc);
void rt_fail(unsigned failure, uintptr_t obj, uint64_t detail, pc_t pc) __attribute__((noreturn));

#endif
