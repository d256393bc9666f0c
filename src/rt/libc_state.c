/* SPDX-License-Identifier: Apache-2.0 */
/*
 * State of the program as a whole that libc keeps: its options, its break, the settings of its
 * allocator. Each use is an access to the object.
 */
#include "rt/libc_wrap.h"
#include "rt/shadow.h"
#include "wire/wire.h"

/* ---- options: the arguments may be put into another order ---- */

static void before_options(int argc, char *const *argv, pc_t pc)
{
	libc_hidden(HIDDEN_OPTIONS, true, pc);
	rt_libc_read(&optind, sizeof(optind), pc);
	rt_libc_read(argv, ((size_t)argc + 1) * sizeof(*argv), pc);
	for (int i = 0; i < argc; i++)
		libc_read_string(argv[i], pc);
}

static int after_options(int argc, char *const *argv, int found, pc_t pc)
{
	libc_wrote_if_changed(argv, ((size_t)argc + 1) * sizeof(*argv), pc);
	rt_libc_wrote(&optind, sizeof(optind), pc);
	rt_libc_wrote(&optopt, sizeof(optopt), pc);
	rt_libc_wrote(&optarg, sizeof(optarg), pc);
	return found;
}

RT_EXPORT int getopt(int argc, char *const *argv, const char *options)
{
	if (!libc_enter(PC))
		return REAL_FN(getopt)(argc, argv, options);
	before_options(argc, argv, PC);
	return after_options(argc, argv, LIBC_CALL(REAL_FN(getopt)(argc, argv, options)), PC);
}

static void after_long_options(const struct option *longs, const int *which, pc_t pc)
{
	if (which)
		libc_wrote_if_changed(which, sizeof(*which), pc);
	for (; longs && longs->name; longs++)
		if (longs->flag)
			libc_wrote_if_changed(longs->flag, sizeof(*longs->flag), pc);
}

#define GETOPT_LONG(name)                                                                \
	RT_EXPORT int name(int argc, char *const *argv, const char *options,             \
			   const struct option *longs, int *which)                       \
	{                                                                                \
		if (!libc_enter(PC))                                                     \
			return REAL_FN(name)(argc, argv, options, longs, which);         \
		before_options(argc, argv, PC);                                          \
		int found = LIBC_CALL(REAL_FN(name)(argc, argv, options, longs, which)); \
		after_long_options(longs, which, PC);                                    \
		return after_options(argc, argv, found, PC);                             \
	}
GETOPT_LONG(getopt_long)
GETOPT_LONG(getopt_long_only)

/* ---- options described by tables, with the program's own parser called for each ---- */

WRAP(error_t, argp_parse,
     (const struct argp *restrict argp, int argc, char **restrict argv, unsigned flags,
      int *restrict index, void *restrict input),
     (argp, argc, argv, flags, index, input), before_options(argc, argv, PC),
     WROTE_CHANGES(argv, ((size_t)argc + 1) * sizeof(*argv));
     WROTE_OBJECT(index))

#define HELP(name, parameters, arguments, before) \
	WRAP_VOID(name, parameters, arguments, before, NOTHING)
HELP(argp_help,
     (const struct argp *restrict argp, FILE *restrict stream, unsigned flags, char *restrict name),
     (argp, stream, flags, name), READS_TEXT(name))
HELP(argp_state_help,
     (const struct argp_state *restrict state, FILE *restrict stream, unsigned flags),
     (state, stream, flags), NOTHING)

/* ---- the break: memory that follows the program's data ---- */

static void new_memory(uintptr_t start, size_t size, pc_t pc)
{
	shadow_snapshot(start, size);
	ev_block(EV_ALLOC, start, size, 0, EVF_ZERO, pc);
}

WRAP(void *, sbrk, (intptr_t by), (by), libc_hidden(HIDDEN_PROCESS, by != 0, PC),
     if (by > 0 && result != (void *)-1) new_memory((uintptr_t)result, (size_t)by, PC))
extern __typeof__(sbrk) __sbrk LIBC_ALIAS(sbrk);

RT_EXPORT int brk(void *end)
{
	if (!libc_enter(PC))
		return REAL_FN(brk)(end);
	libc_hidden(HIDDEN_PROCESS, true, PC);
	uintptr_t before = (uintptr_t)REAL_FN(sbrk)(0);
	int rc = REAL_FN(brk)(end);
	if (!rc && (uintptr_t)end > before)
		new_memory(before, (uintptr_t)end - before, PC);
	return rc;
}

/* ---- the allocator: under control it is the runtime's, and settings and
 * statistics of libc's own have no effect ---- */

WRAP(int, malloc_info, (int options, FILE *stream), (options, stream), LOOKS_AT(ALLOCATOR), NOTHING)
