/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mappings of the program.  Anonymous memory whose place the program leaves open comes from a
 * part of the arena, one piece after the other, so that its addresses are the same in every run;
 * it is never used twice, so a stale pointer faults.  Everything else is as the kernel decides.
 */
#include "rt/libc_wrap.h"
#include "rt/outside.h"
#include "rt/sync.h"
#include "rt/sys.h"
#include "wire/wire.h"

#define MAPPINGS \
	(ARENA_ARGS + 0x8000000000ull) /* up to ARENA_END; reserved with the rest of the arena */
#define PAGE 4096ull

static RT_STATE uintptr_t next_mapping;

static uintptr_t whole_pages(size_t n)
{
	return (n + PAGE - 1) & ~(PAGE - 1);
}

static bool is_own(uintptr_t p)
{
	return p >= MAPPINGS && p < ARENA_END;
}

static void *take(size_t n, int protection, int flags, int fd, off_t offset)
{
	if (!next_mapping)
		next_mapping = MAPPINGS;
	uintptr_t size = whole_pages(n);
	if (!n || size < n || size > ARENA_END - PAGE - next_mapping)
		return MAP_FAILED;
	void *p = REAL_FN(mmap)((void *)next_mapping, n, protection, flags | MAP_FIXED, fd, offset);
	if (p != MAP_FAILED)
		next_mapping += size + PAGE;
	return p;
}

RT_EXPORT void *mmap(void *where, size_t n, int protection, int flags, int fd, off_t offset)
{
	if (!libc_enter(PC))
		return REAL_FN(mmap)(where, n, protection, flags, fd, offset);
	void *p = MAP_FAILED;
	if (!where && !(flags & (MAP_GROWSDOWN | MAP_32BIT)))
		p = take(n, protection, flags, fd, offset);
	else
		p = REAL_FN(mmap)(where, n, protection, flags, fd, offset);
	if (p == MAP_FAILED)
		return p;
	ev_block(EV_ALLOC, (uintptr_t)p, n, 0, EVF_ZERO, PC);
	if (!(flags & MAP_ANONYMOUS) && protection & PROT_READ)
		rt_libc_wrote(p, outside_mapped(), PC);
	return p;
}

extern __typeof__(mmap) mmap64 LIBC_ALIAS(mmap);

RT_EXPORT int munmap(void *p, size_t n)
{
	if (!libc_enter(PC))
		return REAL_FN(munmap)(p, n);
	sync_forget((uintptr_t)p, whole_pages(n), PC);
	if (!is_own((uintptr_t)p) || (uintptr_t)p % PAGE || !n)
		return REAL_FN(munmap)(p, n);
	/* The addresses stay ours; the memory goes. */
	ev_block(EV_FREE, (uintptr_t)p, n, 0, 0, PC);
	int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
	return REAL_FN(mmap)(p, n, PROT_NONE, flags, -1, 0) == MAP_FAILED ? -1 : 0;
}

/*
 * A mapping of ours that has to grow moves to new addresses, as realloc does it, and its old ones
 * are not used again.  It shrinks, and others do all, as the kernel decides.
 */
static void *move(void *p, size_t old_size, size_t new_size, pc_t pc)
{
	void *to = take(new_size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (to == MAP_FAILED || (void *)sys6(SYS_mremap, (long)p, (long)old_size, (long)new_size,
					     MREMAP_MAYMOVE | MREMAP_FIXED, (long)to, 0) != to) {
		errno = ENOMEM;
		return MAP_FAILED;
	}
	REAL_FN(mmap)
	(p, old_size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
	sync_forget((uintptr_t)p, whole_pages(old_size), pc);
	ev_block(EV_FREE, (uintptr_t)p, old_size, 0, 0, pc);
	ev_block(EV_ALLOC, (uintptr_t)to, new_size, 0, EVF_ZERO, pc);
	rt_libc_wrote(to, old_size, pc);
	return to;
}

RT_EXPORT void *mremap(void *p, size_t old_size, size_t new_size, int flags, ...)
{
	va_list ap;
	va_start(ap, flags);
	void *where = flags & MREMAP_FIXED ? va_arg(ap, void *) : NULL;
	va_end(ap);
	if (!libc_enter(PC))
		return REAL_FN(mremap)(p, old_size, new_size, flags, where);
	if (is_own((uintptr_t)p) && flags == MREMAP_MAYMOVE && new_size > whole_pages(old_size) &&
	    old_size)
		return move(p, old_size, new_size, PC);
	void *to = REAL_FN(mremap)(p, old_size, new_size, flags, where);
	if (to != MAP_FAILED && new_size && to != p)
		rt_libc_wrote(to, old_size < new_size ? old_size : new_size, PC);
	return to;
}

RT_EXPORT int mprotect(void *p, size_t n, int protection)
{
	libc_enter(PC);
	return REAL_FN(mprotect)(p, n, protection);
}

RT_EXPORT int madvise(void *p, size_t n, int advice)
{
	if (!libc_enter(PC))
		return REAL_FN(madvise)(p, n, advice);
	int rc = REAL_FN(madvise)(p, n, advice);
	if (!rc && (advice == MADV_DONTNEED || advice == MADV_FREE))
		rt_libc_wrote(p, n, PC);
	return rc;
}

WRAP(int, msync, (void *p, size_t n, int flags), (p, n, flags), NOTHING, NOTHING)
WRAP(int, posix_madvise, (void *p, size_t n, int advice), (p, n, advice), NOTHING, NOTHING)
WRAP(int, mincore, (void *p, size_t n, unsigned char *to), (p, n, to),
     ROOM(to, (n + PAGE - 1) / PAGE), WROTE(to, result ? 0 : (n + PAGE - 1) / PAGE))
