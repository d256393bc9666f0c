/* SPDX-License-Identifier: Apache-2.0 */
/* Names of one kind in an STD file, found by their text.  Private to src/trace. */
#ifndef HEDDLE_TRACE_NAME_TABLE_H
#define HEDDLE_TRACE_NAME_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vec.h"

/* A part of a line. */
struct word {
	const char *at;
	size_t len;
};

bool word_is(struct word w, const char *text);

struct name_table {
	struct map first; /* hash to index plus one of the newest name with it */
	VEC(struct named {
		char *text;
		size_t older; /* index plus one of another name with the same hash */
		uint64_t is;  /* address, thread or location */
		/* variable: last value; lock: depth; thread: its creator plus one */
		uint64_t value;
		bool has_begun; /* thread: it has events */
	})
	list;
};

/* The name with this text, added if absent.  The address is valid until the next name is added. */
struct named *name_table_find(struct name_table *n, struct word text, bool *is_new);
void name_table_release(struct name_table *n);

#endif
