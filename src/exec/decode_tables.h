/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The decoder's tables: modules and their canonical addresses, locations, regions and call
 * stacks.  Private to the decoder (decode.c, decode_tables.c).
 */
#ifndef HEDDLE_DECODE_TABLES_H
#define HEDDLE_DECODE_TABLES_H

#include "exec/decode.h"

#define ADDRESS_BITS 0xffffffffffffull

/* The error for a malformed record: ERR_PROGRAM. */
int decode_damaged(const struct decoder *d, const char *what, struct err *err);
/* Text in operands: NUL-padded bytes.  The caller frees it. */
char *decode_text(const uint64_t *ops, size_t count);

/* Records that define something.  Errors: ERR_PROGRAM, and those of the sink. */
int decode_module(struct decoder *d, uint64_t start, const uint64_t *ops, size_t count,
		  struct err *err);
int decode_module_gone(struct decoder *d, uint64_t start, struct err *err);
int decode_memory(struct decoder *d, uint64_t start, const uint64_t *ops, size_t count,
		  struct err *err);
int decode_stack(struct decoder *d, uint64_t id, const uint64_t *ops, size_t count,
		 struct err *err);

static inline struct decode_pc *decode_pc_slot(struct decoder *d, uint64_t pc)
{
	return &d->pcs[(pc ^ pc >> 13) & (DECODE_PCS - 1)];
}

/* The slow path of decode_location(). */
int decode_find_location(struct decoder *d, uint64_t pc, loc_id *out, struct err *err);

/* The location of a code address, defined on first use. */
static inline int decode_location(struct decoder *d, uint64_t pc, loc_id *out, struct err *err)
{
	const struct decode_pc *cached = decode_pc_slot(d, pc);
	if (cached->pc != pc) /* the zero state maps pc 0 to location 0 */
		return decode_find_location(d, pc, out, err);
	*out = cached->loc;
	return 0;
}

/* decode_address() with a fast path for addresses outside of all modules. */
static inline uint64_t canonical(struct decoder *d, uint64_t address)
{
	bool is_outside = address - d->modules_low >= d->modules_high - d->modules_low;
	return is_outside ? address : decode_address(d, address);
}

#endif
