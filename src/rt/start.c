/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Beginning and end of the process.
 *
 * The session is found before any library's constructor runs (.preinit_array), so that even they
 * allocate from the arena.  Control begins at main: __libc_start_main is ours, and passes libc a
 * main that sets up the fibers and runs the program's main on the stack of slot 0, with argv and
 * environment copied to fixed addresses.
 *
 * The end of the process is a scheduling point of its own: main may return while other threads
 * still run. exit() runs the program's handlers and destructors under control; our own handler,
 * registered before all others and so called last, is where the process ends for the trace.  What
 * follows (flushing of streams) is libc's and runs undisturbed.
 */
#include <link.h>
#include <sys/mman.h>
#include <sys/single_threaded.h>
#include <sys/stat.h>

#include "rt/buffer.h"
#include "rt/chunk.h"
#include "rt/cxx.h"
#include "rt/debug.h"
#include "rt/exit_list.h"
#include "rt/explore.h"
#include "rt/explore_snapshot.h"
#include "rt/failure.h"
#include "wire/fault.h"
#include "rt/fiber.h"
#include "rt/heap.h"
#include "rt/hook_stack.h"
#include "rt/libc_stream.h"
#include "rt/mem.h"
#include "rt/module.h"
#include "rt/module_end.h"
#include "rt/outside.h"
#include "rt/ring.h"
#include "rt/sched.h"
#include "rt/shadow.h"
#include "rt/signals.h"
#include "rt/stack.h"
#include "rt/start.h"
#include "rt/sys.h"
#include "rt/thread.h"
#include "rt/thread_local.h"
#include "rt/unwind.h"
#include "wire/path.h"
#include "wire/version.h"
#include "wire/wire.h"

#define THREAD_BLOCK 0x900 /* libc's descriptor of a thread, which follows its TLS */
#define TLS_SURPLUS 1664   /* below its TLS, what libc keeps for libraries to come */

RT_STATE struct hot g;
RT_STATE uintptr_t rt_hook_top;
RT_STATE struct hook_registers rt_hook_registers;
RT_STATE struct program_stack rt_program;

/* Found in the executable by the tool: this program was linked by heddle, with this wire version.
 */
RT_EXPORT const uint32_t heddle_runtime_version = WIRE_VERSION;

extern char **environ;
extern char __start_heddle_text[], __stop_heddle_text[];

static RT_STATE size_t session_bytes; /* of all of its mapping */
static RT_STATE int (*program_main)(int, char **, char **);
static RT_STATE int program_argc;
static RT_STATE uintptr_t main_tls, arguments_size;
static RT_STATE char **program_argv;
static RT_STATE int exit_status;
static RT_STATE pc_t exit_pc;
static RT_STATE struct thread *exiting; /* the thread that ends the process */

bool rt_owns_code(uintptr_t pc)
{
	return pc >= (uintptr_t)__start_heddle_text && pc < (uintptr_t)__stop_heddle_text;
}

void rt_end_process(int status)
{
	if (g.session)
		g.session->state = STATE_ENDED;
	for (;;)
		sys3(SYS_exit_group, status, 0, 0);
}

void rt_give_up_control(void)
{
	if (g.exploring)
		explore_end_failed();
	ring_close_chunk();
	uint64_t hooks = rt_hooks();
	outside_end();
	g.active = 0;
	rt_hook_top = 0;
	g.budget = 0;
	g.hooks_bias = hooks;
	g.unsettled = 0;
	g.session->hooks = hooks;
	g.session->concurrent_hooks = sched_concurrent_hooks();
	g.session->state = STATE_ENDED;
	signal_end_control();
}

void rt_stop(void)
{
	rt_give_up_control();
	rt_end_process(0);
}

/* ---- finding the session ---- */

static unsigned long parse_number(const char *s)
{
	unsigned long n = 0;
	while (*s >= '0' && *s <= '9')
		n = n * 10 + (unsigned long)(*s++ - '0');
	return n;
}

