/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compilers and their flags.
 *
 * Hooks come from -fsanitize=thread.  The other flags close gaps in its instrumentation:
 *   - gcc expands memory and string functions of known size inline, without a hook.  Their
 *     builtins are switched off one by one.  The checked forms of _FORTIFY_SOURCE bypass the
 *     interposed names, so it is switched off, too.
 *   - gcc turns copying loops into calls of memcpy, and both compilers vectorise loops.  Both are
 *     switched off, so that accesses are those of the source (clang has no hook for 32-byte
 *     vectors).
 *   - By default clang drops the read hook of a read-modify-write, and deletes infinite loops.
 *   - Volatile accesses get separate hooks.
 *   - Members of std::string are compiled into the program, by a header that precedes libstdc++'s.
 *   - gcc merges identical functions, and the result has the line numbers of only one of them.
 *     This is
 *     switched off.
 *   - gcc has no hook for a part of a pointer to member.  In C++ scalar replacement is switched
 *     off, so that such pointers are copied as a whole.
 *   - A callback in each basic block lets the runtime see branches, and loops without accesses.
 * All other flags, including the optimisation level, are the user's.  heddle's flags come last on
 * the command line, so they override the user's.
 */
#include "cc/compiler.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "cc/response.h"

static const char *const interposed_builtins[] = {
	"bcmp",	   "bcopy",   "bzero",	 "index",   "memchr",  "memcmp",  "memcpy",	 "memmove",
	"mempcpy", "memrchr", "memset",	 "rindex",  "stpcpy",  "stpncpy", "strcasecmp",	 "strcat",
	"strchr",  "strcmp",  "strcpy",	 "strcspn", "strdup",  "strlen",  "strncasecmp", "strncat",
	"strncmp", "strncpy", "strndup", "strnlen", "strpbrk", "strrchr", "strspn",	 "strstr",
};

static const char *const gcc_flags[] = {
	"--param",
	"tsan-distinguish-volatile=1",
	"-fsanitize-coverage=trace-pc",
	"-fno-omit-frame-pointer",
	"-fno-tree-vectorize",
	"-fno-tree-loop-distribute-patterns",
	"-fno-ipa-icf",
	"-fno-lto",
	"-Wno-tsan",
};

static const char *const clang_flags[] = {
	"-mllvm",
	"-tsan-instrument-read-before-write=1",
	"-mllvm",
	"-tsan-distinguish-volatile=1",
	/* Without it, members of a local struct get no hook although the struct's address has
	 * escaped. */
	"-mllvm",
	"-capture-tracking-max-uses-to-explore=0",
	"-fsanitize-coverage=trace-pc-guard,no-prune",
	"-fno-omit-frame-pointer",
	"-fno-finite-loops",
	"-fno-vectorize",
	"-fno-slp-vectorize",
	"-Wno-pass-failed",
};

/*
 * Warnings that gcc derives from optimised code.  Hooks change that code, so these warnings may
 * appear in a program that is clean without hooks.  They are printed, but must not be errors.
 */
static const struct {
	const char *name;
	int since;
} flow_warnings[] = {
	{ "array-bounds", 4 },	       { "dangling-pointer", 12 },
	{ "format-overflow", 7 },      { "format-truncation", 7 },
	{ "free-nonheap-object", 11 }, { "maybe-uninitialized", 5 },
	{ "null-dereference", 6 },     { "restrict", 7 },
	{ "stringop-overflow", 7 },    { "stringop-overread", 11 },
	{ "stringop-truncation", 8 },  { "use-after-free", 12 },
};

/* The first "number." in the line after the word "version" or after the name's parenthesis. */
static int major_version(const char *line)
{
	for (const char *p = line; *p && *p != '\n'; p++) {
		if (*p != ' ' || p[1] < '0' || p[1] > '9')
			continue;
		char *end;
		long n = strtol(p + 1, &end, 10);
		if (*end == '.')
			return (int)n;
	}
	return 0;
}

/* Other GNU programs print the same copyright line.  gcc's first line has its name, or "cc" if
 * run as cc. */
