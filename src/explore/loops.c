/* SPDX-License-Identifier: Apache-2.0 */
/* See loops.h. */
#include "explore/loops.h"

#include <string.h>

#define NOTED_MAX 64

void loops_note(struct explore_result *r, const struct wire_loop_hook *hook)
{
	for (size_t i = 0; i < r->loops.len; i++)
		if (r->loops.at[i].pc == hook->pc)
			return;
	if (r->loops.len < NOTED_MAX)
		vec_push(&r->loops, *hook);
}

static struct wire_loop *loop_at(struct wire_divided *d, uint64_t pc)
{
	for (uint64_t i = 0; i < d->loops_count; i++)
		if (d->loops[i].pc == pc)
			return &d->loops[i];
	return NULL;
}

bool loops_are_new(const struct explore_result *r, const struct wire_divided *d)
{
	for (size_t i = 0; i < r->loops.len && d->loops_count < WIRE_LOOPS_MAX; i++)
		if (!loop_at((struct wire_divided *)d, r->loops.at[i].pc))
			return true;
	return false;
}

uint64_t loops_age(const struct wire_divided *d)
{
	uint32_t age = 0;
	for (uint64_t i = 0; d && i < d->loops_count; i++)
		age = d->loops[i].age > age ? d->loops[i].age : age;
	return age;
}

static uint32_t next_number(const struct wire_divided *d)
{
	uint32_t number = 0;
	for (uint64_t i = 0; i < d->loops_count; i++)
		number = d->loops[i].number >= number ? d->loops[i].number + 1 : number;
	return number;
}

static void add(struct wire_divided *d, const struct wire_loop *loop)
{
	uint64_t at = 0;
	while (at < d->loops_count && d->loops[at].pc < loop->pc)
		at++;
	memmove(&d->loops[at + 1], &d->loops[at], (d->loops_count - at) * sizeof(*loop));
	d->loops[at] = *loop;
	d->loops_count++;
}

void loops_learn(const struct explore_config *c, const struct explore_result *r)
{
	struct wire_divided *d = c->divided;
	uint32_t age = (uint32_t)loops_age(d) + 1;
	for (size_t i = 0; i < r->loops.len && d->loops_count < WIRE_LOOPS_MAX; i++) {
		const struct wire_loop_hook *hook = &r->loops.at[i];
		const struct wire_loop *first = loop_at(d, hook->first);
		struct wire_loop loop = { .pc = hook->pc,
					  .number = first ? first->number : next_number(d),
					  .age = age };
		if (loop_at(d, hook->pc))
			continue;
		if (c->describe_loop)
			c->describe_loop(c->describe_arg, &loop);
		add(d, &loop);
	}
}

void loops_forget(struct wire_divided *d, uint64_t age)
{
	uint64_t kept = 0;
	for (uint64_t i = 0; i < d->loops_count; i++)
		if (d->loops[i].age <= age)
			d->loops[kept++] = d->loops[i];
	d->loops_count = kept;
}

void loops_save(const struct wire_divided *d, struct buf *out)
{
	buf_varint(out, d ? d->loops_count : 0);
	buf_add(out, d ? d->loops : NULL, d ? d->loops_count * sizeof(*d->loops) : 0);
}

void loops_load(struct wire_divided *d, struct bytes *in)
{
	size_t count = bytes_count(in, sizeof(struct wire_loop));
	in->is_bad |= count > (d ? WIRE_LOOPS_MAX : 0);
	if (in->is_bad)
		return;
	if (d) {
		d->loops_count = count;
		memcpy(d->loops, in->at, count * sizeof(struct wire_loop));
	}
	in->at += count * sizeof(struct wire_loop);
	in->left -= count * sizeof(struct wire_loop);
}