static const char *value_of(const char *entry, const char *name)
{
	while (*name && *entry == *name) {
		entry++;
		name++;
	}
	return !*name && *entry == '=' ? entry + 1 : NULL;
}

static void session_open(int fd)
{
	struct stat st;
	if (sys3(SYS_fstat, fd, &st, 0) || st.st_size < (off_t)sizeof(struct wire_session))
		rt_fatal("the session that heddle passed to the program is not there");
	/* Twice the ring: the second view follows the file's end, where the ring is. */
	size_t size = (size_t)st.st_size;
	struct wire_session *probe = (void *)sys6(SYS_mmap, 0, 4096, PROT_READ, MAP_SHARED, fd, 0);
	if ((unsigned long)probe > -4096ul)
		rt_fatal("the session that heddle passed to the program cannot be mapped");
	/* Not as a constant: the number that the file shows is the one that counts. */
	uint32_t version = *(const volatile uint32_t *)&heddle_runtime_version;
	if (probe->magic != WIRE_MAGIC || probe->version != version ||
	    probe->size_of_session != sizeof(*probe))
		rt_fatal("the program was built by another version of heddle; build it again");
	size_t ring = probe->ring_size;
	off_t ring_at = (off_t)probe->ring_offset;
	sys3(SYS_munmap, probe, 4096, 0);
	char *where = rt_map_at(RT_RING - (uintptr_t)ring_at, size + ring);
	if (sys6(SYS_mmap, (long)where, (long)size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
		 fd, 0) != (long)where ||
	    sys6(SYS_mmap, (long)(where + size), (long)ring, PROT_READ | PROT_WRITE,
		 MAP_SHARED | MAP_FIXED, fd, ring_at) != (long)(where + size) ||
	    ring_at + (off_t)ring != (off_t)size)
		rt_fatal("the session that heddle passed to the program cannot be mapped");
	sys3(SYS_close, fd, 0, 0);
	g.session = (struct wire_session *)where;
	session_bytes = size + ring;
}

void rt_detach_session(void)
{
	struct wire_session copy = *g.session;
	sys6(SYS_mmap, (long)g.session, (long)session_bytes, PROT_READ | PROT_WRITE,
	     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
	*g.session = copy;
	g.session->state = STATE_ENDED;
	g.active = 0;
	rt_hook_top = 0;
	g.budget = 0;
	g.unsettled = 0;
	g.no_preempt = 0;
}

static void preinit(int argc, char **argv, char **envp)
{
	(void)argc;
	(void)argv;
	const char *found = NULL;
	char **to = envp;
	for (char **e = envp; *e; e++) {
		const char *value = value_of(*e, WIRE_ENV);
		if (value)
			found = value;
		else
			*to++ = *e;
	}
	*to = NULL;
	if (!found)
		return;
	session_open((int)parse_number(found));
	debug_await();
	shadow_begin();
	chunk_init();
	heap_init();
}

__attribute__((section(".preinit_array"), used)) static void (*preinit_entry)(int, char **,
									      char **) = preinit;

/* ---- the beginning of control ---- */

static char *copy_strings(char **from, char **to, char *at)
{
	for (; *from; from++, to++) {
		size_t n = rt_strlen(*from) + 1;
		rt_memcpy(at, *from, n);
		*to = at;
		at += n;
	}
	*to = NULL;
	return at;
}

/* argv, environment and their strings, at addresses that do not depend on how the kernel laid out
 * its stack. */
static void copy_arguments(int argc, char **argv)
{
	size_t strings = 0, entries = 0;
	for (char **e = environ; e && *e; e++, entries++)
		strings += rt_strlen(*e) + 1;
	for (char **a = argv; *a; a++)
		strings += rt_strlen(*a) + 1;
	size_t pointers = ((size_t)argc + entries + 2) * sizeof(char *);
	size_t total = (pointers + strings + 4095) & ~4095ul;
	char **new_argv = (char **)ARENA_ARGS;
	char **new_env = new_argv + argc + 1;
	char *at = copy_strings(argv, new_argv, (char *)ARENA_ARGS + pointers);
	if (environ)
		copy_strings(environ, new_env, at);
	environ = new_env;
	program_argv = new_argv;
	program_argc = argc;
	arguments_size = total;
	shadow_snapshot(ARENA_ARGS, total);
	ev_region(ARENA_ARGS, total, REGION_ARGS, 0);
}

/* Where the variables of the main thread begin: those of the modules that are loaded now, and of
 * some to come. */
static int find_lowest_tls(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)size;
	uintptr_t *lowest = data, tls = (uintptr_t)info->dlpi_tls_data;
	if (tls && tls < *lowest)
		*lowest = tls;
	return 0;
}

