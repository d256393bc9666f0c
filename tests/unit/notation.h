/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Histories as the SeqCheck paper writes them, for unit tests: "1:wr(x) 2:acq(l) 2:rd(x) 2:br
 * 2:rel(l)", operations are numbered from 1; and its running example.
 */
#ifndef HEDDLE_TESTS_NOTATION_H
#define HEDDLE_TESTS_NOTATION_H

#include "unit.h"

#include <stdio.h>
#include <string.h>

#include "oracle/history.h"

/* Ends with 0. */
#define SEQUENCE(...) ((const op_id[]){ __VA_ARGS__, 0 })

static struct history the_history(const char *text)
{
	struct history h = { 0 };
	op_id writer[26] = { 0 };
	char word[16], object[16];
	unsigned thread;
	int used;
	for (; sscanf(text, " %u:%15[a-z]%n", &thread, word, &used) == 2; text += used) {
		const char *rest = text + used;
		int more = 0;
		object[0] = 0;
		if (sscanf(rest, "(%15[a-z0-9])%n", object, &more) == 1)
			used += more;
		uint32_t number = object[0] ? (uint32_t)(object[0] - 'a') : 0;
		if (!strcmp(word, "rd")) {
			history_add(&h, thread, OP_ACCESS);
			history_add_access(&h, number, true, false)->seen = writer[number] - 1;
		} else if (!strcmp(word, "wr")) {
			writer[number] = history_add(&h, thread, OP_ACCESS) + 1;
			history_add_access(&h, number, false, true);
		} else if (!strcmp(word, "acq") || !strcmp(word, "rel")) {
			/* l, m, n are locks; l1 and l2 too. */
			uint32_t lock = object[1] ? (uint32_t)(object[1] - '0') : number + 10;
			history_add_lock(&h, thread, lock, false, word[0] == 'a');
		} else {
			history_add(&h, thread, OP_OTHER);
			/* A branch freezes what its thread has read. */
			for (op_id i = 0; !strcmp(word, "br") && i + 1 < h.ops.len; i++)
				if (h.ops.at[i].thread == thread &&
				    h.ops.at[i].guard == GUARD_NEVER)
					h.ops.at[i].guard = (uint32_t)h.ops.len - 1;
		}
	}
	assert_string_equal(text + strspn(text, " "), "");
	history_finish(&h);
	for (size_t i = 0; i < h.ops.len; i++)
		if (h.ops.at[i].guard != GUARD_NEVER)
			h.ops.at[i].guard = h.ops.at[h.ops.at[i].guard].own;
	return h;
}

/* The running example (Figure 2), whose sixth and seventh operations can be exchanged. */
#define DELTA(e6, e7)                                              \
	"2:acq(l2) 2:wr(x) 2:rel(l2) 3:wr(y) 3:acq(l2) " e6 " " e7 \
	" 3:rel(l2) 1:acq(l1) 1:rd(x) 1:br 1:wr(p) 1:wr(y) "       \
	"1:rel(l1) 2:acq(l1) 2:rd(x) 2:br 2:rd(p) 2:acq(l2) 2:rd(y) 2:rel(l2) 2:rel(l1)"

#endif
