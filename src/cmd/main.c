/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Entry: finds the subcommand in one static table.  Called as heddle-cc or heddle-c++ it is the
 * compiler driver.
 *
 * CMake takes heddle-cc for the compiler of a tool chain with the prefix `heddle-`, and looks for
 * the archivers that such a one has for link-time optimisation.  They are links to this program,
 * too, and run those without the prefix.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "base/alloc.h"
#include "base/file.h"
#include "heddle/version.h"

struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *summary;
};

static const struct command commands[] = {
	{ "cc", cmd_cc, "compile and link a program for heddle, like gcc or clang" },
	{ "c++", cmd_cxx, "the same for C++, like g++ or clang++" },
	{ "run", cmd_run,
	  "run a program at full speed and predict races and order violations while it runs" },
	{ "check", cmd_check, "explore every schedule of a program" },
	{ "record", cmd_record, "run a program under control and keep an exact trace of it" },
	{ "replay", cmd_replay, "run a recorded schedule again, exactly" },
	{ "predict", cmd_predict, "predict bugs of other executions from one trace" },
	{ "trace", cmd_trace, "look at recorded traces" },
	{ "bitcode", cmd_bitcode, "show the bitcode that a program carries" },
	{ "spec", cmd_spec, "check specifications of shared objects and histories of calls" },
	{ "explain", cmd_explain, "explain a kind of finding" },
	{ NULL, NULL, NULL },
};

static void print_usage(FILE *out)
{
	fprintf(out,
		"usage: heddle COMMAND [options] ...\n"
		"\n"
		"Finds, proves, explains and reproduces concurrency bugs in C and C++ programs.\n"
		"\n"
		"commands:\n");
	for (const struct command *c = commands; c->name; c++)
		fprintf(out, "  %-10s %s\n", c->name, c->summary);
	fprintf(out, "\n"
		     "'heddle COMMAND --help' explains one of them.\n"
		     "Exit status: 0 nothing found, 1 finding, 2 usage, 3 input or environment "
		     "failure,\n"
		     "4 inconclusive, 70 internal error.\n");
}

static bool is_archiver(const char *name)
{
	static const char *const names[] = { "gcc-ar", "gcc-ranlib", "llvm-ar", "llvm-ranlib" };
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

static int run_archiver(const char *name, char **argv)
{
	/* gcc's find the linker's plugin from their own path. */
	argv[0] = mem_strdup(name);
	execvp(name, argv);
	fprintf(stderr, "heddle-%s: cannot run %s: %s\n", name, name, strerror(errno));
	return EXIT_INPUT;
}

int main(int argc, char **argv)
{
	const char *self = file_base_name(argv[0]);
	if (!strncmp(self, "heddle-", strlen("heddle-")) && is_archiver(self + strlen("heddle-")))
		return run_archiver(self + strlen("heddle-"), argv);
	const char *name = argc > 1 ? argv[1] : NULL;
	if (!strcmp(self, "heddle-cc") || !strcmp(self, "heddle-c++")) {
		name = self + strlen("heddle-");
	} else {
		argc--;
		argv++;
	}
	if (!name) {
		print_usage(stderr);
		return EXIT_USAGE;
	}
	for (const struct command *c = commands; c->name; c++)
		if (!strcmp(c->name, name))
			return c->run(argc, argv);
	if (!strcmp(name, "--help") || !strcmp(name, "-h") || !strcmp(name, "help")) {
		print_usage(stdout);
		return EXIT_NOTHING;
	}
	if (!strcmp(name, "--version")) {
		printf("heddle %s\n", HEDDLE_VERSION);
		return EXIT_NOTHING;
	}
	fprintf(stderr, "heddle: unknown command '%s'; 'heddle --help' lists the commands\n", name);
	return EXIT_USAGE;
}
