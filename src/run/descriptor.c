/* SPDX-License-Identifier: Apache-2.0 */
/* File descriptors as objects of the analysis; see descriptor.h. */
#include "run/descriptor.h"

#include <signal.h>
#include <sys/signalfd.h>

#include "run/channel.h"
#include "run/files.h"
#include "run/found.h"
#include "run/guard.h"
#include "run/history.h"
#include "run/memory.h"
#include "run/object.h"
#include "run/run.h"
#include "run/shadow.h"
#include "run/signals.h"
#include "run/thr.h"

#define DESCRIPTORS 65536

struct descriptor_entry {
	struct use close; /* epoch 0: open */
	uint16_t close_slot;
	uint16_t channel; /* 0: not known yet */
};

static struct descriptor_entry *descriptors;

/* A descriptor is an object (object.h) at an address that no memory has. */
static uintptr_t address_of(int fd)
{
	return 64 * (uintptr_t)(unsigned)fd + 0x10000000000ull;
}

static struct descriptor_entry *entry_of(int fd)
{
	if (fd < 0 || fd >= DESCRIPTORS)
		return NULL;
	if (!__atomic_load_n(&descriptors, __ATOMIC_ACQUIRE)) {
		static uint32_t lock;
		run_lock(&lock);
		if (!descriptors)
			__atomic_store_n(&descriptors, run_map(DESCRIPTORS * sizeof(*descriptors)),
					 __ATOMIC_RELEASE);
		run_unlock(&lock);
	}
	return &descriptors[fd];
}

bool descriptor_is_tracked(int fd)
{
	return run_state.options.finds_fd && entry_of(fd);
}

void descriptor_forget(int fd)
{
	struct descriptor_entry *d = run_self ? entry_of(fd) : NULL;
	if (!d)
		return;
	object_remove(address_of(fd), 1);
	d->close.epoch = 0;
	d->channel = 0;
}

int descriptor_made(int fd)
{
	descriptor_forget(fd);
	return fd;
}

uint32_t channel_of_descriptor(int fd)
{
	struct descriptor_entry *d = entry_of(fd);
	if (!d)
		return fd >= 0 ? channel_of_inode(fd, CHANNEL_INODES) : CHANNEL_NONE;
	if (!d->channel)
		d->channel = (uint16_t)channel_of_inode(fd, CHANNEL_INODES);
	return d->channel;
}

void descriptor_use(struct thr *t, int fd, uintptr_t pc)
{
	if (!run_state.is_parallel || !descriptor_is_tracked(fd))
		return;
	struct object *s = object_take(t, address_of(fd), OBJECT_OTHER);
	if (!s)
		return;
	object_use(t, s, ACT_USE, stack_now(t, pc));
	object_put(s);
}

/* Checked before the close: after it another thread may get the number. */
void descriptor_close(struct thr *t, int fd, uint32_t stack)
{
	struct descriptor_entry *d = entry_of(fd);
	if (!d)
		return;
	if (run_state.is_parallel) {
		/* the reader at the other end sees the end of file */
		channel_send(t, channel_of_descriptor(fd));
		files_before_close(t, fd);
	}
	d->channel = 0;
	if (!run_state.options.finds_fd)
		return;
	object_destroy_as(t, address_of(fd), (uintptr_t)fd, FINDING_CLOSE_IN_USE, ACT_CLOSE, stack);
	object_remove(address_of(fd), 1);
	d->close = (struct use){ t->epoch, stack, 0, ACT_CLOSE };
	d->close_slot = t->slot;
}

bool descriptor_is_closed(int fd)
{
	const struct descriptor_entry *d = entry_of(fd);
	return d && d->close.epoch;
}

void descriptor_close_again(struct thr *t, int fd, uint32_t stack)
{
	struct descriptor_entry *d = entry_of(fd);
	if (!d || !d->close.epoch)
		return;
	struct found f = { .kind = FINDING_DOUBLE_CLOSE,
			   .status = RUN_HAPPENED,
			   .address = (uintptr_t)fd,
			   .thr = t,
			   .act = ACT_CLOSE,
			   .epoch = t->epoch,
			   .stack = stack,
			   .past = { .slot = d->close_slot,
				     .epoch = d->close.epoch,
				     .act = ACT_CLOSE,
				     .stack = d->close.stack,
				     .address = (uintptr_t)fd } };
	run_found(&f);
}

void descriptor_write(struct thr *t, int fd, const void *from, size_t n, uintptr_t pc)
{
	descriptor_use(t, fd, pc);
	if (n)
		access_range(t, (uintptr_t)from, n, 0, pc);
	if (!run_state.is_parallel)
		return;
	uint32_t channel = channel_of_descriptor(fd);
	channel_send(t, channel);
	files_changed(t, channel);
}

/* A signalfd returns signals; no other event descriptor has records of this size. */
static void receive_signals(struct thr *t, const void *from, size_t n)
{
	const struct signalfd_siginfo *info = from;
	for (; n >= sizeof(*info); n -= sizeof(*info), info++)
		signal_receive(t, (int)info->ssi_signo);
}

void descriptor_read(struct thr *t, int fd, void *to, ssize_t n, uintptr_t pc)
{
	if (n >= 0 && run_state.is_parallel) {
		uint32_t channel = channel_of_descriptor(fd);
		channel_receive(t, channel);
		if (channel == CHANNEL_EVENTS && n &&
		    !((size_t)n % sizeof(struct signalfd_siginfo)))
			receive_signals(t, to, (size_t)n);
	}
	if (n > 0)
		access_range(t, (uintptr_t)to, (size_t)n, CELL_WRITE, pc);
}
