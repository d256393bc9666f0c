/* SPDX-License-Identifier: Apache-2.0 */
/* See channel.h.  Channels stand in the table of objects under addresses that no memory has. */
#include <sys/stat.h>
#include <sys/syscall.h>

#include "run/channel.h"

static uintptr_t address_of(uint32_t channel)
{
	return 0x11000000000ull + 64 * (uintptr_t)channel;
}

void channel_send(struct thr *t, uint32_t channel)
{
	struct sync *s =
		t && channel && g.is_parallel ? sync_get(t, address_of(channel), SYNC_OTHER) : NULL;
	if (!s)
		return;
	sync_send(t, s);
	sync_put(s);
}

void channel_receive(struct thr *t, uint32_t channel)
{
	struct sync *s = t && channel && g.is_parallel ? sync_find(t, address_of(channel)) : NULL;
	if (!s)
		return;
	sync_receive(t, s);
	sync_put(s);
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
