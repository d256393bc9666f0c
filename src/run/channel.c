/* SPDX-License-Identifier: Apache-2.0 */
/* Edges through the kernel; see channel.h.  A channel is an object (object.h) at an address
 * that no memory has. */
#include "run/channel.h"

#include <sys/stat.h>
#include <sys/syscall.h>

#include "run/memory.h"
#include "run/object.h"
#include "run/run.h"

static uintptr_t address_of(uint32_t channel)
{
	return 0x11000000000ull + 64 * (uintptr_t)channel;
}

void channel_send(struct thr *t, uint32_t channel)
{
	struct object *s = t && channel && run_state.is_parallel
				   ? object_take(t, address_of(channel), OBJECT_OTHER)
				   : NULL;
	if (!s)
		return;
	object_send(t, s);
	object_put(s);
}

void channel_receive(struct thr *t, uint32_t channel)
{
	struct object *s =
		t && channel && run_state.is_parallel ? object_find(t, address_of(channel)) : NULL;
	if (!s)
		return;
	object_receive(t, s);
	object_put(s);
}

static uint32_t has_others;

void channel_has_others(void)
{
	__atomic_store_n(&has_others, 1, __ATOMIC_RELAXED);
}

bool channel_are_others(void)
{
	return __atomic_load_n(&has_others, __ATOMIC_RELAXED);
}

uint32_t channel_of_inode(int fd, uint32_t base)
{
	struct stat s;
	if (run_syscall(SYS_fstat, fd, (long)&s, 0, 0, 0, 0))
		return CHANNEL_NONE;
	if (S_ISSOCK(s.st_mode))
		return CHANNEL_SOCKETS;
	if (!(s.st_mode & S_IFMT))
		return CHANNEL_EVENTS;
	return base + (uint32_t)((s.st_ino * 0x9e3779b97f4a7c15ull) >> 32) % CHANNEL_HASH;
}

uint32_t channel_of_name(const char *path)
{
	uint32_t hash = 0;
	for (; *path; path++) {
		if (*path != '/')
			hash = (hash ^ (uint8_t)*path) * 16777619u;
		else if (path[1])
			hash = 0;
	}
	return CHANNEL_NAMES + hash % CHANNEL_HASH;
}
