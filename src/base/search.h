/* SPDX-License-Identifier: Apache-2.0 */
/* Binary search, written once. */
#ifndef HEDDLE_SEARCH_H
#define HEDDLE_SEARCH_H

#include <stddef.h>

/*
 * How many of the first indices `i` below `count` satisfy a condition that holds up to some index
 * and for none from there on; so it is also the first index that does not satisfy it.
 *
 *   partition_point(v.len, i, v.at[i].key < wanted)
 */
#define partition_point(count, i, holds)                      \
	__extension__({                                       \
		size_t low_ = 0, high_ = (count);             \
		while (low_ < high_) {                        \
			size_t i = low_ + (high_ - low_) / 2; \
			if (holds)                            \
				low_ = i + 1;                 \
			else                                  \
				high_ = i;                    \
		}                                             \
		low_;                                         \
	})

#endif
