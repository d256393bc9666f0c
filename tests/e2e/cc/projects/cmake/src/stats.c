/* SPDX-License-Identifier: Apache-2.0 */
#include <stdatomic.h>

#include "cache.h"

static atomic_ulong hit_count, miss_count;

void stats_count(bool was_hit)
{
	atomic_fetch_add_explicit(was_hit ? &hit_count : &miss_count, 1, memory_order_relaxed);
}

void stats_read(unsigned long *hits, unsigned long *misses)
{
	*hits = atomic_load(&hit_count);
	*misses = atomic_load(&miss_count);
}
