/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hard edges through the kernel: what a thread did before it gave something to the kernel is
 * before what another thread does after it received that.  A channel is the object of such edges.
 * Where two things share a channel there is more order, never less.
 *
 * The channel of data is the inode of its descriptor.  Both ends of a pipe have the same inode,
 * and so have duplicates of a descriptor, descriptors that were sent through a socket, and files
 * and FIFOs that were opened several times.  All sockets share a channel, and so do all
 * descriptors without an inode of their own (eventfd, timerfd, signalfd, inotify, epoll).
 *
 * Another process may receive something and answer elsewhere: a helper reads from one pipe and
 * writes to another one.  So what can leave the process is also sent to one channel for all of
 * that, and what can come from outside is received from it.  These are System V and POSIX queues,
 * semaphores that processes share, and pipes that others may have: those that this process did not
 * make itself, and all as soon as it has created a child.
 */
#ifndef HEDDLE_RUN_CHANNEL_H
#define HEDDLE_RUN_CHANNEL_H

#include <stdbool.h>
#include <stdint.h>

struct thr;

#define CHANNEL_HASH 1024u

enum channel {
	CHANNEL_NONE, /* not a descriptor */
	CHANNEL_SOCKETS,
	CHANNEL_EVENTS, /* descriptors of events */
	/* timers, queues and requests, notified by a signal or in a thread */
	CHANNEL_NOTICES,
	CHANNEL_CHILDREN,     /* from a fork to the wait for the child */
	CHANNEL_EPOLL,	      /* from epoll_ctl to epoll_wait */
	CHANNEL_OUTSIDE,      /* what other processes may pass on: they are not followed */
	CHANNEL_SIGNALS,      /* by number */
	CHANNEL_INODES = 128, /* data */
	CHANNEL_FILE_LOCKS = CHANNEL_INODES + CHANNEL_HASH, /* by inode */
	CHANNEL_NAMES = CHANNEL_FILE_LOCKS + CHANNEL_HASH,  /* by the last part of a path */
	CHANNEL_IPC = CHANNEL_NAMES + CHANNEL_HASH,	    /* System V, by identity */
	CHANNELS = CHANNEL_IPC + CHANNEL_HASH
};

/* No effect while there is only one thread. */
void channel_send(struct thr *t, uint32_t channel);
void channel_receive(struct thr *t, uint32_t channel);

/* From now on other processes may have the pipes of this one. */
void channel_has_others(void);
bool channel_are_others(void);

/* By fstat; descriptors cache it (descriptor.h). */
uint32_t channel_of_inode(int fd, uint32_t base);
uint32_t channel_of_name(const char *path);
static inline uint32_t channel_of_number(uint32_t base, int number)
{
	return base + (uint32_t)number % CHANNEL_HASH;
}

#endif
