/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The start of the process.  `heddle run` starts the program with HEDDLE_RUN in its environment
 * (wire/run.h).  Without it, or if it cannot be parsed, nothing is mapped, run_self stays NULL
 * everywhere, and every wrapper only calls the function that it wraps.
 */
#include "run/start.h"

#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "run/address.h"
#include "run/crash.h"
#include "run/heap.h"
#include "run/history.h"
#include "run/memory.h"
#include "run/place.h"
#include "run/real.h"
#include "run/report.h"
#include "run/run.h"
#include "run/shadow.h"
#include "run/stacks.h"
#include "run/state.h"
#include "run/thread.h"
#include "run/tool.h"
#include "wire/run.h"

/* How far the main thread's stack may extend from here. */
#define MAIN_STACK (16ull << 20)
#define MAIN_ABOVE (128ull << 10)
#define USER_END 0x7ffffffff000ull

/* The tool recognises a program for `heddle run` by this symbol. */
RUN_EXPORT const char heddle_run_version[] = RUN_VERSION;

/* Exactly `count` numbers, separated by commas. */
static bool parse(const char *s, uint32_t *numbers, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		if (*s < '0' || *s > '9')
			return false;
		numbers[i] = 0;
		while (*s >= '0' && *s <= '9')
			numbers[i] = numbers[i] * 10 + (uint32_t)(*s++ - '0');
		if (*s != (i + 1 < count ? ',' : 0))
			return false;
		s++;
	}
	return true;
}

/*
 * The program's code, its libraries and its stack must not share shadow: their addresses differ
 * within ADDRESS_MASK.  True for every layout of Linux with up to 28 bits of randomness.
 */
static bool has_expected_layout(void)
{
	uintptr_t own = getauxval(AT_PHDR) & ADDRESS_MASK,
		  library = (uintptr_t)&run_self & ADDRESS_MASK;
	uintptr_t stack = (uintptr_t)__builtin_frame_address(0) & ADDRESS_MASK;
	uintptr_t half = (ADDRESS_MASK + 1) / 2;
	return own < half + half / 2 && library >= half + half / 2 && stack >= half + half / 2;
}

static const char fine[] = RUN_HELLO_FINE;

static const char *begin(void)
{
	if (!has_expected_layout())
		return RUN_HELLO_PLACE;
	if (!run_map_at(SHADOW_BASE, SHADOW_SIZE) ||
	    !run_map_at(OBJECT_LISTS_BASE, OBJECT_LISTS_SIZE) ||
	    !run_map_at(STACKS_BASE, STACKS_SIZE) || !run_map_at(PARTS_BASE, PARTS_SIZE))
		return RUN_HELLO_SHADOW;
	place_begin();
	heap_begin();
	stack_table_init();
	core_init();
	g_lives = run_map(LIVES * sizeof(struct life));
	run_self = thread_begin(0, 0, NULL);
	uintptr_t sp = (uintptr_t)__builtin_frame_address(0);
	uintptr_t high = sp + MAIN_ABOVE < USER_END ? sp + MAIN_ABOVE : USER_END;
	stacks_add(run_self, sp - MAIN_STACK, high - (sp - MAIN_STACK));
	run_state.is_active = 1;
	fork_begin();
	crash_begin();
	state_answer_tool();
	return fine;
}

void start_begin(void)
{
	static bool has_begun;
	if (has_begun)
		return;
	has_begun = true;
	bool is_preloaded = takeover_is_preloaded();
	if (is_preloaded && !takeover_needed())
		return; /* a command that starts programs, or a program with this runtime */
	const char *s = tool_setting(RUN_ENVIRONMENT "=");
	uint32_t n[RUN_NUMBERS];
	if (!s && !is_preloaded)
		tool_start();
	if (!s || !parse(s, n, RUN_NUMBERS) || !tool_set(n[RUN_TOOL], n[RUN_KEY]))
		return;
	real_resolve();
	run_state.options.history = n[RUN_HISTORY];
	run_state.options.sections_kept = n[RUN_SECTIONS] ? n[RUN_SECTIONS] : 1;
	run_state.options.limit = n[RUN_LIMIT];
	run_state.options.exit_code = (int)n[RUN_EXIT_CODE];
	run_state.options.exit_wait = n[RUN_EXIT_WAIT];
	run_state.options.is_predicting = n[RUN_FLAGS] & RUN_FLAG_PREDICT;
	run_state.options.halts = n[RUN_FLAGS] & RUN_FLAG_HALT;
	run_state.options.finds_lock_orders = n[RUN_FLAGS] & RUN_FLAG_LOCK_ORDERS;
	run_state.options.finds_thread_leaks = n[RUN_FLAGS] & RUN_FLAG_THREAD_LEAKS;
	run_state.options.finds_signals = n[RUN_FLAGS] & RUN_FLAG_SIGNALS;
	run_state.options.finds_fd = n[RUN_FLAGS] & RUN_FLAG_FD;
	if (is_preloaded)
		takeover();
	const char *how = begin();
	report_hello(is_preloaded && how == fine ? RUN_HELLO_SLOW : how);
}

/* Before any constructor of the program, also of one without a hook. */
__attribute__((constructor(101))) static void start_early(void)
{
	start_begin();
}
