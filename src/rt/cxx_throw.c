/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exceptions.  Throwing, unwinding and catching are the libraries' own: all they need of a thread
 * is its stack and its TLS, and a fiber has both.  Here they become events, and what
 * std::terminate is called for becomes a finding.
 *
 * Frames that an exception leaves run their exit hooks on the way, in the cleanups that the
 * compilers make for them; those of functions without cleanups are dropped when the exception is
 * caught, by the stack pointer.
 *
 * The terminate handler of the process is ours, the one that the program asked for is called by
 * it.  The library calls it before any frame is left if no handler was found, so the event has
 * the call stack of the throw; where a function that may not throw was reached it has the stack
 * of that function, and the event of the throw has its own.
 */
#include "rt/cxx.h"
#include "rt/failure.h"
#include "rt/heap.h"
#include "rt/libc_thread.h"
#include "rt/libc_wrap.h"
#include "rt/module.h"
#include "rt/stack.h"
#include "rt/start.h"
#include "rt/thread.h"
#include "rt/unwind.h"
#include "wire/wire.h"

#define TEXT_MAX 1024
/* Positions in tables of virtual functions (Itanium C++ ABI, libstdc++'s type_info). */
#define FUNCTION_WHAT 2	    /* std::exception::what */
#define FUNCTION_DO_CATCH 4 /* std::type_info::__do_catch */

typedef const char *what_function(const void *object);
typedef bool do_catch_function(const struct cxx_type *self, const struct cxx_type *thrown,
			       void **object, unsigned outer);

static RT_STATE terminate_handler *program_handler;

/* ---- the program's calls ---- */

/*
 * Classes of exceptions that the library defines have their constructors there, and some are made
 * and thrown by the library altogether.  Until an exception is thrown (or given to an
 * exception_ptr) only the thread that makes it knows where it is, so what is new in it now was
 * written by this thread. The text of std::logic_error, std::runtime_error and their heirs is a
 * block of the library's own, written once by the constructor that made it and shared by all
 * copies: it appears, but no thread of the program writes it.
 */
void cxx_tell_made(const void *exception, pc_t pc)
{
	size_t size = heap_room((uintptr_t)exception);
	if (!size)
		return;
	libc_wrote_if_changed(exception, size, pc);
	const uintptr_t *words = exception;
	for (size_t i = 0; i < size / sizeof(*words); i++) {
		uintptr_t text = heap_block_of_library(words[i]);
		if (text)
			libc_appeared((const void *)text, heap_room(text), pc);
	}
}

RT_EXPORT void __cxa_throw(void *thrown, struct cxx_type *type, void (*destroy)(void *))
{
	if (rt_local_wrapper(PC)) {
		cxx_tell_made(thrown, PC);
		ev_sync(EV_THROW, (uintptr_t)thrown, 0, (uintptr_t)type, 0, PC);
		g.cur->thrown_at = rt_program_place(PC);
	}
	REAL_CXX(__cxa_throw)(thrown, type, destroy);
	__builtin_unreachable();
}

void *cxx_current_exception(void)
{
	void *object = NULL;
	REAL_CXX(_ZSt17current_exceptionv)(&object);
	void *reference = object;
	if (reference)
		REAL_CXX(_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv)(&reference);
	return object;
}

/* To throw again: the event of the first throw has the type. */
RT_EXPORT void __cxa_rethrow(void)
{
	if (rt_local_wrapper(PC)) {
		ev_sync(EV_THROW, (uintptr_t)cxx_current_exception(), 0, 0, 0, PC);
		g.cur->thrown_at = rt_program_place(PC);
	}
	REAL_CXX(__cxa_rethrow)();
	__builtin_unreachable();
}

RT_EXPORT void _ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE(void **pointer)
{
	if (rt_local_wrapper(PC)) {
		cxx_exception_counted(*pointer, 1, PC);
		ev_sync(EV_THROW, (uintptr_t)*pointer, 0, 0, 0, PC);
		g.cur->thrown_at = rt_program_place(PC);
	}
	REAL_CXX(_ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE)(pointer);
	__builtin_unreachable();
}

RT_EXPORT void *__cxa_begin_catch(void *unwind)
{
	void *adjusted = REAL_CXX(__cxa_begin_catch)(unwind);
	if (!g.active || g.internal)
		return adjusted;
	stack_drop_below((uintptr_t)__builtin_frame_address(0));
	libc_calls_left((uintptr_t)__builtin_frame_address(0));
	if (rt_is_libc_code(PC))
		/* the library's own affair: it cleans up, or calls the terminate handler */
		return adjusted;
	rt_enter(PC);
	rt_point();
	ev_sync(EV_CATCH, (uintptr_t)cxx_current_exception(), 0, 0, 0, PC);
	return adjusted;
}

/* ---- the end by std::terminate ---- */

static char *append(char *at, const char *end, const char *text)
{
	while (*text && at < end)
		*at++ = *text++;
	*at = 0;
	return at;
}

/* What a std::exception says about itself, NULL for everything else. */
static const char *what_of(const struct cxx_type *type, void *object)
{
	const struct cxx_type *base = REAL_CXX(_ZTISt9exception);
	if (!base)
		return NULL;
	do_catch_function *do_catch =
		(do_catch_function *)base->object.functions[FUNCTION_DO_CATCH];
	if (!do_catch(base, type, &object, 1))
		return NULL;
	const struct cxx_object *exception = object;
	return ((what_function *)exception->functions[FUNCTION_WHAT])(object);
}

/* "type|what": the type's mangled name, which contains no bar. */
static void describe(char *text, const char *end)
{
	const struct cxx_type *type = REAL_CXX(__cxa_current_exception_type)();
	const char *name = type->name + (type->name[0] == '*');
	char *at = append(append(text, end, name), end, "|");
	const char *what = what_of(type, cxx_current_exception());
	if (what)
		append(at, end, what);
}

static void on_terminate(void)
{
	if (g.active && !g.internal) {
		pc_t pc = rt_program_place(PC);
		rt_enter(pc);
		bool has_exception = REAL_CXX(__cxa_current_exception_type)();
		char text[TEXT_MAX] = "";
		g.no_preempt++;
		if (has_exception)
			describe(text, text + sizeof(text) - 1);
		if (g.no_preempt) /* what() may throw and catch */
			g.no_preempt--;
		if (has_exception)
			ev_text(EV_FAILURE, (uintptr_t)cxx_current_exception(), FAIL_EXCEPTION, 0,
				text, g.cur->thrown_at ? g.cur->thrown_at : pc);
		else
			rt_finding_text(FAIL_TERMINATE, "", pc);
		rt_give_up_control();
	}
	program_handler();
	REAL_FN(abort)(); /* a handler must not return */
}

void cxx_init(void)
{
	g.internal++;
	real_resolve_cxx();
	if (real__ZSt13set_terminatePFvvE)
		program_handler = real__ZSt13set_terminatePFvvE(on_terminate);
	g.internal--;
}

RT_EXPORT terminate_handler *_ZSt13set_terminatePFvvE(terminate_handler *handler)
{
	if (!program_handler)
		return REAL_CXX(_ZSt13set_terminatePFvvE)(handler);
	rt_local_wrapper(PC);
	terminate_handler *before = program_handler;
	program_handler = handler ? handler : (terminate_handler *)REAL_FN(abort);
	return before;
}

/* The library asks too, for the handler to call. */
RT_EXPORT terminate_handler *_ZSt13get_terminatev(void)
{
	return program_handler && !rt_is_libc_code(PC) ? program_handler
						       : REAL_CXX(_ZSt13get_terminatev)();
}
