/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signals of the program: handlers are deferred while the runtime is in the middle of a change
 * (guard.h, hazard.h), and the order from sending to handling is recorded (wrap_signal.c).
 */
#ifndef HEDDLE_RUN_SIGNALS_H
#define HEDDLE_RUN_SIGNALS_H

#define PENDING_MAX 4

struct thr;

void signals_begin(struct thr *t);
void signals_deliver(struct thr *t); /* runs the handlers that were deferred */
void signal_receive(struct thr *t, int number);

#endif
