/* SPDX-License-Identifier: Apache-2.0 */
/* Store buffers as threads of their own, and the stores that wait in them; see moves.h. */
#include "explore/execution/internal.h"

/* The oldest store to the location that waits for its flush. */
static size_t store_of(const struct thread_now *t, uint64_t location)
{
	size_t i = 0;
	while (i < t->stored.len && t->stored.at[i].location != location)
		i++;
	return i;
}

/* The store that a move of a buffer brings to memory; NULL: this is no such move. */
const struct stored *moves_flushed_by(struct moves *h, uint32_t thread, const struct opset *ops)
{
	if (thread < BUFFERS_FROM || thread - BUFFERS_FROM >= h->buffers.len || !ops->count)
		return NULL;
	const struct thread_now *owner =
		moves_thread(h, h->buffers.at[thread - BUFFERS_FROM].thread);
	size_t at = store_of(owner, ops->ops[0].object);
	return at < owner->stored.len ? &owner->stored.at[at] : NULL;
}

/* Which thread the buffer counts as. */
uint32_t moves_buffer_number(struct moves *h, const struct wire_op *step)
{
	size_t i = 0;
	while (i < h->buffers.len && (h->buffers.at[i].thread != step->object ||
				      h->buffers.at[i].location != step->value))
		i++;
	if (i == h->buffers.len && h->number_buffer)
		i = h->number_buffer(h->number_arg, h,
				     (struct buffer_of){ (uint32_t)step->object, step->value });
	else if (i == h->buffers.len)
		vec_push(&h->buffers, ((struct buffer_of){ (uint32_t)step->object, step->value }));
	return BUFFERS_FROM + (uint32_t)i;
}

struct wire_turn moves_turn(const struct moves *h, uint32_t thread, uint64_t hook)
{
	if (thread >= BUFFERS_FROM && thread - BUFFERS_FROM < h->buffers.len) {
		const struct buffer_of *b = &h->buffers.at[thread - BUFFERS_FROM];
		return (struct wire_turn){ b->thread, TURN_FLUSH, b->location };
	}
	return (struct wire_turn){ thread, TURN_STEP, hook };
}

bool moves_is_buffer_of(const struct moves *h, uint32_t buffer, uint32_t thread)
{
	return buffer >= BUFFERS_FROM && buffer - BUFFERS_FROM < h->buffers.len &&
	       h->buffers.at[buffer - BUFFERS_FROM].thread == thread;
}

bool moves_depend(const struct moves *h, const struct branch *a, const struct branch *b)
{
	if (moves_is_buffer_of(h, a->thread, b->thread) ||
	    moves_is_buffer_of(h, b->thread, a->thread))
		return false;
	return opsets_depend(a->ops, b->ops);
}
