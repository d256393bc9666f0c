/* SPDX-License-Identifier: Apache-2.0 */
/* What the wrappers of libc functions share and is too long for libc_wrap.h. */
#include "rt/libc_thread.h"
#include "rt/libc_wrap.h"
#include "rt/thread.h"
#include "rt/verifier.h"
#include "wire/wire.h"

RT_STATE char libc_hidden_objects[HIDDEN_LIMIT];

static void end_calls_below(uintptr_t sp)
{
	const uintptr_t *calls = g.cur->library.sp;
	while (g.no_preempt && (g.no_preempt > LIBC_CALLS || calls[g.no_preempt - 1] < sp)) {
		g.no_preempt--;
		if (g.session->sleep_allowed)
			g.session->sleep_allowed--;
	}
}

/* Calls and atomic functions may be inside each other. */
void libc_calls_left(uintptr_t sp)
{
	do
		end_calls_below(sp);
	while (verifier_sections_left(sp));
}

void libc_wrote_text(const char *s, pc_t pc)
{
	if (s)
		libc_wrote_string(s, pc);
}

void libc_read_text(const char *s, pc_t pc)
{
	if (s)
		libc_read_string(s, pc);
}

static size_t length_of(char *const *list)
{
	size_t n = 0;
	while (list[n])
		n++;
	return n;
}

void libc_wrote_texts(char *const *list, pc_t pc)
{
	if (!list)
		return;
	size_t n = length_of(list);
	rt_libc_wrote(list, (n + 1) * sizeof(*list), pc);
	for (size_t i = 0; i < n; i++)
		libc_wrote_string(list[i], pc);
}

void libc_read_texts(char *const *list, pc_t pc)
{
	if (!list)
		return;
	size_t n = length_of(list);
	rt_libc_read(list, (n + 1) * sizeof(*list), pc);
	for (size_t i = 0; i < n; i++)
		libc_read_string(list[i], pc);
}
