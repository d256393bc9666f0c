/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Wide accesses that race: plain accesses of more than one machine word (a call of memcpy(), a
 * struct that is assigned) are one step of their thread, but no machine makes them at once.
 *
 * Where nothing races with them that makes no difference.  Take an execution in which such an
 * access is made word by word, and the first of its words that another thread's conflicting
 * access does not keep its order with.  If happens-before orders every conflicting access with
 * the whole wide access, none of them lies between its words, since only its own thread could
 * have ordered it there, and that thread is inside the access; so the words can be moved together
 * without any conflicting accesses changing their order, and the execution is one in which it is
 * a single step.  Otherwise the execution with single steps up to that point has the two accesses
 * in no order of happens-before: a race, which races.h finds.
 *
 * The same holds for a call of libc that makes several accesses, of any size, in one step: a copy
 * reads one place and writes another.  If at most one of its accesses races, the others can be
 * moved to that one, by the same argument; if two do, other threads can come between them.
 *
 * So a search keeps the places of wide accesses that race, and of calls of which two accesses do.
 * What a function of libc does there can be divided (wire_divided in wire/wire.h), in a search
 * that begins again; what remains is an assumption of the verdict.
 */
#ifndef HEDDLE_EXPLORE_EXECUTION_WIDE_H
#define HEDDLE_EXPLORE_EXECUTION_WIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/map.h"
#include "base/vec.h"
#include "exec/execution.h"

#define WIDE_WORD 8

struct wide_place {
	uint64_t pc;
	bool is_by_libc;
	uint8_t racing; /* which of the accesses of a call, a bit for each; WIDE_ITSELF */
};
#define WIDE_ITSELF 128 /* one that is wide */

struct wide_places {
	/* each once; those of calls also if only one access races */
	VEC(struct wide_place) list;
	struct map of_pc; /* private */
};

/* Whether an execution has a wide access, or a call with several accesses, at all. */
bool wide_is_in(const struct execution *x);
/* The operation at this position races: its place is kept if it is wide, or one access of a call.
 */
void wide_note(struct wide_places *w, const struct execution *x, size_t position);
/* Something can come between the accesses of this place: it must be divided, or is an assumption.
 */
bool wide_place_is_torn(const struct wide_place *p);
void wide_merge(struct wide_places *to, struct wide_places *from);
void wide_release(struct wide_places *w);
/* Whether a place of the list can be divided and is not; they all are then. */
bool wide_is_divisible(const struct wide_places *w, const struct wire_divided *d);
void wide_divide(const struct wide_places *w, struct wire_divided *d);
void wide_save(const struct wide_places *w, struct buf *out);
void wide_load(struct wide_places *w, struct bytes *in);
void divided_save(const struct wire_divided *d, struct buf *out);
void divided_load(struct wire_divided *d, struct bytes *in);

#endif