static void announce_main_tls(void)
{
	uintptr_t lowest = g.cur->context.fs;
	g.internal++;
	real_dl_iterate_phdr(find_lowest_tls, &lowest);
	g.internal--;
	lowest -= TLS_SURPLUS;
	buffer_main_tls(lowest, g.cur->context.fs + THREAD_BLOCK);
	main_tls = lowest;
	ev_region(lowest, g.cur->context.fs + THREAD_BLOCK - lowest, REGION_TLS, 0);
}

static void main_body(void)
{
	int status = program_main(program_argc, program_argv, environ);
	exit(status);
}

static void process_end(void *unused);
static void process_quick_end(void *unused);

static int controlled_main(int argc, char **argv, char **envp)
{
	(void)envp;
	if (g.session->policy == POLICY_EXPLORE)
		explore_init();
	ring_attach();
	buffer_init();
	g.watches = g.session->policy == POLICY_EXPLORE || g.session->awaits;
	rt_map_at(ARENA_STACKS, ARENA_END - ARENA_STACKS);
	fiber_init();
	signal_init();
	failure_init();
	module_scan();
	announce_main_tls();
	copy_arguments(argc, argv);
	if (!heap_is_ours())
		ev_note("the program has a malloc of its own, so use after free and bad frees are "
			"not seen");
	heap_snapshot();
	sched_init();
	cxx_init();
	unwind_init();
	__libc_single_threaded = 0; /* or libraries would count references without atomics */
	g.stack_id = g.chunk_stack_id = FRAME_NEW - 1;
	g.slow = HOT_NEW_STACK;
	if (g.session->until_event != UINT64_MAX || g.session->plain_accesses || g.exploring ||
	    g.watches)
		g.slow |= HOT_SLOW;
	else
		chunk_forget_hints();
	g.session->state = STATE_RUNNING;
	if (g.exploring)
		explore_fork();
	outside_init();
	if (g.exploring)
		explore_serve();
	rt_run_program();
}

void rt_mark(void)
{
	snapshot_add(main_tls, g.cur->context.fs + THREAD_BLOCK - main_tls, false);
	snapshot_add(ARENA_ARGS, arguments_size, true);
}

void rt_run_program(void)
{
	g.active = 1;
	if (g.session->policy == POLICY_EXPLORE)
		explore_begin();
	ev_sync(EV_BEGIN, 0, 0, THREAD_NONE, 0, (pc_t)program_main + 1);
	fiber_run_main(g.cur, main_body);
}

/* In the place of the dynamic linker's function, which libc calls after the program's handlers. */
static RT_STATE void (*linkers_end)(void);
static void run_destructors(void)
{
	bool ends_modules = g.active && g.session->policy == POLICY_EXPLORE;
	if (FAULT(LINKER_RUNS_DESTRUCTORS))
		ends_modules = false;
	if (ends_modules)
		modules_end();
	else if (linkers_end)
		linkers_end();
}

RT_EXPORT int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv,
				void (*init)(void), void (*fini)(void), void (*rtld_fini)(void),
				void *stack_end)
{
	rt_real_resolve();
	program_main = main;
	if (g.session) {
		REAL_FN(__cxa_atexit)(process_end, NULL, NULL);
		REAL_FN(__cxa_at_quick_exit)(process_quick_end, NULL);
		main = controlled_main;
		linkers_end = rtld_fini;
		rtld_fini = run_destructors;
	}
	return real___libc_start_main(main, argc, argv, init, fini, rtld_fini, stack_end);
}

