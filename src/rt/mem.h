/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The runtime's own memory and memory functions.
 *
 * Its memory is at the same addresses in recording and replay, because copies of such addresses,
 * in registers that a function saves, may stay on the program's stack.
 */
#ifndef HEDDLE_RT_MEM_H
#define HEDDLE_RT_MEM_H

#include "rt/rt.h"

#define RT_MEMORY 0x280000000000ull /* of rt_map(), in the order of the calls */
#define RT_RING 0x2c0000000000ull   /* the ring; the rest of the session ends there */
#define RT_INPUTS 0x2e0000000000ull /* the inputs of a replay */

void *rt_memcpy(void *to, const void *from, size_t n);
void *rt_memset(void *to, int byte, size_t n);
int rt_memcmp(const void *a, const void *b, size_t n);
size_t rt_strlen(const char *s);
bool rt_streq(const char *a, const char *b);
void *rt_map(size_t bytes);	      /* zeroed, ends the process with a message on exhaustion */
void *rt_map_kept(size_t bytes);      /* the same for RT_KEPT */
void rt_unmap(void *p, size_t bytes); /* of rt_map() */
void *rt_map_at(uintptr_t where, size_t bytes);
/* environment failure: message, status 3 */
void rt_fatal(const char *sentence) __attribute__((noreturn));

#endif
