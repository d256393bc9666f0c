/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory primitives of the runtime itself.  They never reach libc's functions nor our wrappers of
 * them: the build renames compiler-made calls of memcpy, memset, memmove and memcmp in this
 * folder to the names defined here.
 */
#include <errno.h>
#include <sys/mman.h>

#include "rt/explore.h"
#include "rt/explore_snapshot.h"
#include "rt/hot.h"
#include "rt/mem.h"
#include "rt/rt.h"
#include "rt/start.h"
#include "rt/sys.h"

struct word {
	uint64_t v;
} __attribute__((packed, may_alias));

void *rt_memcpy(void *to, const void *from, size_t n)
{
	char *d = to;
	const char *s = from;
	if (n >= 256) {
		__asm__ volatile("rep movsb" : "+D"(d), "+S"(s), "+c"(n) : : "memory");
		return to;
	}
	for (; n >= 8; n -= 8, d += 8, s += 8)
		((struct word *)d)->v = ((const struct word *)s)->v;
	for (; n; n--)
		*(volatile char *)d++ = *s++;
	return to;
}

void *rt_memset(void *to, int byte, size_t n)
{
	char *d = to;
	if (n >= 256) {
		__asm__ volatile("rep stosb" : "+D"(d), "+c"(n) : "a"(byte) : "memory");
		return to;
	}
	uint64_t pattern = 0x0101010101010101ull * (unsigned char)byte;
	for (; n >= 8; n -= 8, d += 8)
		((struct word *)d)->v = pattern;
	for (; n; n--)
		*(volatile char *)d++ = (char)byte;
	return to;
}

int rt_memcmp(const void *a, const void *b, size_t n)
{
	const unsigned char *x = a, *y = b;
	for (; n >= 8; n -= 8, x += 8, y += 8)
		if (((const struct word *)x)->v != ((const struct word *)y)->v)
			break;
	for (size_t i = 0; i < n; i++)
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	return 0;
}

size_t rt_strlen(const char *s)
{
	size_t n = 0;
	while (((const volatile char *)s)[n])
		n++;
	return n;
}

bool rt_streq(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return *a == *b;
}

void rt_fatal(const char *sentence)
{
	if (g.exploring)
		explore_unsupported(sentence);
	sys3(SYS_write, 2, "heddle: ", 8);
	sys3(SYS_write, 2, sentence, rt_strlen(sentence));
	sys3(SYS_write, 2, "\n", 1);
	rt_end_process(3);
}

static void *map_at(uintptr_t where, size_t bytes)
{
	long p = sys6(SYS_mmap, (long)where, (long)bytes, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
	if (p == -ENOMEM)
		rt_fatal("the program's address space is too small for heddle's tables (is there a "
			 "limit, "
			 "ulimit -v?)");
	if ((uintptr_t)p != where)
		rt_fatal("an address range that heddle needs is already in use");
	return (void *)p;
}

static RT_KEPT uintptr_t mapped; /* bytes from there on */

void *rt_map_kept(size_t bytes)
{
	uintptr_t where = RT_MEMORY + mapped;
	mapped += (bytes + 0xfff) & ~0xfffull;
	return map_at(where, bytes);
}

void rt_unmap(void *p, size_t bytes)
{
	if (!snapshot_owns(p)) /* what it has is cleared as a whole, later */
		sys3(SYS_munmap, p, bytes, 0);
}

void *rt_map(size_t bytes)
{
	void *p = snapshot_reserve(bytes);
	return p ? p : rt_map_kept(bytes);
}

void *rt_map_at(uintptr_t where, size_t bytes)
{
	void *p = map_at(where, bytes);
	/* Sparse by nature: huge pages would make every first touch expensive. */
	sys3(SYS_madvise, p, bytes, MADV_NOHUGEPAGE);
	return p;
}
