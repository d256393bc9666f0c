/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The program's place behind a call that a library makes.  std::thread::join is a function of
 * libstdc++, and it is there that pthread_join is called; what a reader wants to see is the line
 * of the program.  Libraries have no hooks, so the frames between are walked with their unwind
 * tables, by libgcc, which every C++ program has loaded.
 */
#include "rt/hot.h"
#include "rt/module.h"
#include "rt/openmp.h"
#include "rt/cxx.h"
#include "rt/rt.h"
#include "rt/start.h"
#include "rt/unwind.h"

static _Unwind_Reason_Code stop_at_once(struct _Unwind_Context *context, void *unused)
{
	(void)context, (void)unused;
	return _URC_END_OF_STACK;
}

/*
 * libgcc's first walk initialises its tables through pthread_once.  The runtime walks stacks in
 * some modes only, so the first walk must not be the program's: a throw would have more hooks in
 * one mode than in another, and a schedule that was explored could not be followed when it is
 * recorded.
 */
void unwind_init(void)
{
	if (!real__Unwind_Backtrace)
		return;
	g.internal++;
	real__Unwind_Backtrace(stop_at_once, NULL);
	g.internal--;
}

static _Unwind_Reason_Code look_for_program(struct _Unwind_Context *context, void *found)
{
	uintptr_t ip = real__Unwind_GetIP(context);
	if (rt_owns_code(ip) || rt_is_libc_code(ip))
		return _URC_NO_REASON;
	*(pc_t *)found = ip;
	return _URC_END_OF_STACK; /* stops the walk */
}

pc_t rt_program_place(pc_t pc)
{
	if (unlikely(openmp_owns_code(pc)))
		return openmp_program_place(pc);
	if (!rt_is_libc_code(pc) || !real__Unwind_Backtrace)
		return pc;
	pc_t found = 0;
	g.internal++;
	real__Unwind_Backtrace(look_for_program, &found);
	g.internal--;
	return found ? found : pc;
}
