/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where probabilistic concurrency testing changes priorities (Burckhardt, Kothari, Musuvathi,
 * Nagarakatte: "A randomized scheduler with probabilistic guarantees of finding bugs", ASPLOS
 * 2010, section 3).  Hooks are counted while at least two threads live: at the others there is
 * nothing to choose.
 */
#ifndef HEDDLE_RT_PCT_H
#define HEDDLE_RT_PCT_H

#include <stdbool.h>
#include <stdint.h>

#define PCT_NEVER UINT64_MAX
#define PCT_CHANGES_MAX 1024
/* Initial priorities are at least this; those of changes are below, and at least PCT_LOWEST. */
#define PCT_INITIAL (1u << 30)
#define PCT_LOWEST (1u << 29)

/*
 * Draw `changes` changes, each at any of `length` hooks with the same chance.  0: the length is
 * not known, and windows of growing length are tried (pct.c).
 */
void pct_begin(uint64_t seed, uint64_t changes, uint64_t length);
uint64_t pct_next(void); /* number of the hook of the next change */
/* A change is due at this hook: the running thread gets `*priority`. */
bool pct_is_due(uint64_t now, uint32_t *priority);

#endif
