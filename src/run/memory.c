/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of the runtime, system calls and the barrier (memory.h), and the global state (run.h). */
#include "run/memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "run/guard.h"
#include "run/lock.h"
#include "run/run.h"

struct run_state run_state = { .options = { .sections_kept = SECTIONS_KEPT,
					    .is_predicting = true,
					    .sees_writes = true,
					    .exit_code = 66,
					    .history = 16,
					    .limit = 1000,
					    .finds_lock_orders = true,
					    .finds_fd = true } };
__thread struct thr *run_self __attribute__((tls_model("initial-exec")));

long run_syscall(long number, long a, long b, long c, long d, long e, long f)
{
	long result;
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "0"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
}

void *run_map(size_t size)
{
	long at = run_syscall(SYS_mmap, 0, (long)size, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return at < 0 && at > -4096 ? NULL : (void *)at;
}

void *run_map_at(uintptr_t address, size_t size)
{
	long at = run_syscall(SYS_mmap, (long)address, (long)size, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1,
			      0);
	if (at != (long)address)
		return NULL;
	/*
	 * Not in core files, and without huge pages: the first access to anything would cost 2 MB.
	 */
	run_syscall(SYS_madvise, at, (long)size, MADV_DONTDUMP, 0, 0, 0);
	run_syscall(SYS_madvise, at, (long)size, MADV_NOHUGEPAGE, 0, 0, 0);
	return (void *)at;
}

void *run_alloc(size_t size)
{
	static uint32_t lock;
	static char *next, *end;
	size = (size + 15) & ~15ull;
	run_lock(&lock);
	if ((size_t)(end - next) < size) {
		size_t chunk = size > (1u << 20) ? size : 1u << 20;
		next = run_map(chunk);
		end = next ? next + chunk : NULL;
	}
	char *at = next;
	next += at ? size : 0;
	run_unlock(&lock);
	if (!at)
		__builtin_trap(); /* no memory */
	return at;
}

void run_zero_pages(uintptr_t from, size_t n)
{
	run_syscall(SYS_madvise, (long)from, (long)n, MADV_DONTNEED, 0, 0, 0);
}

void run_populate(uintptr_t from, size_t n)
{
	enum { POPULATE_WRITE = 23 }; /* since Linux 5.14; otherwise pages are faulted one by one */
	run_syscall(SYS_madvise, (long)from, (long)n, POPULATE_WRITE, 0, 0, 0);
}

/*
 * membarrier interrupts every processor that runs one of our threads.  A kernel without it does
 * the same when the access rights of a page are reduced.
 */
void run_barrier(void)
{
	enum { PRIVATE_EXPEDITED = 1 << 3, REGISTER_PRIVATE_EXPEDITED = 1 << 4 };
	static char page[4096] __attribute__((aligned(4096)));
	if (!run_syscall(SYS_membarrier, PRIVATE_EXPEDITED, 0, 0, 0, 0, 0))
		return;
	run_syscall(SYS_membarrier, REGISTER_PRIVATE_EXPEDITED, 0, 0, 0, 0, 0);
	if (!run_syscall(SYS_membarrier, PRIVATE_EXPEDITED, 0, 0, 0, 0, 0))
		return;
	__atomic_store_n(page, 1, __ATOMIC_SEQ_CST);
	run_syscall(SYS_mprotect, (long)page, sizeof(page), PROT_READ, 0, 0, 0);
	run_syscall(SYS_mprotect, (long)page, sizeof(page), PROT_READ | PROT_WRITE, 0, 0, 0);
}

void run_huge(uintptr_t from, size_t n)
{
	run_syscall(SYS_madvise, (long)from, (long)n, MADV_HUGEPAGE, 0, 0, 0);
}

void run_copy(void *to, const void *from, size_t n)
{
	__asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n) : : "memory");
}

void run_clear(void *to, size_t n)
{
	__asm__ volatile("rep stosb" : "+D"(to), "+c"(n) : "a"(0) : "memory");
}

char *run_put_text(char *to, const char *s)
{
	while (*s)
		*to++ = *s++;
	*to = 0;
	return to;
}

char *run_put_number(char *to, uint64_t n)
{
	char digits[21];
	unsigned i = sizeof(digits) - 1;
	digits[i] = 0;
	do {
		digits[--i] = (char)('0' + n % 10);
	} while (n /= 10);
	return run_put_text(to, digits + i);
}

long run_read_file(const char *path, char *to, size_t room)
{
	long fd = run_syscall(SYS_openat, AT_FDCWD, (long)path, O_RDONLY | O_CLOEXEC, 0, 0, 0);
	if (fd < 0)
		return fd;
	long n = run_syscall(SYS_read, fd, (long)to, (long)room, 0, 0, 0);
	run_syscall(SYS_close, fd, 0, 0, 0, 0, 0);
	return n;
}

/* The compiler calls these for struct copies; the build renames memcpy and memset. */
void *run_memcpy(void *to, const void *from, size_t n);
void *run_memset(void *to, int c, size_t n);

void *run_memcpy(void *to, const void *from, size_t n)
{
	run_copy(to, from, n);
	return to;
}

void *run_memset(void *to, int c, size_t n)
{
	void *at = to;
	__asm__ volatile("rep stosb" : "+D"(at), "+c"(n) : "a"(c) : "memory");
	return to;
}
