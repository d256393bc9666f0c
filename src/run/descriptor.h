/* SPDX-License-Identifier: Apache-2.0 */
/*
 * File descriptors.  One is an object of its own from the call that made it to its close; close
 * does not commute with uses by other threads.  A descriptor that was not seen to be opened
 * (inherited, or made by a function that is not here) is followed from its first use on.
 */
#ifndef HEDDLE_RUN_DESCRIPTOR_H
#define HEDDLE_RUN_DESCRIPTOR_H

#include <sys/types.h>

#include "run/channel.h"

/* A call has returned this descriptor, or -1; returns it. */
int descriptor_made(int fd);
/* It is no longer what it was, without a close that is judged. */
void descriptor_forget(int fd);
void descriptor_use(struct thr *t, int fd, uintptr_t pc);
uint32_t descriptor_channel(int fd);
void descriptor_close(struct thr *t, int fd, uint32_t stack);
bool descriptor_is_closed(int fd);
/* The kernel says that it is not open, and we saw it closed. */
void descriptor_close_again(struct thr *t, int fd, uint32_t stack);
bool descriptor_is_followed(int fd);

/* Data goes out, before the call, and comes in, after it; `n` bytes, less than 0: nothing has come.
 */
void descriptor_write(struct thr *t, int fd, const void *from, size_t n, uintptr_t pc);
void descriptor_read(struct thr *t, int fd, void *to, ssize_t n, uintptr_t pc);

#endif
