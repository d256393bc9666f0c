/* SPDX-License-Identifier: Apache-2.0 */
/* File descriptors as objects of the analysis; see descriptor.h. */
#include "run/descriptor.h"

#include <signal.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>

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
	bool is_own_pipe; /* made by this process */
	bool is_pipe;	  /* known together with the channel */
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
	d->is_own_pipe = false;
}

int descriptor_made(int fd)
{
	descriptor_forget(fd);
	return fd;
}

void descriptor_made_pipe(const int fds[2])
{
	for (int i = 0; i < 2; i++) {
		struct descriptor_entry *d = entry_of(descriptor_made(fds[i]));
		if (d)
			d->is_own_pipe = true;
	}
}

static bool is_pipe(int fd)
{
	struct stat s;
	return !run_syscall(SYS_fstat, fd, (long)&s, 0, 0, 0, 0) && S_ISFIFO(s.st_mode);
}

uint32_t channel_of_descriptor(int fd)
{
	struct descriptor_entry *d = entry_of(fd);
	if (!d)
		return fd >= 0 ? channel_of_inode(fd, CHANNEL_INODES) : CHANNEL_NONE;
	if (!d->channel) {
		d->is_pipe = is_pipe(fd);
		d->channel = (uint16_t)channel_of_inode(fd, CHANNEL_INODES);
	}
	return d->channel;
}

bool descriptor_leads_outside(int fd)
{
	channel_of_descriptor(fd);
	const struct descriptor_entry *d = entry_of(fd);
	return d ? d->is_pipe && (!d->is_own_pipe || channel_are_others()) : fd >= 0 && is_pipe(fd);
}

void descriptor_send(struct thr *t, int fd)
{
	if (!t || !run_state.is_parallel)
		return;
	channel_send(t, channel_of_descriptor(fd));
	if (descriptor_leads_outside(fd))
		channel_send(t, CHANNEL_OUTSIDE);
}

/* Channels by one bit each: those that something was moved from, and to. */
static struct {
	uint32_t from[(CHANNELS + 31) / 32], to[(CHANNELS + 31) / 32];
	uint32_t has_any;
} moved;

static void set_bit(uint32_t *bits, uint32_t channel)
{
	__atomic_or_fetch(&bits[channel / 32], 1u << channel % 32, __ATOMIC_SEQ_CST);
}

void descriptor_moves(int from, int to)
{
	set_bit(moved.from, channel_of_descriptor(from));
	if (descriptor_leads_outside(from))
		set_bit(moved.from, CHANNEL_OUTSIDE);
	set_bit(moved.to, channel_of_descriptor(to));
	__atomic_store_n(&moved.has_any, 1, __ATOMIC_SEQ_CST);
}

/* What was moved several times is in `from` with each step. */
static void receive_moved(struct thr *t, uint32_t channel)
{
	if (!(__atomic_load_n(&moved.to[channel / 32], __ATOMIC_SEQ_CST) >> channel % 32 & 1))
		return;
	for (uint32_t i = 0; i < sizeof(moved.from) / sizeof(*moved.from); i++) {
		uint32_t bits = __atomic_load_n(&moved.from[i], __ATOMIC_SEQ_CST);
		for (; bits; bits &= bits - 1)
			channel_receive(t, 32 * i + (uint32_t)__builtin_ctz(bits));
	}
}

void descriptor_receive(struct thr *t, int fd)
{
	if (!t || !run_state.is_parallel)
		return;
	uint32_t channel = channel_of_descriptor(fd);
	channel_receive(t, channel);
	if (descriptor_leads_outside(fd))
		channel_receive(t, CHANNEL_OUTSIDE);
	if (unlikely(__atomic_load_n(&moved.has_any, __ATOMIC_RELAXED)))
		receive_moved(t, channel);
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
		descriptor_send(t, fd);
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
	descriptor_send(t, fd);
	files_changed(t, channel_of_descriptor(fd));
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
		descriptor_receive(t, fd);
		if (channel_of_descriptor(fd) == CHANNEL_EVENTS && n &&
		    !((size_t)n % sizeof(struct signalfd_siginfo)))
			receive_signals(t, to, (size_t)n);
	}
	if (n > 0)
		access_range(t, (uintptr_t)to, (size_t)n, CELL_WRITE, pc);
}
