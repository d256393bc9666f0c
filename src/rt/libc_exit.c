/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Handlers that run at the end of the process: libc keeps the lists, of exit and of quick_exit,
 * and takes one handler after the other from them, while other threads may still register more.
 * Each registration changes the list, and so does each handler that is taken from it.  libc calls
 * a handler as soon as it has taken it, so a function of ours, called in its place, tells that
 * first: no other thread runs between.
 *
 * Once a list is empty no further handler is accepted.
 */
#include "rt/exit_list.h"
#include "rt/explore.h"
#include "rt/libc_wrap.h"
#include "rt/mem.h"
#include "rt/module.h"
#include "wire/wire.h"

struct handler {
	union {
		void (*with_argument)(void *);
		void (*with_status)(int, void *);
	} function;
	void *argument;
	struct handler *next; /* of quick_exit; that is not in use */
};

#define HANDLERS 64 /* at a time */
static RT_STATE struct handler first_handlers[HANDLERS], *spare;
/* of quick_exit, the last one first: libc does not keep an argument for them */
static RT_STATE struct handler *quick;
static RT_STATE bool spare_is_set_up, is_over;

static void add_spare(struct handler *handlers)
{
	for (unsigned i = 0; i < HANDLERS; i++) {
		handlers[i].next = spare;
		spare = &handlers[i];
	}
}

static struct handler *handler_new(void *argument)
{
	if (!spare_is_set_up)
		add_spare(first_handlers);
	else if (!spare)
		add_spare(rt_map(HANDLERS * sizeof(struct handler)));
	spare_is_set_up = true;
	struct handler *h = spare;
	spare = h->next;
	h->argument = argument;
	return h;
}

static void tell_taken(pc_t pc)
{
	if (g.active && !g.internal)
		explore_hidden((uintptr_t)&libc_hidden_objects[HIDDEN_EXIT_LIST], HIDDEN_EXIT_LIST,
			       1, pc);
}

static struct handler taken(struct handler *h)
{
	struct handler copy = *h;
	h->next = spare;
	spare = h;
	tell_taken(g.hook_pc);
	return copy;
}

static void call_with_argument(void *p)
{
	struct handler h = taken(p);
	h.function.with_argument(h.argument);
}

static void call_with_status(int status, void *p)
{
	struct handler h = taken(p);
	h.function.with_status(status, h.argument);
}

static void call_quick(void *unused)
{
	struct handler *last = quick;
	quick = last->next;
	struct handler h = taken(last);
	h.function.with_argument(unused);
}

void exit_list_ends(pc_t pc)
{
	tell_taken(pc);
	is_over = true;
}

/* Whether it is a handler of the program's, in a controlled run; libc itself calls all others. */
static bool is_ours(pc_t pc)
{
	return g.session && !g.internal && !rt_is_libc_code(pc);
}

/* NULL: there is no place in the list any more. */
static struct handler *handler_add(bool is_controlled, void *argument, pc_t pc)
{
	if (is_controlled)
		libc_hidden(HIDDEN_EXIT_LIST, true, pc);
	return is_over ? NULL : handler_new(argument);
}

RT_EXPORT int __cxa_atexit(void (*function)(void *), void *argument, void *dso)
{
	if (!is_ours(PC))
		return REAL_FN(__cxa_atexit)(function, argument, dso);
	bool is_controlled = libc_enter(PC);
	struct handler *h = handler_add(is_controlled, argument, PC);
	if (!h)
		return -1;
	h->function.with_argument = function;
	return is_controlled ? LIBC_CALL(REAL_FN(__cxa_atexit)(call_with_argument, h, dso))
			     : REAL_FN(__cxa_atexit)(call_with_argument, h, dso);
}

RT_EXPORT int on_exit(void (*function)(int, void *), void *argument)
{
	if (!is_ours(PC))
		return REAL_FN(on_exit)(function, argument);
	bool is_controlled = libc_enter(PC);
	struct handler *h = handler_add(is_controlled, argument, PC);
	if (!h)
		return -1;
	h->function.with_status = function;
	return is_controlled ? LIBC_CALL(REAL_FN(on_exit)(call_with_status, h))
			     : REAL_FN(on_exit)(call_with_status, h);
}

RT_EXPORT int __cxa_at_quick_exit(void (*function)(void *), void *dso)
{
	if (!is_ours(PC))
		return REAL_FN(__cxa_at_quick_exit)(function, dso);
	bool is_controlled = libc_enter(PC);
	struct handler *h = handler_add(is_controlled, NULL, PC);
	if (!h)
		return -1;
	h->function.with_argument = function;
	h->next = quick;
	quick = h;
	return is_controlled ? LIBC_CALL(REAL_FN(__cxa_at_quick_exit)(call_quick, dso))
			     : REAL_FN(__cxa_at_quick_exit)(call_quick, dso);
}