static bool is_gcc(const char *output)
{
	static const char *const names[] = {
		"gcc", "GCC", "g++", "cc (", "c++ (", "c99 (", "c89 ("
	};
	char first[256] = "";
	size_t len = strcspn(output, "\n");
	memcpy(first, output, len < sizeof(first) ? len : sizeof(first) - 1);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strstr(first, names[i]))
			return strstr(output, "Free Software Foundation");
	return false;
}

/* Resolve a command to its file, as execvp does, with symbolic links followed; false if it is not
 * found. */
static bool find_command(const char *command, char real[PATH_MAX])
{
	const char *dir = getenv("PATH");
	if (strchr(command, '/'))
		return realpath(command, real);
	while (dir && *dir) {
		char path[PATH_MAX];
		int length = (int)strcspn(dir, ":");
		int n = snprintf(path, sizeof(path), "%.*s%s%s", length, dir, length ? "/" : "",
				 command);
		if (n < PATH_MAX && !access(path, X_OK) && realpath(path, real))
			return true;
		dir += length + (dir[length] == ':');
	}
	return false;
}

/*
 * The version of clang from its path.  LLVM installs each version in its own directory,
 * .../llvm-14/bin/clang, and other names are links to it.  This saves a run of `clang --version`,
 * a seventh of the time of a small compilation.  0 if the path has another form.
 */
static int clang_version_from_path(const char *command)
{
	char real[PATH_MAX];
	int major = 0, end = 0;
	const char *at = find_command(command, real) ? strstr(real, "/llvm-") : NULL;
	bool matches =
		at && sscanf(at, "/llvm-%d/bin/clang%n", &major, &end) == 1 && end && !at[end];
	return matches ? major : 0;
}

static int refuse(const struct compiler *c, const char *variable, struct err *err)
{
	struct buf command = { 0 };
	for (size_t i = 0; i < c->command.list.len; i++)
		buf_printf(&command, "%s%s", i ? " " : "", c->command.list.at[i]);
	int rc = err_set(err, ERR_SUPPORT, "%s (chosen by %s) is neither gcc nor clang", command.at,
			 variable);
	buf_release(&command);
	return rc;
}

/* Family and version from the output of --version. */
static int query_compiler(struct compiler *c, const char *variable, struct err *err)
{
	struct words argv = { 0 };
	compiler_add_command(c, &argv);
	words_add(&argv, "--version");
	struct buf output = { 0 };
	buf_str(&output, "");
	int status, rc = process_run(&argv, PROCESS_CAPTURE, &output, &status, err);
	if (!rc) {
		c->major = major_version(output.at);
		if (strstr(output.at, "clang"))
			c->family = COMPILER_CLANG;
		else if (is_gcc(output.at))
			c->family = COMPILER_GCC;
		else
			rc = refuse(c, variable, err);
	}
	buf_release(&output);
	words_release(&argv);
	return rc;
}

/* A path may contain spaces; otherwise they separate words (`ccache gcc`), with quotes as in a
 * response file. */
static void set_command(struct compiler *c, const char *text)
{
	if (strchr(text, '/') && !access(text, X_OK))
		words_add(&c->command, text);
	else
		response_split(text, strlen(text), &c->command);
}

void compiler_add_command(const struct compiler *c, struct words *argv)
{
	for (size_t i = 0; i < c->command.list.len; i++)
		words_add(argv, c->command.list.at[i]);
}

int compiler_detect(struct compiler *c, enum compiler_driver driver, struct err *err)
{
	static const struct {
		const char *variable, *default_command;
	} drivers[] = {
		[DRIVER_C] = { "HEDDLE_CC", "gcc" }, [DRIVER_CXX] = { "HEDDLE_CXX", "g++" }
	};
	const char *chosen = getenv(drivers[driver].variable);
	memset(c, 0, sizeof(*c));
	c->driver = driver;
	set_command(c, chosen && *chosen ? chosen : drivers[driver].default_command);
	if (!c->command.list.len)
		return err_set(err, ERR_USAGE, "%s names no compiler", drivers[driver].variable);
	c->family = COMPILER_CLANG;
	c->major = c->command.list.len == 1 ? clang_version_from_path(c->command.list.at[0]) : 0;
	int rc = c->major ? 0 : query_compiler(c, drivers[driver].variable, err);
	struct buf headers = { 0 }, cxx_headers = { 0 };
	rc = rc ? rc : file_find_own("include", &headers, err);
	rc = rc ? rc : file_find_own("libstdc++", &cxx_headers, err);
	c->headers = buf_take(&headers);
	c->cxx_headers = buf_take(&cxx_headers);
	return rc;
}

