/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies and fills of the reference.  Words are those of what is written: eight bytes at a
 * multiple of eight, and what lies before and behind.  To read a word and to write it are steps
 * of their own; memory that is filled is only written.  A copy of at most eight bytes is one word
 * wherever it lies.  They go upwards, unless the written bytes lie above those that are read and
 * overlap them.
 */
#include "machine.h"

#define WORD 8u

/* The word behind the bytes that are done: how many bytes it has, and where they lie in the copy.
 */
static unsigned next_word(const struct insn *in, unsigned done, unsigned *at)
{
	unsigned to = in->loc.offset, from = in->from.offset, left = in->loc.size - done;
	bool is_downwards = in->op == OP_MOVE && to > from && to < from + in->loc.size;
	unsigned edge = is_downwards ? to + left : to + done;
	unsigned size = is_downwards ? (edge - 1) % WORD + 1 : WORD - edge % WORD;
	if (size > left || in->loc.size <= WORD)
		size = left;
	*at = is_downwards ? left - size : done;
	return size;
}

void copy_perform(const struct step *st, const struct insn *in)
{
	struct tstate *ts = &st->s->thread[st->t];
	unsigned at, size = next_word(in, ts->copied, &at);
	ts->phase = PHASE_COPIES;
	if (in->op == OP_FILL) {
		ts->word = in->imm * 0x0101010101010101ull;
	} else if (!ts->holds) {
		ts->word = memory_load(st, in->from.offset + at, size);
		ts->holds = 1;
		return;
	}
	memory_store(st, in->loc.offset + at, size, ts->word, ORDER_PLAIN);
	ts->holds = 0;
	ts->word = 0;
	ts->copied = (uint8_t)(ts->copied + size);
	if (ts->copied < in->loc.size)
		return;
	ts->copied = 0;
	ts->phase = PHASE_BEGIN;
}
