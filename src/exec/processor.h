/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Processor affinity of tool and program.  They alternate many thousand times per second.  On two
 * processors each turn would have to wake the other processor, which takes longer than most
 * executions, above all on virtual machines.  So both run on the same processor.  The kernel's
 * scheduler chooses it: the affinity is lifted briefly a few times per second, and for longer if
 * other processes compete for the processor, so that two searches do not share one processor
 * while another is idle.  Several workers of one search divide the processors among themselves.
 *
 * The program's reads of the time stamp counter fault (rt/processor.c).  The kernel writes a
 * control register at each switch between a thread with this setting and one without, and a machine
 * that is virtual leaves to its host for that: two such switches took longer than the execution
 * between them.  So the thread that takes turns with the program has the setting, too.  The tool's
 * clocks are read by system calls (base/clock.c).  For whatever else reads the counter a signal
 * handler lifts the setting, until the next choice.
 */
#ifndef HEDDLE_EXEC_PROCESSOR_H
#define HEDDLE_EXEC_PROCESSOR_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct processor {
	int share; /* index of a fixed processor, from 0; -1: the kernel decides */
	bool is_chosen;
	cpu_set_t one;	       /* the chosen processor */
	bool is_fixed;	       /* there is no choice */
	uint32_t left;	       /* calls before the clock is read again */
	uint64_t since, until; /* ns, of the current choice; since 0: there was none yet */
	uint64_t used;	       /* processor time of both at `since` */
};

/* The processors that the tool may use, from its initial affinity; empty: unknown. */
const cpu_set_t *processors_all(void);
/* `worker` of `workers`, from 0. */
void processor_init(struct processor *p, unsigned worker, unsigned workers);
/*
 * Set the affinity of the calling thread and the process (0: not started yet) before an
 * execution. works_itself: the process runs executions itself, not in processes that it forks;
 * only then competition can be detected.
 */
void processor_choose(struct processor *p, pid_t program, bool works_itself);
/* Whether the calling thread, and what it starts, may read the time stamp counter.  Closed by
 * processor_choose() for works_itself, open again after processor_leave(). */
void processor_close_counter(void);
void processor_open_counter(void);
/* Apply the current choice to a process that was just started. */
void processor_follow(const struct processor *p, pid_t program);
/* The calling thread may run anywhere again. */
void processor_leave(struct processor *p);

#endif
