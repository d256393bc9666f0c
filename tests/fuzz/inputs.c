/* SPDX-License-Identifier: Apache-2.0 */
/* Files of inputs beside a witness: one that is accepted consists of whole records, which are
 * counted here once more. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "trace/inputs.h"

static uint64_t count_records(const uint8_t *bytes, size_t len)
{
	uint64_t records = 0;
	for (size_t at = WIRE_INPUTS_START; at < len; records++) {
		struct wire_input r;
		if (len - at < sizeof(r))
			abort();
		memcpy(&r, bytes + at, sizeof(r));
		at += sizeof(r);
		if (r.len > len - at)
			abort();
		at += (r.len + 7) & ~7ull;
	}
	return records;
}

static void run(const uint8_t *bytes, size_t len)
{
	struct inputs in = { 0 };
	struct err err;
	int fd;
	if (!inputs_open(&in, fuzz_file(bytes, len), &err)) {
		if (in.size != len || inputs_file(&in, &fd, &err) ||
		    in.records != count_records(bytes, len))
			abort();
	}
	inputs_release(&in);
}

const struct fuzz_target fuzz_inputs = { "inputs", run, NULL };
