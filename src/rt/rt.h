/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The runtime inside the program under test: what each of its files needs.
 *
 * Started without a session the runtime does nothing: g.active stays 0, each hook returns at once,
 * and each interposed function calls the real one.  Started by the tool it runs the program's
 * threads one at a time (as fibers on one OS thread, or as real threads that hand control over),
 * decides at each hook which thread runs next, models all synchronisation and writes exact events
 * to the ring.
 *
 * Rules for every file here:
 *  1. No heap, no stdio, no locale.  Memory comes from rt_map() and lives until the process ends.
 *  2. Only what rt/, wire/ and heddle/ declare.  libc is called through real.h (resolved once,
 *     before main) or by raw system calls (sys.h), never by its plain name, which would lead to
 *     our own wrapper.
 *  3. No thread-local variables: fibers may share one OS thread, so state is in struct thread.
 *  4. Mutable state is declared RT_STATE (or RT_KEPT), so that it lies in one section, apart from
 *     the program's data.
 *  5. errno belongs to the program: a wrapper leaves it as the real function would.
 *  6. A compiler may turn a struct copy into a call of memcpy.  The build renames such calls to
 *     rt_memcpy (mem.c), so that they never reach the interposed function.
 *  7. One writer: a record becomes visible to the tool when ring_commit stores the new head.
 *
 * The steps of a hook: settle the previous write (its store has happened by now), count the hook,
 * perhaps switch to another thread, then do or note what the hook is about, and append the event.
 * No other thread runs between the event and the access itself, so the trace has the events in
 * the order in which they took effect.
 *
 * Each source has a header of its own (heap.c: heap.h); hot.h has the state that hooks use, and
 * thread.h puts struct thread together from parts that the headers of their concerns declare.
 */
#ifndef HEDDLE_RT_H
#define HEDDLE_RT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Weak: a program that defines a function of the same name (its own malloc, its own getline)
 * keeps it. */
#define RT_EXPORT __attribute__((visibility("default"), weak))
#define RT_STATE __attribute__((section("heddle_state")))
/*
 * The same for what stays as it is when the next execution begins in the same process
 * (explore_snapshot.c).  These are large tables of zeros, which need no room in a program's file.
 * gcc has no attribute for that: the text after the name makes the assembler ignore the rest of
 * the directive that gcc writes.
 */
#ifdef __clang__
#define RT_KEPT __attribute__((section("heddle_kept")))
#else
#define RT_KEPT __attribute__((section("heddle_kept,\"aw\",@nobits#")))
#endif
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
/* Where the program called this function of the runtime. */
#define PC rt_caller((uintptr_t)__builtin_return_address(0))

typedef uintptr_t pc_t;

/* What syscall() hands on to a wrapper counts as a call of its caller's (libc_syscall.c). */
extern const char call_by_number_return[] __attribute__((visibility("hidden")));
pc_t rt_caller_by_number(void);
static inline pc_t rt_caller(uintptr_t pc)
{
	return unlikely(pc == (uintptr_t)call_by_number_return) ? rt_caller_by_number() : pc;
}

#endif
