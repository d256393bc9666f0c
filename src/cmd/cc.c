/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `heddle cc` and `heddle c++`: the compiler driver as commands.  They have no option table:
 * their options are the compiler's.
 */
#include <stdio.h>
#include <string.h>

#include "cc/driver.h"
#include "cmd/cmd.h"

/* What the two commands differ in. */
static const struct front {
	const char *name, *like, *variable, *choice, *default_command;
} fronts[] = {
	[DRIVER_C] = { "heddle cc", "gcc or clang", "CC", "HEDDLE_CC", "gcc" },
	[DRIVER_CXX] = { "heddle c++", "g++ or clang++", "CXX", "HEDDLE_CXX", "g++" },
};

static void print_help(const struct front *f)
{
	printf("usage: %s [compiler options] FILE...\n"
	       "\n"
	       "Compiles and links like %s, for use with heddle: %s=\"%s\" make.\n"
	       "All options are the compiler's, except these:\n"
	       "      --bitcode                 Keep clang's bitcode in each object (see heddle "
	       "bitcode).\n"
	       "      --for=run                 Build for 'heddle run' instead of exploration.\n"
	       "      --heddle-verbose          Say how many call sites were patched after "
	       "linking.\n"
	       "      --heddle-help             Show this text.\n"
	       "\n"
	       "%s names the compiler (default %s); HEDDLE_QUIET=1, like -w, silences notes.\n"
	       "The exit status is the compiler's; 2 if heddle refuses the combination of "
	       "options.\n",
	       f->name, f->like, f->variable, f->name, f->choice, f->default_command);
}

static void print_notes(const struct front *f, const struct buf *notes)
{
	const char *line = notes->at, *end = notes->len ? line + notes->len : line;
	while (line < end) {
		const char *newline = memchr(line, '\n', (size_t)(end - line));
		size_t len = (size_t)((newline ? newline : end) - line);
		fprintf(stderr, "%s: %.*s\n", f->name, (int)len, line);
		line += len + 1;
	}
}

static int drive(enum compiler_driver driver, int argc, char **argv)
{
	const struct front *f = &fronts[driver];
	if (argc == 2 && !strcmp(argv[1], "--heddle-help")) {
		print_help(f);
		return EXIT_NOTHING;
	}
	struct cc_outcome outcome;
	struct err err = { 0 };
	int rc = cc_drive(driver, argc, argv, &outcome, &err);
	print_notes(f, &outcome.notes);
	buf_release(&outcome.notes);
	if (!rc)
		return outcome.status;
	fprintf(stderr, "%s: %s\n", f->name, err.text);
	return err_exit_status(rc);
}

int cmd_cc(int argc, char **argv)
{
	return drive(DRIVER_C, argc, argv);
}

int cmd_cxx(int argc, char **argv)
{
	return drive(DRIVER_CXX, argc, argv);
}
