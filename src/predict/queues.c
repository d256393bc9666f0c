/* SPDX-License-Identifier: Apache-2.0 */
/* Which waiter a signal wakes; see turns.h. */
#include <string.h>

#include "predict/turns.h"

static void leave(struct queues *q, size_t i)
{
	memmove(&q->list.at[i], &q->list.at[i + 1], (q->list.len - i - 1) * sizeof(*q->list.at));
	q->list.len--;
}

static void choose(struct queues *q, uint64_t object, uint32_t wanted)
{
	uint32_t number = 0, chosen = 0;
	size_t at = SIZE_MAX;
	for (size_t i = 0; i < q->list.len; i++) {
		if (q->list.at[i].object != object)
			continue;
		if (at == SIZE_MAX || q->list.at[i].thread == wanted) {
			at = i;
			chosen = number;
		}
		number++;
	}
	if (number > 1)
		vec_push(&q->choices, chosen);
	if (at != SIZE_MAX)
		leave(q, at);
}

void queues_follow(const struct confirmer *c, struct queues *q, ev_id id)
{
	const struct index_event *e = &c->x->events[id];
	const uint64_t *woken = map_get(&c->woken, id);
	if (e->kind == EV_WAIT)
		vec_push(&q->list, ((struct waiting){ e->obj, e->thread }));
	if (e->kind == EV_SIGNAL)
		choose(q, e->obj, woken ? (uint32_t)*woken : UINT32_MAX);
	for (size_t i = q->list.len; i-- > 0;) {
		bool is_all = e->kind == EV_BROADCAST && q->list.at[i].object == e->obj;
		if (is_all || (e->kind == EV_TIMEOUT && q->list.at[i].thread == e->thread))
			leave(q, i);
	}
}

void queues_release(struct queues *q)
{
	vec_release(&q->list);
	vec_release(&q->choices);
}
