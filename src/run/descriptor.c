/* SPDX-License-Identifier: Apache-2.0 */
/* See descriptor.h. */
#include <signal.h>
#include <sys/signalfd.h>

#include "run/descriptor.h"
#include "run/files.h"
#include "run/start.h"
#include "run/wrap.h"

#define DESCRIPTORS 65536

struct descriptor {
	struct use close; /* epoch 0: open */
	uint16_t close_slot;
	uint16_t channel; /* 0: not asked yet */
};

static struct descriptor *descriptors;

/* Descriptors stand in the table of objects under addresses that no memory has. */
static uintptr_t address_of(int fd)
{
	return 64 * (uintptr_t)(unsigned)fd + 0x10000000000ull;
}

static struct descriptor *entry_of(int fd)
{
	if (fd < 0 || fd >= DESCRIPTORS || fd == start_fd)
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

bool descriptor_is_followed(int fd)
{
	return g.options.finds_fd && entry_of(fd);
}

void descriptor_forget(int fd)
{
	struct descriptor *d = run_self ? entry_of(fd) : NULL;
	if (!d)
		return;
	sync_forget(address_of(fd), 1);
	d->close.epoch = 0;
	d->channel = 0;
}

int descriptor_made(int fd)
{
	descriptor_forget(fd);
	return fd;
}

uint32_t descriptor_channel(int fd)
{
	struct descriptor *d = entry_of(fd);
	if (!d)
		return fd >= 0 && fd != start_fd ? channel_of_inode(fd, CHANNEL_INODES)
						 : CHANNEL_NONE;
	if (!d->channel)
		d->channel = (uint16_t)channel_of_inode(fd, CHANNEL_INODES);
	return d->channel;
}

void descriptor_use(struct thr *t, int fd, uintptr_t pc)
{
	if (!g.is_parallel || !descriptor_is_followed(fd))
		return;
	struct sync *s = sync_get(t, address_of(fd), SYNC_OTHER);
	if (!s)
		return;
	sync_use(t, s, ACT_USE, stack_now(t, pc));
	sync_put(s);
}

/* It is judged before it is done, so that nobody can have been given the number again. */
void descriptor_close(struct thr *t, int fd, uint32_t stack)
{
	struct descriptor *d = entry_of(fd);
	if (!d)
		return;
	if (g.is_parallel) {
		/* the reader at the other end sees the end */
		channel_send(t, descriptor_channel(fd));
		files_will_close(t, fd);
	}
	d->channel = 0;
	if (!g.options.finds_fd)
		return;
	sync_end_as(t, address_of(fd), (uintptr_t)fd, FINDING_CLOSE_IN_USE, ACT_CLOSE, stack);
	sync_forget(address_of(fd), 1);
	d->close = (struct use){ t->epoch, stack, 0, ACT_CLOSE };
	d->close_slot = t->slot;
}

bool descriptor_is_closed(int fd)
{
	const struct descriptor *d = entry_of(fd);
	return d && d->close.epoch;
}

void descriptor_close_again(struct thr *t, int fd, uint32_t stack)
{
	struct descriptor *d = entry_of(fd);
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
	if (!g.is_parallel)
		return;
	uint32_t channel = descriptor_channel(fd);
	channel_send(t, channel);
	files_changed(t, channel);
}

/* What a signalfd returns are signals; no other descriptor of events has records of this size. */
static void receive_signals(struct thr *t, const void *from, size_t n)
{
	const struct signalfd_siginfo *info = from;
	for (; n >= sizeof(*info); n -= sizeof(*info), info++)
		signal_receive(t, (int)info->ssi_signo);
}

void descriptor_read(struct thr *t, int fd, void *to, ssize_t n, uintptr_t pc)
{
	if (n >= 0 && g.is_parallel) {
		uint32_t channel = descriptor_channel(fd);
		channel_receive(t, channel);
		if (channel == CHANNEL_EVENTS && n &&
		    !((size_t)n % sizeof(struct signalfd_siginfo)))
			receive_signals(t, to, (size_t)n);
	}
	if (n > 0)
		access_range(t, (uintptr_t)to, (size_t)n, CELL_WRITE, pc);
}
