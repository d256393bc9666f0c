/* SPDX-License-Identifier: Apache-2.0 */
/* The beginning and the end of control over the process; see start.c. */
#ifndef HEDDLE_RT_START_H
#define HEDDLE_RT_START_H

#include "rt/rt.h"

bool rt_owns_code(uintptr_t pc); /* is this an instruction of the runtime? */
/* at once, by a raw system call */
void rt_end_process(int status) __attribute__((noreturn));
void rt_give_up_control(void);		      /* the rest of the program runs uncontrolled */
void rt_stop(void) __attribute__((noreturn)); /* the run ends here because of a finding */
void rt_detach_session(void);		      /* in a child: the run is that of the parent alone */
void rt_announce_exec(pc_t pc);		      /* another program replaces this one */

/* For executions that begin again in place (explore_snapshot.c). */
void rt_mark(void); /* note the variables of the main thread, and arguments */
void rt_run_program(void) __attribute__((noreturn)); /* from its main on */

#endif
