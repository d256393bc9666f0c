/* SPDX-License-Identifier: Apache-2.0 */
/* Names of the settings of an execution; see settings.h. */
#include "base/settings.h"

#include <string.h>

#include "wire/wire.h"

const char *const memory_names[] = {
	[MEMORY_SC] = "sc", [MEMORY_TSO] = "tso", [MEMORY_PSO] = "pso", NULL
};
const char *const memory_titles[] = {
	[MEMORY_SC] = "SC", [MEMORY_TSO] = "TSO", [MEMORY_PSO] = "PSO", NULL
};
const char *const heap_names[] = { [HEAP_FRESH] = "fresh", [HEAP_REUSE] = "reuse", NULL };
const char *const backend_names[] = {
	[BACKEND_AUTO] = "auto", [BACKEND_FIBERS] = "fibers", [BACKEND_THREADS] = "threads", NULL
};

int name_index(const char *const *names, const char *name, size_t len)
{
	for (int i = 0; names[i]; i++)
		if (strlen(names[i]) == len && !memcmp(names[i], name, len))
			return i;
	return -1;
}

void name_list(const char *const *names, struct buf *out)
{
	for (size_t i = 0; names[i]; i++)
		buf_printf(out, "%s%s", !i ? "" : names[i + 1] ? ", " : " or ", names[i]);
}
