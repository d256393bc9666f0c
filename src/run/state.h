/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What every thread does, in a process that ends now: a crash (crash.c), or the tool's time is up.
 * Threads are stopped by a signal and never go on, so that what is said of them stays true.
 */
#ifndef HEDDLE_RUN_STATE_H
#define HEDDLE_RUN_STATE_H

#include <signal.h>
#include <ucontext.h>

#include "run/history.h"

/*
 * From now on the tool may ask.  Called again when libc may have replaced the handler, which it
 * does when the first thread is created.
 */
void state_answer_tool(void);
/* All threads but the calling one; one that does not stop in time is left running. */
void state_stop_others(void);
/* Where the thread was interrupted, and its calls, innermost first. */
unsigned state_frames(const struct thr *t, uintptr_t pcs[STACK_MAX]);
/* The calling thread, found without thread-local storage; NULL: it is not watched. */
struct thr *state_self(void);
void state_note_context(struct thr *t, const void *context);
void state_wait_for_end(void) __attribute__((noreturn));

#endif