/* ---- the end ---- */

/* Another thread is already ending the process: this one never returns from its call. */
static void wait_for_end(void)
{
	/* An explorer must know that it came too late, to let it come first another time. */
	if (g.exploring)
		ev_sync(EV_HIDDEN, (uintptr_t)&exiting, 0, 0, 0, g.hook_pc);
	for (;;)
		sched_wait(NULL, NULL, NO_DEADLINE, false);
}

/*
 * `flushes`: libc will write what streams still hold.  _exit comes here at once, also while
 * another thread runs handlers in exit.
 */
static void announce_end(int status, bool flushes, pc_t pc)
{
	rt_enter(pc);
	g.cur->step.ends_process = true;
	rt_point();
	buffer_empty();
	signal_fault_ends();
	/*
	 * Other threads can write between the last flush and the end.  That there are steps for
	 * both must not depend on what others do, so there are as soon as there was another
	 * thread, whatever it has done.
	 */
	bool others_go_on = flushes && fiber_threads_made() > 1;
	if (FAULT(LAST_FLUSH_IS_END))
		others_go_on = false;
	if (flushes && (g.exploring || others_go_on))
		streams_flush_at_end(others_go_on, pc);
	if (others_go_on) {
		rt_enter(pc);
		rt_point();
	}
	ev_sync(EV_PROCESS_END, 0, 0, (uint64_t)(status & 0xff), path_folded(g.path), pc);
	if (g.exploring)
		explore_exit(status);
	rt_give_up_control();
}

void rt_announce_exec(pc_t pc)
{
	ev_note("the program is replaced by another one, which runs uncontrolled");
	announce_end(0, false, pc);
	if (g.session->policy == POLICY_REPLAY)
		rt_end_process(0); /* what the other program did is not part of the run */
}

/* libc has run all handlers, and called `from`. */
static void end_by(bool flushes, pc_t from)
{
	pc_t pc = exit_pc ? exit_pc : from;
	if (!g.active)
		return;
	if (exiting && exiting != g.cur)
		wait_for_end();
	exiting = g.cur;
	exit_list_ends(pc);
	/* destructors of modules follow, which need the dynamic linker */
	if (flushes)
		loader_wait(pc);
	announce_end(exit_status, flushes, pc);
}

static void process_end(void *unused)
{
	(void)unused;
	end_by(true, PC);
}

static void process_quick_end(void *unused)
{
	(void)unused;
	end_by(false, PC);
}

/* A thread begins to end the process: any other one that wants to do so from now on waits for ever.
 */
static void begin_to_end(int status, pc_t pc)
{
	rt_enter(pc);
	rt_point();
	buffer_empty();
	if (exiting && exiting != g.cur)
		wait_for_end();
	exiting = g.cur;
	if (g.exploring)
		ev_sync(EV_HIDDEN, (uintptr_t)&exiting, 0, 1, 0, pc);
	exit_status = status;
	/* The return of main is shown as main itself. */
	exit_pc = rt_owns_code(pc) ? (pc_t)program_main + 1 : pc;
	/* Handlers are taken from their list in a step of their own, which a thread that comes
	 * too late does not make. */
	rt_enter(pc);
	rt_point();
}

RT_EXPORT void exit(int status)
{
	if (g.active && !g.internal)
		begin_to_end(status, PC);
	if (g.session && g.cur)
		thread_run_exit_calls();
	REAL_FN(exit)(status);
	__builtin_unreachable();
}

RT_EXPORT void quick_exit(int status)
{
	if (g.active && !g.internal)
		begin_to_end(status, PC);
	REAL_FN(quick_exit)(status);
	__builtin_unreachable();
}

#define IMMEDIATE_EXIT(name)                             \
	RT_EXPORT void name(int status)                  \
	{                                                \
		if (g.active && !g.internal)             \
			announce_end(status, false, PC); \
		REAL_FN(name)(status);                   \
		__builtin_unreachable();                 \
	}

IMMEDIATE_EXIT(_exit)
IMMEDIATE_EXIT(_Exit)
