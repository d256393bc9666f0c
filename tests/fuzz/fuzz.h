/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzing of everything that reads what others wrote.  A target takes bytes and must come back,
 * whatever they are.  The same targets run under three drivers: driver.c (a deterministic
 * mutator, used by the tests), libFuzzer and AFL++ (tests/fuzz/README.md).
 */
#ifndef HEDDLE_FUZZ_H
#define HEDDLE_FUZZ_H

#include <stddef.h>
#include <stdint.h>

struct fuzz_target {
	const char *name;
	void (*run)(const uint8_t *bytes, size_t len);
	/*
	 * Make what a mutation broke on purpose right again (lengths, checksums), or nothing
	 * would get past them; NULL if there is nothing of the kind.  Works in place and gives
	 * the new length, at most room.
	 */
	size_t (*repair)(uint8_t *bytes, size_t len, size_t room);
};

extern const struct fuzz_target fuzz_trace, fuzz_witness, fuzz_options, fuzz_std, fuzz_index,
	fuzz_inputs, fuzz_ring, fuzz_image, fuzz_response, fuzz_arguments, fuzz_message,
	fuzz_suppressions, fuzz_ledger;

/* A file of these bytes for readers that want a path: it is gone with the next call. */
const char *fuzz_file(const uint8_t *bytes, size_t len);

#endif
