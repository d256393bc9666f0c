/* SPDX-License-Identifier: Apache-2.0 */
/* What each thread has of its calls into libc (libc_wrap.h). */
#ifndef HEDDLE_RT_LIBC_THREAD_H
#define HEDDLE_RT_LIBC_THREAD_H

#include "rt/rt.h"

#define LIBC_CALLS 16

struct library_calls {
	/* stack pointers of the outermost calls into libc, of g.no_preempt */
	uintptr_t sp[LIBC_CALLS];
	/* inside a function of stdio: its stream if it is locked meanwhile */
	void *stream;
	bool in_stream;
	bool were_made;	       /* a function of libc was called, or a system call was made */
	uint32_t random_calls; /* requests for random bytes so far */
	pc_t by_number;	       /* where syscall() was called, which has called a wrapper */
};

/* By a jump or an exception out of a callback: the calls in frames below sp end. */
void libc_calls_left(uintptr_t sp);

#endif
