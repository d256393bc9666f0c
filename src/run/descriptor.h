/* SPDX-License-Identifier: Apache-2.0 */
/*
 * File descriptors.  A descriptor is an object from the call that opened it to its close; close
 * does not commute with uses by other threads.  A descriptor whose opening was not seen
 * (inherited, or made by a function without a wrapper) is tracked from its first use on.
 */
#ifndef HEDDLE_RUN_DESCRIPTOR_H
#define HEDDLE_RUN_DESCRIPTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct thr;

/* A call has returned this descriptor, or -1; returns it. */
int descriptor_made(int fd);
/* The number has a new meaning, without a close that is checked. */
void descriptor_forget(int fd);
void descriptor_use(struct thr *t, int fd, uintptr_t pc);
uint32_t channel_of_descriptor(int fd);
void descriptor_made_pipe(const int fds[2]);
/* What is written is also sent to CHANNEL_OUTSIDE: another process may have the other end. */
bool descriptor_leads_outside(int fd);
/* Edges through what the descriptor stands for. */
void descriptor_send(struct thr *t, int fd);
void descriptor_receive(struct thr *t, int fd);
/*
 * The kernel passes on what is written to `from`, perhaps later, while the thread waits for it:
 * from now on a reader of `to` receives from both.
 */
void descriptor_moves(int from, int to);
void descriptor_close(struct thr *t, int fd, uint32_t stack);
bool descriptor_is_closed(int fd);
/* The kernel says that it is not open, and a close was seen. */
void descriptor_close_again(struct thr *t, int fd, uint32_t stack);
bool descriptor_is_tracked(int fd);

/* Before a call that writes n bytes, and after a call that read n bytes (-1: it failed). */
void descriptor_write(struct thr *t, int fd, const void *from, size_t n, uintptr_t pc);
void descriptor_read(struct thr *t, int fd, void *to, ssize_t n, uintptr_t pc);

#endif
