/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Critical sections: the locks that a thread holds, the release clocks that the weak order needs,
 * and pairs that are decided when a lock is released.  lock.c describes the rules.
 *
 * Invariant: a thread orders what it does after everything that a lock it holds has spilled
 * (lock_catch_up) before it checks an access, publishes its clock or ends a section.
 */
#ifndef HEDDLE_RUN_LOCK_H
#define HEDDLE_RUN_LOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "run/found.h"

#define HELD_MAX 64	   /* locks of one thread at once */
#define CANDIDATES_MAX 256 /* of one thread at once */
#define SECTIONS_KEPT 8	   /* default of options.sections_kept */

struct object;
struct stamp;

enum lock_mode { HOLD_READ, HOLD_WRITE };

/* A lock that a thread holds. */
struct held {
	uint32_t lock, section;
	uint32_t node; /* a stamp for the locks up to this one, 0: none yet */
	uint32_t spills_seen;
	uint32_t resets; /* of the shadow, when the lock was acquired */
	uint32_t depth;	 /* of a recursive lock */
	uint32_t epoch;	 /* of the acquire */
	uint32_t stack;	 /* of the acquire */
	uint8_t mode;
	bool is_opaque;	 /* lock_opaque was called in this section */
	bool has_nested; /* other threads worked inside the section (nest.c) */
};

/* A pair under common locks, undecided until the last of them is released (OVPredict 2.4, 10.2). */
struct candidate {
	struct found found;
	uint32_t common[HELD_MAX];
	unsigned count;
};

/* Guarded by s. */
void lock_acquire(struct thr *t, struct object *s, enum lock_mode mode, uint32_t stack);
/* Guarded by s; releases the guard. */
void lock_release(struct thr *t, struct object *s);
/* The thread ends: all sections end, so that robust locks can go to other threads. */
void lock_release_all(struct thr *t);
bool lock_is_held(const struct thr *t, uint32_t lock);
/* CCS edges (OVPredict 2.4) from the sections of s to t; true if the clock has changed. */
bool lock_join_sections(struct thr *t, const struct stamp *s);
/* t holds all locks of s in modes that exclude at least as much. */
bool lock_covers(const struct thr *t, const struct stamp *s);
/* A cell with this stamp is dropped: its sections stay in order. */
void lock_spill(struct thr *t, const struct stamp *s);
/* Receives what the held locks have spilled, and applies rule 1 of nest.c. */
void lock_catch_up(struct thr *t);
/* The open sections of t do things that no hook reports. */
void lock_opaque(struct thr *t);
/* A pair that does not commute is reported, or kept until the last common lock is released. */
void report_or_defer(struct thr *t, const struct found *f);

#endif
