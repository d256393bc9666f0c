/* SPDX-License-Identifier: Apache-2.0 */
/* Words for wrappers of functions on descriptors; see WRAP in libc_wrap.h. */
#ifndef HEDDLE_RT_LIBC_FD_H
#define HEDDLE_RT_LIBC_FD_H

#include "rt/libc_wrap.h"

/* The kernel synchronises; inside the call it would be too late to wait for the buffer. */
#define USES(fd) (buffer_empty(), ev_sync(EV_USE, 0, 0, (uint64_t)(fd), 0, PC))
#define OPENED(fd) libc_opened(fd, PC)
#define MADE_TWO(ends) libc_made_two(result, ends, PC)
#define CANCEL_POINT thread_act_on_cancel(PC)
/* A wait that ended because the thread is asked to end has left nothing behind. */
#define CANCEL_IF_INTERRUPTED libc_cancel_if_interrupted(result < 0, PC)

static inline void libc_cancel_if_interrupted(bool failed, pc_t pc)
{
	if (failed && errno == EINTR)
		thread_act_on_cancel(pc);
}

int libc_opened(int fd, pc_t pc); /* event OPEN unless it failed; gives fd */
void libc_made_two(int result, const int *ends, pc_t pc);

/* Arrays of struct iovec and what they point to. */
void libc_read_vector(const struct iovec *parts, size_t count, pc_t pc);
void libc_vector_room(const struct iovec *parts, size_t count, pc_t pc);
void libc_wrote_vector(const struct iovec *parts, size_t count, ssize_t n, pc_t pc);

#endif
