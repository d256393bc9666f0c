/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of moves.h have in common: moves.c, threads.c, buffers.c and waits.c. */
#ifndef HEDDLE_EXPLORE_EXECUTION_INTERNAL_H
#define HEDDLE_EXPLORE_EXECUTION_INTERNAL_H

#include "explore/execution/moves.h"

/* ---- threads.c ---- */

void pause_clear(struct pause *p);
void moves_release_threads(struct moves *h);
/* Valid until a thread of a higher number is asked for. */
struct thread_now *moves_thread(struct moves *h, uint64_t number);
/* The thread has made the move: what that changes for it and for others. */
void moves_follow(struct moves *h, size_t number);

/* ---- back.c ---- */

/* Which entries of the list were taken back: h->taken_back, empty if none was. */
void moves_find_taken_back(struct moves *h, const struct execution *x);
/* A round that began in that state failed, after so many moves; it saw that. */
void moves_learn_failure(struct moves *h, uint64_t state, const struct opset *seen, size_t moves);
/* Names of a round that fails when it finds that, and of where it looks. */
uint64_t round_key(uint64_t state, const struct wire_op *look, uint64_t value);
uint64_t place_key(const struct wire_op *look);
/* The one thing at which a round looks; NULL: there are more, or none. */
const struct wire_op *one_look(const struct opset *s);
/* Whether one of the first moves changes bytes that were read. */
bool moves_have_writer(const struct moves *h, const struct wire_op *read, size_t moves);

/* ---- buffers.c ---- */

/* The store that a move of a buffer brings to memory; NULL: this is no such move. */
const struct stored *moves_flushed_by(struct moves *h, uint32_t thread, const struct opset *ops);
/* The number that the buffer has as a thread, by the step of its flush. */
uint32_t moves_buffer_number(struct moves *h, const struct wire_op *step);

/* ---- waits.c ---- */

/* What the first visible operation may have waited for, if only reads and looks are before it. */
struct wire_op opset_need(const struct opset *s);
/* Whether it is about the pending signals of a thread, or of the process (PENDING_PROCESS). */
bool op_is_pending(const struct wire_op *op, uint64_t whose);
const struct wire_op *ops_found(const struct wire_op *ops, size_t count, uint32_t thread);
struct wire_op pause_interrupted_use(const struct pause *p, const struct wire_op *found);

#endif
