/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory of the runtime, raw system calls, and a barrier for all threads.  Memory is zeroed when
 * it is allocated and is never returned.
 */
#ifndef HEDDLE_RUN_MEMORY_H
#define HEDDLE_RUN_MEMORY_H

#include <stddef.h>
#include <stdint.h>

long run_syscall(long number, long a, long b, long c, long d, long e, long f);

void *run_map(size_t size);			  /* NULL if there is no memory */
void *run_map_at(uintptr_t address, size_t size); /* NULL if the range is in use */
void *run_alloc(size_t size);			  /* small pieces; traps without memory */
void run_huge(uintptr_t from, size_t n);	  /* use large pages if there are some */
void run_zero_pages(uintptr_t from, size_t n);	  /* whole pages of run_map become 0 */
void run_populate(uintptr_t from, size_t n);	  /* whole pages get their memory now */
void run_copy(void *to, const void *from, size_t n);
void run_clear(void *to, size_t n);

/* Text is ended by 0; they return where. */
char *run_put_text(char *to, const char *s);
char *run_put_number(char *to, uint64_t n);
long run_read_file(const char *path, char *to, size_t room); /* without an end; < 0: error */

/* Every thread of the process passes a full memory barrier before this returns. */
void run_barrier(void);

/* Loads a cache line for writing while other work is done. */
static inline void run_prefetch(const void *at)
{
	__asm__ volatile("prefetchw %0" : : "m"(*(const char *)at));
}

#endif
