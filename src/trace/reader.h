/* SPDX-License-Identifier: Apache-2.0 */
/* The common state of the readers of both forms.  Private to src/trace. */
#ifndef HEDDLE_TRACE_READER_H
#define HEDDLE_TRACE_READER_H

#include <zstd.h>

#include "trace/codec.h"
#include "trace/input.h"

struct trace_reader {
	struct input in;
	enum trace_form form;
	struct trace_tables tables;
	uint64_t events;	  /* number of events so far */
	VEC(uint64_t) own_events; /* the same by thread */
	bool at_end, is_complete;
	struct err cut; /* where a cut-off trace was cut */

	/* Decoded events that were not returned yet, and the flaw after them, if any. */
	struct event batch[CODEC_BATCH];
	size_t batch_at, batch_len;
	const char *flaw;

	/* Binary form. */
	struct decoder decoder;
	ZSTD_DCtx *zstd;
	uint64_t block_offset; /* where the current block begins */
	char *stored, *raw;    /* payload and content, each followed by 8 bytes */
	size_t stored_cap, raw_cap;
	/* Chunks of accesses: NULL if the header declares none. */
	struct access_reader *accesses;
	/* content of the block of chunks that belongs to the current block of events */
	char *chunks;
	size_t chunks_len, chunks_cap;
	uint32_t chunks_left; /* heads not read yet */
	const char *chunk_head, *chunk_bytes;
	uint64_t until_chunk; /* events before the next one */
	uint64_t chunk_accesses, chunk_len;

	/* Text form. */
	struct buf data;
	char *held_line; /* the first line that was not a fact */
};

/* Read everything before the first event, as trace_reader_open() specifies. */
int binary_open(struct trace_reader *r, struct err *err);
int text_open(struct trace_reader *r, struct err *err);
/* Put at least one event into the batch: 1; 0 at the end; or an error. */
int binary_fill(struct trace_reader *r, struct err *err);
int text_fill(struct trace_reader *r, struct err *err);

/* At the end mark: check the closing facts against the events.  Returns a clause, or NULL. */
const char *reader_check_end(const struct trace_reader *r);

#endif
