/* SPDX-License-Identifier: Apache-2.0 */
/* Signals that end the process because the program does not handle them: crashes and aborts. */
#ifndef HEDDLE_RUN_CRASH_H
#define HEDDLE_RUN_CRASH_H

#include <signal.h>
#include <stdbool.h>

struct thr;

void crash_begin(void);			/* once, before the program runs */
void crash_begin_thread(struct thr *t); /* by the thread itself */
void crash_end_thread(struct thr *t);
bool crash_is_fatal(int number); /* one that is reported */
/* The handler that is installed in place of SIG_DFL, and whether an action is that one. */
struct sigaction crash_action(void);
bool crash_is_action(const struct sigaction *a);

#endif
