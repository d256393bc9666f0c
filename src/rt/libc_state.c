/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objects inside libc that threads share without seeing them: generators of random numbers, exit handlers,
 * the locale, messages, options.  Each use is an access to the object; static results are written like any
 * other memory.
 */
#include "rt/libc_wrap.h"

/* ---- random numbers ---- */

#define DRAW(type, name, state)                                 \
	RT_EXPORT type name(void)                               \
	{                                                       \
		if (libc_enter(PC))                             \
			libc_hidden(state, true, PC);          \
		return REAL_FN(name)();                         \
	}
#define SEED(name, type, state)                                 \
	RT_EXPORT void name(type seed)                          \
	{                                                       \
		if (libc_enter(PC))                             \
			libc_hidden(state, true, PC);          \
		REAL_FN(name)(seed);                            \
	}
DRAW(int, rand, HIDDEN_RAND)
DRAW(long, random, HIDDEN_RAND)
DRAW(double, drand48, HIDDEN_RAND48)
DRAW(long, lrand48, HIDDEN_RAND48)
DRAW(long, mrand48, HIDDEN_RAND48)
SEED(srand, unsigned, HIDDEN_RAND)
SEED(srandom, unsigned, HIDDEN_RAND)
SEED(srand48, long, HIDDEN_RAND48)

RT_EXPORT int rand_r(unsigned *seed)
{
	if (!libc_enter(PC))
		return REAL_FN(rand_r)(seed);
	rt_libc_read(seed, sizeof(*seed), PC);
	libc_will_write(seed, sizeof(*seed), PC);
	int v = REAL_FN(rand_r)(seed);
	rt_libc_wrote(seed, sizeof(*seed), PC);
	return v;
}

#define DRAW48(type, name)                                              \
	RT_EXPORT type name(unsigned short seed[3])                    \
	{                                                               \
		if (!libc_enter(PC))                                    \
			return REAL_FN(name)(seed);                     \
		libc_hidden(HIDDEN_RAND48, false, PC);                  \
		rt_libc_read(seed, 3 * sizeof(*seed), PC);              \
		libc_will_write(seed, 3 * sizeof(*seed), PC);           \
		type v = REAL_FN(name)(seed);                           \
		rt_libc_wrote(seed, 3 * sizeof(*seed), PC);             \
		return v;                                               \
	}
DRAW48(double, erand48)
DRAW48(long, nrand48)
DRAW48(long, jrand48)

/* ---- handlers that run at the end ---- */

RT_EXPORT int __cxa_atexit(void (*function)(void *), void *argument, void *dso)
{
	if (!libc_enter(PC))
		return REAL_FN(__cxa_atexit)(function, argument, dso);
	libc_hidden(HIDDEN_EXIT_LIST, true, PC);
	return LIBC_CALL(REAL_FN(__cxa_atexit)(function, argument, dso));
}

RT_EXPORT int on_exit(void (*function)(int, void *), void *argument)
{
	if (!libc_enter(PC))
		return REAL_FN(on_exit)(function, argument);
	libc_hidden(HIDDEN_EXIT_LIST, true, PC);
	return LIBC_CALL(REAL_FN(on_exit)(function, argument));
}

/* ---- locale and messages ---- */

RT_EXPORT char *setlocale(int category, const char *name)
{
	if (!libc_enter(PC))
		return REAL_FN(setlocale)(category, name);
	if (name)
		libc_read_string(name, PC);
	libc_hidden(HIDDEN_LOCALE, name != NULL, PC);
	char *result = LIBC_CALL(REAL_FN(setlocale)(category, name));
	if (result)
		libc_wrote_string(result, PC);
	return result;
}

RT_EXPORT struct lconv *localeconv(void)
{
	if (!libc_enter(PC))
		return REAL_FN(localeconv)();
	libc_hidden(HIDDEN_LOCALE, false, PC);
	struct lconv *result = LIBC_CALL(REAL_FN(localeconv)());
	rt_libc_wrote(result, sizeof(*result), PC);
	return result;
}

RT_EXPORT char *nl_langinfo(nl_item item)
{
	if (libc_enter(PC))
		libc_hidden(HIDDEN_LOCALE, false, PC);
	return REAL_FN(nl_langinfo)(item);
}

#define MESSAGE(name)                                                   \
	RT_EXPORT char *name(int number)                                \
	{                                                               \
		if (!libc_enter(PC))                                    \
			return REAL_FN(name)(number);                   \
		libc_hidden(HIDDEN_LOCALE, false, PC);                  \
		return LIBC_CALL(REAL_FN(name)(number));                \
	}
MESSAGE(strerror)
MESSAGE(strsignal)

RT_EXPORT char *strerror_r(int number, char *to, size_t size)
{
	if (!libc_enter(PC))
		return REAL_FN(strerror_r)(number, to, size);
	libc_hidden(HIDDEN_LOCALE, false, PC);
	libc_will_write(to, size, PC);
	char *text = LIBC_CALL(REAL_FN(strerror_r)(number, to, size));
	if (text == to && size)
		libc_wrote_string(to, PC);
	return text;
}

RT_EXPORT int __xpg_strerror_r(int number, char *to, size_t size)
{
	if (!libc_enter(PC))
		return REAL_FN(__xpg_strerror_r)(number, to, size);
	libc_hidden(HIDDEN_LOCALE, false, PC);
	libc_will_write(to, size, PC);
	int rc = LIBC_CALL(REAL_FN(__xpg_strerror_r)(number, to, size));
	if (size)
		libc_wrote_string(to, PC);
	return rc;
}

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

#define GETOPT_LONG(name)                                                                       \
	RT_EXPORT int name(int argc, char *const *argv, const char *options,                    \
			   const struct option *longs, int *which)                              \
	{                                                                                       \
		if (!libc_enter(PC))                                                            \
			return REAL_FN(name)(argc, argv, options, longs, which);                \
		before_options(argc, argv, PC);                                                 \
		int found = LIBC_CALL(REAL_FN(name)(argc, argv, options, longs, which));        \
		after_long_options(longs, which, PC);                                           \
		return after_options(argc, argv, found, PC);                                    \
	}
GETOPT_LONG(getopt_long)
GETOPT_LONG(getopt_long_only)
