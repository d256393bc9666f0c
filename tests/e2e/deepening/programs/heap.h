/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of two sizes, so that memory of one is not taken for the other. */
#include "threads.h"

struct block {
	long foo, bar;
};
struct holder {
	struct block *ptr;
	long room[8];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
