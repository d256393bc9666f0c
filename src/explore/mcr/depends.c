/* SPDX-License-Identifier: Apache-2.0 */
/* Which reads nothing depends on; see depends.h. */
#include "explore/mcr/depends.h"

#include "base/search.h"
#include "wire/fault.h"

static bool is_unused(const struct depends *d, uint64_t pc)
{
	size_t low = partition_point(d->unused_count, i, d->unused[i] < pc);
	return low < d->unused_count && d->unused[low] == pc;
}

bool depends_on(const struct depends *d, const struct opset *move)
{
	const struct wire_op *read = move->ops;
	if (!d->unused_count || move->count != 1 || read->kind != EV_READ)
		return true;
	/* What libc reads is behind a call of a function, not of a hook. */
	if (read->mode != MODE_PLAIN || read->flags & EVF_LIBC)
		return true;
	if (FAULT(ALL_READS_UNUSED))
		return false;
	return !is_unused(d, read->pc);
}
