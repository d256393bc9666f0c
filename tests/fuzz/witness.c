/* SPDX-License-Identifier: Apache-2.0 */
/* Witnesses: parsed, printed, parsed again, which must give the same text. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "trace/witness.h"

static void run(const uint8_t *bytes, size_t len)
{
	struct err err;
	struct witness w, again;
	witness_init(&w);
	if (!witness_parse(&w, "input", (const char *)bytes, len, &err)) {
		struct buf text = { 0 }, text_again = { 0 };
		struct witness_schedule schedule;
		witness_schedule(&w, &schedule);
		witness_schedule_release(&schedule);
		witness_print(&w, &text);
		witness_init(&again);
		if (witness_parse(&again, "again", text.at, text.len, &err))
			abort();
		witness_print(&again, &text_again);
		if (strcmp(text.at, text_again.at))
			abort();
		witness_release(&again);
		buf_release(&text);
		buf_release(&text_again);
	}
	witness_release(&w);
}

const struct fuzz_target fuzz_witness = { "witness", run, NULL };
