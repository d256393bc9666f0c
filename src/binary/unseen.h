/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What of a program's own code heddle does not see, read from its machine code: functions that touch memory
 * without hooks (they were compiled otherwise, or asked for none), and instructions that no compiler makes of
 * C with hooks, so somebody wrote them in assembler.  A verdict about all schedules is made under the
 * assumption that they do not matter.
 */
#ifndef HEDDLE_BINARY_UNSEEN_H
#define HEDDLE_BINARY_UNSEEN_H

#include <stdint.h>

#include "base/vec.h"
#include "binary/image.h"
#include "base/words.h"

struct unseen {
	struct words functions;		/* without hooks that touch memory which may be shared */
	VEC(uint64_t) assembler;	/* addresses behind such instructions */
	struct words
		levels; /* "-O2": how parts of the program were compiled; empty: the program does not tell */
};

void unseen_collect(const struct image *img, struct unseen *u);
void unseen_release(struct unseen *u);

#endif
