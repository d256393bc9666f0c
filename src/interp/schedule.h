/* SPDX-License-Identifier: Apache-2.0 */
/* Which thread runs next. */
#ifndef HEDDLE_INTERP_SCHEDULE_H
#define HEDDLE_INTERP_SCHEDULE_H

#include "interp/machine.h"

void thread_free(struct thread *t);
/* Decide which thread is the current one; false if none can run: the execution has ended. */
bool schedule_next(struct machine *m);
/* Before an operation that other threads can notice: true if a decision comes first.  The
 * operation is then executed again when the thread continues. */
bool schedule_switch(struct machine *m, struct thread *t);

#endif
