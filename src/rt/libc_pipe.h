/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Descriptors whose other end is in this process: pipes and the like.  A read of an empty one would put all
 * fibers to sleep, also the one that is going to write; so the thread waits in virtual time, and others run.
 */
#ifndef HEDDLE_RT_LIBC_PIPE_H
#define HEDDLE_RT_LIBC_PIPE_H

#include "rt/rt.h"

void pipe_made(int fd);			/* both ends are ours */
void pipe_same(int fd, int as);		/* a duplicate */
void pipe_closed(int fd);
/* Before a call that would sleep until `events` of poll: returns when it will not, or nobody else can run. */
void pipe_wait(int fd, short events, pc_t pc);

#endif
