/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Timers that send signals or start threads (timer.c).
 *
 * They belong to a thread of the runtime, which exists from the first time that a timer is set.
 * It sleeps until a timer is due, and then does what the timer is for.  So when that happens is
 * part of the schedule, recorded and replayed like every other step of a thread.
 */
#ifndef HEDDLE_RT_TIMER_H
#define HEDDLE_RT_TIMER_H

#include "rt/rt.h"

struct thread;

/*
 * To the scheduler: the thread of timers if it sleeps and time has come, on the clock of the
 * running thread or by the number of hooks.  Otherwise it wakes only when no other thread can
 * continue.
 */
struct thread *timer_due(void);
uint64_t timer_first_due(void); /* on the virtual clock; NO_DEADLINE: no timer is set */
bool timer_has_thread(void);	/* one of the live threads is not the program's */

#endif
