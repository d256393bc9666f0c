/* SPDX-License-Identifier: Apache-2.0 */
/* Preemption points: classes of places where threads may change; see points.h. */
#include "explore/deepening/points.h"

void points_init(struct points *p)
{
	*p = (struct points){ 0 };
	for (point_id id = 0; id < POINT_FIRST_RACE; id++)
		vec_add(&p->all);
}

void points_release(struct points *p)
{
	vec_release(&p->all);
	map_release(&p->of_pc);
}

point_id points_find(const struct points *p, uint64_t pc)
{
	const uint64_t *id = map_get(&p->of_pc, pc);
	return id ? (point_id)*id : POINT_FORCED;
}

point_id points_add(struct points *p, uint64_t pc, bool is_earlier, bool is_recycled, bool *is_new)
{
	uint64_t *id = map_put(&p->of_pc, pc, is_new);
	if (*is_new) {
		*id = p->all.len;
		*vec_add(&p->all) = (struct point){ .pc = pc, .is_recycled = is_recycled };
	}
	struct point *point = &p->all.at[*id];
	if (is_earlier)
		point->seen_first = true;
	else
		point->seen_second = true;
	point->is_recycled &= is_recycled;
	return (point_id)*id;
}

enum point_rank points_rank(const struct points *p, point_id id)
{
	switch (id) {
	case POINT_FORCED:
		return RANK_MINIMAL;
	case POINT_LOCK:
		return RANK_LOCK;
	case POINT_UNLOCK:
		return RANK_UNLOCK;
	case POINT_SYNC:
		return RANK_SYNC;
	}
	const struct point *point = &p->all.at[id];
	return point->seen_first && point->seen_second ? RANK_BOTH_ORDERS : RANK_ONE_ORDER;
}

/* ---- sets: bits, without trailing words of zero beyond what was added ---- */

void point_set_add(struct point_set *s, point_id id)
{
	while (s->words.len <= id / 64)
		vec_push(&s->words, 0);
	s->words.at[id / 64] |= 1ull << id % 64;
}

void point_set_copy(struct point_set *to, const struct point_set *from)
{
	to->words.len = 0;
	for (size_t i = 0; i < from->words.len; i++)
		vec_push(&to->words, from->words.at[i]);
}

void point_set_release(struct point_set *s)
{
	vec_release(&s->words);
}

static uint64_t word_at(const struct point_set *s, size_t i)
{
	return i < s->words.len ? s->words.at[i] : 0;
}

bool point_set_has(const struct point_set *s, point_id id)
{
	return word_at(s, id / 64) >> id % 64 & 1;
}

bool point_set_within(const struct point_set *small, const struct point_set *large)
{
	for (size_t i = 0; i < small->words.len; i++)
		if (small->words.at[i] & ~word_at(large, i))
			return false;
	return true;
}

bool point_set_equal(const struct point_set *a, const struct point_set *b)
{
	return point_set_within(a, b) && point_set_within(b, a);
}

size_t point_set_count(const struct point_set *s)
{
	size_t n = 0;
	for (size_t i = 0; i < s->words.len; i++)
		n += (size_t)__builtin_popcountll(s->words.at[i]);
	return n;
}
