/* SPDX-License-Identifier: Apache-2.0 */
/* RAPID's STD text: imported, with what the import says checked by the consistency rules inside. */
#include "fuzz.h"

#include <stdlib.h>

#include "trace/std.h"

static void run(const uint8_t *bytes, size_t len)
{
	struct err err;
	struct trace_writer *w;
	const char *path = fuzz_file(bytes, len);
	bool is_std;
	if (std_detect(path, &is_std, &err))
		return;
	/* Text mostly: a writer of the binary form takes longer to make than such a file to read.
	 */
	if (trace_writer_open(&w, "/dev/null", len % 64 ? TRACE_TEXT : TRACE_BINARY, &err))
		abort();
	std_import(path, len & 1 ? STD_BEGIN_BLOCKS : STD_BEGIN_THREADS, w, &err);
}

const struct fuzz_target fuzz_std = { "std", run, NULL };