void compiler_release(struct compiler *c)
{
	words_release(&c->command);
	mem_free(c->headers);
	mem_free(c->cxx_headers);
	*c = (struct compiler){ 0 };
}

static void add_builtin_flags(struct words *out)
{
	for (size_t i = 0; i < sizeof(interposed_builtins) / sizeof(*interposed_builtins); i++) {
		struct buf flag = { 0 };
		buf_printf(&flag, "-fno-builtin-%s", interposed_builtins[i]);
		words_take(out, buf_take(&flag));
	}
}

static void add_flow_warnings(const struct compiler *c, struct words *out)
{
	for (size_t i = 0; i < sizeof(flow_warnings) / sizeof(*flow_warnings); i++) {
		if (c->major < flow_warnings[i].since)
			continue;
		struct buf flag = { 0 };
		buf_printf(&flag, "-Wno-error=%s", flow_warnings[i].name);
		words_take(out, buf_take(&flag));
	}
}

/* heddle's headers are searched last, so that they hide no other header. */
static void add_own_headers(const struct compiler *c, struct words *out)
{
	words_add(out, "-idirafter");
	words_add(out, c->headers);
}

void compiler_preprocess_flags(const struct compiler *c, struct words *out)
{
	words_add(out, "-fsanitize=thread");
	/* Records the optimisation level, which is an assumption of the verdict. */
	words_add(out, "-frecord-gcc-switches");
	words_add(out, "-U_FORTIFY_SOURCE");
	words_add(out, "-D_FORTIFY_SOURCE=0");
	/*
	 * The C library's headers have inline functions (putc_unlocked, ...) that change streams
	 * without a call.
	 */
	words_add(out, "-D__NO_INLINE__");
	add_own_headers(c, out);
	/* Only C++ sources find headers there. */
	words_add(out, "-isystem");
	words_add(out, c->cxx_headers);
}

void compiler_hook_flags(const struct compiler *c, bool is_strict, struct words *out)
{
	compiler_preprocess_flags(c, out);
	if (c->family == COMPILER_GCC)
		for (size_t i = 0; i < sizeof(gcc_flags) / sizeof(*gcc_flags); i++)
			words_add(out, gcc_flags[i]);
	else
		for (size_t i = 0; i < sizeof(clang_flags) / sizeof(*clang_flags); i++)
			words_add(out, clang_flags[i]);
	if (c->family == COMPILER_GCC && c->driver == DRIVER_CXX)
		words_add(out, "-fno-tree-sra");
	add_builtin_flags(out);
	if (c->family == COMPILER_GCC && is_strict)
		add_flow_warnings(c, out);
}

/*
 * A program for `heddle run` should be as fast as one with ThreadSanitizer.  Functions that gcc
 * would expand inline without a hook stay calls: an access that is missed is a dependency that is
 * missed.  clang does not instrument members of a local struct whose address escaped, in the
 * function that owns it.  The runtime accounts for that (src/run/stacks.c).
 */
void compiler_run_flags(const struct compiler *c, bool is_preprocessed_only, struct words *out)
{
	words_add(out, "-fsanitize=thread");
	words_add(out, "-U_FORTIFY_SOURCE");
	words_add(out, "-D_FORTIFY_SOURCE=0");
	add_own_headers(c, out);
	static const char *const flags[] = { "-fno-builtin-memcpy",
					     "-fno-builtin-memmove",
					     "-fno-builtin-memset",
					     "-fno-ipa-icf",
					     "-fno-lto",
					     "-Wno-tsan" };
	for (size_t i = 0; !is_preprocessed_only && c->family == COMPILER_GCC &&
			   i < sizeof(flags) / sizeof(*flags);
	     i++)
		words_add(out, flags[i]);
}
