/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ledgers of heddle check: the search that they belong to is taken from their own first record,
 * so that what follows is read.  A state that is accepted is written and read again, which must
 * be accepted, too.
 */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "explore/ledger.h"

/* A record begins with its kind, its length and a checksum. */
#define HEAD 24u
#define FIRST 8u /* behind the magic number */

static uint64_t word(const uint8_t *at)
{
	uint64_t v;
	memcpy(&v, at, sizeof(v));
	return v;
}

static const struct strategy *strategy_in(const struct buf *identity)
{
	static const struct strategy *const all[] = { &strategy_deepening, &strategy_dpor,
						      &strategy_mcr, &strategy_random };
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		char line[64];
		int n = snprintf(line, sizeof(line), "--strategy=%s\n", strategy_word(all[i]));
		if (identity->len && memmem(identity->at, identity->len, line, (size_t)n))
			return all[i];
	}
	return NULL;
}

/* What explore() does before the first execution; false: the ledger was rejected. */
static bool read_one(const uint8_t *bytes, size_t len, struct buf *state_again)
{
	struct ledger l = { .path = fuzz_file(bytes, len), .is_continued = true };
	struct err err;
	if (len >= FIRST + HEAD && word(bytes + FIRST + 8) <= len - FIRST - HEAD)
		buf_add(&l.identity, bytes + FIRST + HEAD, word(bytes + FIRST + 8));
	struct explore_config c = { .strategy = strategy_in(&l.identity),
				    .workers = 1,
				    .max_preemptions = UINT64_MAX,
				    .goes_on = true,
				    .keeps_outcomes = true,
				    .finds_races = true };
	bool is_good = false;
	if (c.strategy && !ledger_open(&l, &err)) {
		struct explore_result r = { 0 };
		void *state = c.strategy->new (&c);
		is_good = !ledger_read(&l, &c, state, &r, &err);
		if (is_good)
			c.strategy->save(state, state_again);
		c.strategy->end(state);
		explore_result_release(&r);
	}
	ledger_close(&l);
	return is_good;
}

static void run(const uint8_t *bytes, size_t len)
{
	struct buf state = { 0 };
	if (read_one(bytes, len, &state)) {
		struct buf again = { 0 };
		if (!read_one(bytes, len, &again) || state.len != again.len ||
		    memcmp(state.at, again.at, state.len))
			abort(); /* the same bytes are the same search */
		buf_release(&again);
	}
	buf_release(&state);
}

/* Records get the length that is left, if theirs is too large, and their checksums. */
static size_t repair(uint8_t *bytes, size_t len, size_t room)
{
	(void)room;
	uint64_t check = 0;
	for (size_t at = FIRST; len >= FIRST && len - at >= HEAD;) {
		uint64_t kind = word(bytes + at), length = word(bytes + at + 8),
			 left = len - at - HEAD;
		if (length > left)
			length = left;
		check = hash_bytes(hash_mix(hash_mix(check, word(bytes) + kind), length),
				   bytes + at + HEAD, length);
		memcpy(bytes + at + 8, &length, sizeof(length));
		memcpy(bytes + at + 16, &check, sizeof(check));
		at += HEAD + length;
	}
	return len;
}

const struct fuzz_target fuzz_ledger = { "ledger", run, repair };
