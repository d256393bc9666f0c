/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The slow path of raw locks.  Only threads that really run in parallel get here: under control a
 * raw lock is always free.  The system call is made directly, because the interposed function
 * would be seen.
 */
#include "omp/hooks.h"

#include <linux/futex.h>
#include <sys/syscall.h>

static void call_futex(uint32_t *word, long operation, long value)
{
	long result;
	register long timeout __asm__("r10") = 0;
	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"((long)SYS_futex), "D"(word), "S"(operation | FUTEX_PRIVATE_FLAG),
			   "d"(value), "r"(timeout)
			 : "rcx", "r11", "memory");
}

void heddle_omp_raw_wait(struct raw_lock *lock)
{
	while (__atomic_exchange_n(&lock->word, 2, __ATOMIC_ACQUIRE))
		call_futex(&lock->word, FUTEX_WAIT, 2);
}

void heddle_omp_raw_wake(struct raw_lock *lock)
{
	call_futex(&lock->word, FUTEX_WAKE, 1);
}
