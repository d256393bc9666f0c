/* SPDX-License-Identifier: Apache-2.0 */
/* Content of a block of events: from events to columns and back.  Private to src/trace. */
#ifndef HEDDLE_TRACE_CODEC_H
#define HEDDLE_TRACE_CODEC_H

#include "base/buf.h"
#include "trace/model.h"

/* Events per batch: few enough to stay in the first-level cache. */
#define CODEC_BATCH 128

/*
 * A column being written: for each number one byte with its length, and that many bytes, least
 * significant first.
 */
struct column_out {
	uint8_t *lengths, *bytes; /* position of the next number */
	uint8_t *first_length, *first_byte;
};

struct encoder {
	struct model model;
	uint8_t *control; /* position of the next control byte */
	uint8_t *first_control;
	struct column_out columns[COL_LIMIT];
	struct buf data;
	uint32_t count;
};

void encoder_init(struct encoder *c);
/*
 * Add to the block; ids must be below the limits given (checked by the caller), at most
 * BLOCK_EVENTS_MAX events in all.
 */
void encoder_add(struct encoder *c, const struct event *e, const struct id_limits *limits);
/* Append the content of the block to out and begin a new one. */
void encoder_take(struct encoder *c, struct buf *out);
void encoder_release(struct encoder *c);

struct column_in {
	const uint8_t *lengths, *lengths_end;
	const uint8_t *bytes;
};

struct decoder {
	struct model model;
	struct id_limits limits;
	const uint8_t *control;
	struct column_in columns[COL_LIMIT];
	const uint8_t *data, *data_end;
	uint32_t left; /* events still to come */
};

void decoder_init(struct decoder *c);
/*
 * Begin a block of `count` events.  content must stay valid, and 8 readable bytes must follow it.
 * Returns NULL, or the flaw as a clause.
 */
const char *decoder_begin(struct decoder *c, const void *content, size_t len, uint32_t count,
			  const struct id_limits *limits);
/*
 * Decode up to max events (the caller sets index and own_index); *flaw is set if the block is
 * malformed there.
 */
size_t decoder_take(struct decoder *c, struct event *events, size_t max, const char **flaw);
void decoder_release(struct decoder *c);

#endif
