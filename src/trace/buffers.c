/* SPDX-License-Identifier: Apache-2.0 */
/* Linear lists suffice: a buffer holds few stores, and one with more than BUFFERS_MAX is rejected.
 */
#include "trace/buffers.h"

#include <string.h>

#include "base/alloc.h"
#include "trace/known.h"

bool buffers_write(struct buffers *b, const struct event *e)
{
	while (b->threads.len <= e->thread)
		vec_add(&b->threads);
	struct buffers_thread *t = &b->threads.at[e->thread];
	if (t->stores.len == BUFFERS_MAX)
		return false;
	unsigned char small[8];
	const unsigned char *bytes = event_bytes(e, false, small);
	struct buffered s = { .obj = e->obj, .size = e->size, .index = e->index };
	if (bytes) {
		s.bytes = mem_alloc(e->size ? e->size : 1);
		memcpy(s.bytes, bytes, e->size);
	}
	vec_push(&t->stores, s);
	return true;
}

bool buffers_flush(struct buffers *b, const struct event *e, struct buffered *out)
{
	if (e->b >= b->threads.len)
		return false;
	struct buffers_thread *t = &b->threads.at[e->b];
	size_t i = 0;
	while (i < t->stores.len &&
	       (t->stores.at[i].obj != e->obj || t->stores.at[i].size != e->size))
		i++;
	if (i == t->stores.len)
		return false;
	*out = t->stores.at[i];
	memmove(&t->stores.at[i], &t->stores.at[i + 1],
		(t->stores.len - i - 1) * sizeof(*t->stores.at));
	t->stores.len--;
	return true;
}

void buffered_release(struct buffered *s)
{
	mem_free(s->bytes);
	s->bytes = NULL;
}

struct buffered *buffers_newest(struct buffers *b, thr_id thread, uint64_t address)
{
	if (thread >= b->threads.len)
		return NULL;
	struct buffers_thread *t = &b->threads.at[thread];
	for (size_t i = t->stores.len; i-- > 0;)
		if (address - t->stores.at[i].obj < t->stores.at[i].size)
			return &t->stores.at[i];
	return NULL;
}

void buffers_release(struct buffers *b)
{
	for (size_t i = 0; i < b->threads.len; i++) {
		for (size_t k = 0; k < b->threads.at[i].stores.len; k++)
			buffered_release(&b->threads.at[i].stores.at[k]);
		vec_release(&b->threads.at[i].stores);
	}
	vec_release(&b->threads);
}
