/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Variables of a trace: adjacent bytes of shared memory that are always accessed together.
 * Private to src/oracle.
 */
#ifndef HEDDLE_ORACLE_VARIABLES_H
#define HEDDLE_ORACLE_VARIABLES_H

#include "base/vec.h"
#include "trace/index.h"

#define VARIABLE_NONE UINT32_MAX

/* Of a cell: which variable each of its bytes belongs to. */
struct cell_variables {
	uint32_t first;		     /* VARIABLE_NONE: the cell is not shared */
	uint8_t of_byte[INDEX_CELL]; /* plus first */
};

struct variables {
	const struct trace_index *x;
	struct cell_variables *cells; /* as in the index */
	uint32_t count;
};

void variables_init(struct variables *v, const struct trace_index *x);
void variables_release(struct variables *v);

/* The part of an access that is in one variable. */
struct variable_part {
	uint32_t variable;
	uint64_t offset, size; /* in the access */
};

/* All parts of an access; `out` is overwritten. */
struct variable_parts {
	VEC(struct variable_part) parts;
};
void variables_of(const struct variables *v, const struct index_event *e, ev_id at,
		  struct variable_parts *out);

#endif
