/* SPDX-License-Identifier: Apache-2.0 */
/* Vector clocks; see hb.h. */
#include "explore/execution/hb.h"

#include "base/alloc.h"

void vc_join(struct vc *to, const struct vc *from)
{
	if (to->of.len < from->of.len)
		vec_grow_zeroed(&to->of, from->of.len);
	for (size_t i = 0; i < from->of.len; i++)
		if (from->of.at[i] > to->of.at[i])
			to->of.at[i] = from->of.at[i];
}

void vc_release(struct vc *c)
{
	vec_release(&c->of);
}

void hb_begin(struct hb *h)
{
	for (size_t i = 0; i < h->threads.len; i++)
		vc_clear(&h->threads.at[i]);
	h->left_used = 0;
	map_clear(&h->left_of);
}

void hb_release(struct hb *h)
{
	for (size_t i = 0; i < h->threads.len; i++)
		vc_release(&h->threads.at[i]);
	for (size_t i = 0; i < h->left.len; i++)
		vc_release(&h->left.at[i]);
	vec_release(&h->threads);
	vec_release(&h->left);
	map_release(&h->left_of);
}

/* Objects are addresses and small numbers: the highest bits are free. */
static uint64_t key_of(struct sync_edge e)
{
	return e.object << 3 | e.via;
}

struct vc *hb_left(struct hb *h, struct sync_edge e)
{
	uint64_t *place = map_put(&h->left_of, key_of(e), NULL);
	if (!*place) {
		if (h->left_used == h->left.len)
			vec_add(&h->left);
		vc_clear(&h->left.at[h->left_used]);
		*place = ++h->left_used;
	}
	return &h->left.at[*place - 1];
}

static void begin_thread(struct hb *h, uint32_t thread)
{
	while (h->threads.len <= thread)
		vec_add(&h->threads);
	struct vc *c = &h->threads.at[thread];
	const uint64_t *place =
		map_get(&h->left_of, key_of((struct sync_edge){ thread, VIA_CREATION }));
	if (place)
		vc_join(c, &h->left.at[*place - 1]);
	vec_grow_zeroed(&c->of, thread + 1ull);
	c->of.at[thread] = 1;
}

struct vc *hb_thread(struct hb *h, uint32_t thread)
{
	if (thread >= h->threads.len || !vc_at(&h->threads.at[thread], thread))
		begin_thread(h, thread);
	return &h->threads.at[thread];
}

void hb_publish(struct hb *h, uint32_t thread, struct sync_edge e)
{
	vc_join(hb_left(h, e), hb_thread(h, thread));
	hb_advance(h, thread);
}

void hb_replace(struct hb *h, uint32_t thread, struct sync_edge e)
{
	vc_clear(hb_left(h, e));
	hb_publish(h, thread, e);
}

void hb_receive(struct hb *h, uint32_t thread, struct sync_edge e)
{
	const uint64_t *place = map_get(&h->left_of, key_of(e));
	if (place)
		vc_join(hb_thread(h, thread), &h->left.at[*place - 1]);
}
