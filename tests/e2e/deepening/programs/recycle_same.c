/* SPDX-License-Identifier: Apache-2.0 */
// recycle_left with blocks of one size: memory of each is handed out for the other, what was freed last first.
#define LEFT
#define BLOCK_ROOM 7
#include "recycle_chain.c"
