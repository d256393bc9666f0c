/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where tool and program run.  They take turns many thousand times in a second, and on two processors each
 * turn would wait until the other one is awake, which takes longer than most executions, above all on virtual
 * machines: both stay on the same processor.  Which one that is the kernel decides, who is asked again a few
 * times in a second, and for longer if others want the same, so that two searches do not share one while
 * another is idle.  Several workers of one search divide the processors among themselves.
 */
#ifndef HEDDLE_EXEC_PROCESSOR_H
#define HEDDLE_EXEC_PROCESSOR_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct processor {
	int share;		/* this processor of all, from 0; -1: the kernel decides */
	bool is_chosen;
	cpu_set_t one;		/* chosen, for tool and program */
	uint32_t left;		/* turns before the clock is looked at; UINT32_MAX: nothing to choose */
	uint64_t since, until;	/* ns, of the present choice; since 0: there was none yet */
	uint64_t used;		/* by both, until then */
};

/* Processors that the tool may use, as it found them; none: it cannot be told. */
const cpu_set_t *processors_all(void);
/* `worker` of `workers`, from 0. */
void processor_init(struct processor *p, unsigned worker, unsigned workers);
/*
 * The calling thread is about to take turns with the process, which may be 0: not started yet.  Unless that
 * works itself, and not processes that it forks, whether others want the processor cannot be told.
 */
void processor_choose(struct processor *p, pid_t program, bool works_itself);
/* The process has just begun, anywhere. */
void processor_follow(const struct processor *p, pid_t program);
/* The calling thread may run anywhere again. */
void processor_leave(struct processor *p);

#endif
