/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of two sizes, so that memory of one is not taken for the other; of one size with BLOCK_ROOM 7. */
#include "threads.h"

#ifndef BLOCK_ROOM
#define BLOCK_ROOM 0
#endif

struct block {
	long foo, bar;
	long room[BLOCK_ROOM];
};
struct holder {
	struct block *ptr;
	long room[8];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
