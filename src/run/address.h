/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The layout of the runtime's address space.
 *
 * Programs use three ranges of addresses: near 0, near 0x55.. and near 0x7f..  Modulo 2^44 these
 * are disjoint (start.c checks that), so every eight bytes have sixteen bytes of shadow, and
 * every 64 bytes have a word for the list of their synchronisation objects.
 */
#ifndef HEDDLE_RUN_ADDRESS_H
#define HEDDLE_RUN_ADDRESS_H

#include "wire/run.h"

#define ADDRESS_MASK 0x0fffffffffffull
#define SHADOW_BASE RUN_SHADOW
#define SHADOW_SIZE (2 * (ADDRESS_MASK + 1)) /* for four cells */
#define OBJECT_LISTS_BASE (SHADOW_BASE + SHADOW_SIZE)
#define OBJECT_LISTS_SIZE ((ADDRESS_MASK + 1) / 16)
/* One bit for every 64 KB of memory: is it the stack of a thread? (stacks.h) */
#define STACKS_BASE (OBJECT_LISTS_BASE + OBJECT_LISTS_SIZE)
#define STACKS_SIZE ((ADDRESS_MASK + 1) >> 19)
/* One bit for every SHADOW_PART bytes of shadow: are they populated? (cell_take) */
#define SHADOW_PART (32u << 10)
#define PARTS_BASE (STACKS_BASE + STACKS_SIZE)
#define PARTS_SIZE (SHADOW_SIZE / SHADOW_PART / 8)
#define STAMPS_BASE (PARTS_BASE + PARTS_SIZE)

#endif
