/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signals of the program: handlers are deferred while the runtime is in the middle of a change
 * (guard.h, hazard.h), and the order from sending to handling is recorded (wrap_signal.c).
 */
#ifndef HEDDLE_RUN_SIGNALS_H
#define HEDDLE_RUN_SIGNALS_H

#include <stdint.h>

#define PENDING_MAX 4

struct thr;

void signals_begin(struct thr *t);
void signals_deliver(struct thr *t); /* runs the handlers that were deferred */
void signal_receive(struct thr *t, int number);
/* The thread leaves by longjmp, perhaps out of a handler. */
void signals_jump(struct thr *t);
/* A function is called that is not async-signal-safe. */
void signals_unsafe_call(struct thr *t, const char *function, uintptr_t pc);

#define UNSAFE_CALL(t, function, pc)                          \
	do {                                                  \
		if (unlikely((t) && (t)->handling.number))    \
			signals_unsafe_call(t, function, pc); \
	} while (0)

#endif
