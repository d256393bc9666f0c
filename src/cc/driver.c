/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The compiler driver.
 *
 * Hooks are compiled in by -fsanitize=thread, but the compiler's own runtime for them must not be
 * linked. Both compilers link it if they see that flag in a link step.  So a command that
 * compiles and links at once is split: one compile step for each source into a temporary
 * directory, then one link step in which the objects take the places of the sources.  The split
 * would change the names of dependency files and other side files.  Their names are obtained from
 * the compiler (-### prints the commands that it would run).
 *
 * If a compile step fails, the others still run, as in the real driver, and nothing is linked.
 */
#include "cc/driver.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "cc/args.h"
#include "cc/atomic_functions.h"
#include "cc/bitcode.h"
#include "cc/compiler.h"
#include "cc/link.h"
#include "base/process.h"
#include "cc/side_files.h"

struct job {
	struct compiler compiler;
	struct cc_args args;
	char *temporary; /* directory, or NULL */
	struct cc_outcome *outcome;
};

/* heddle's flags for a source. */
static void add_flags(const struct job *job, bool is_preprocessed_only, struct words *argv)
{
	if (job->args.is_for_run)
		compiler_run_flags(&job->compiler, is_preprocessed_only, argv);
	else if (is_preprocessed_only)
		compiler_preprocess_flags(&job->compiler, argv);
	else
		compiler_hook_flags(&job->compiler, job->args.is_strict, argv);
	if (!is_preprocessed_only && !job->args.is_for_run &&
	    atomic_functions_are_named(&job->args))
		words_add(argv, "-fno-inline");
}

static void emit(struct words *out, const struct cc_word *w)
{
	words_add(out, w->text);
	if (w->value)
		words_add(out, w->value);
}

static void emit_input(struct words *out, const struct cc_word *w)
{
	if (w->language) {
		words_add(out, "-x");
		words_add(out, w->language);
	}
	words_add(out, w->text);
	if (w->language) {
		words_add(out, "-x");
		words_add(out, "none");
	}
}

/* Freestanding code has no runtime to call. */
static bool wants_hooks(const struct cc_args *a)
{
	return a->c_sources && !a->is_freestanding &&
	       !(a->mode == CC_LINK && a->has_no_libc && !a->is_shared);
}

/* One compiler call with the user's words and heddle's flags after them, for everything except a
 * link. */
static int run_unsplit(struct job *job, struct err *err)
{
	const struct cc_args *a = &job->args;
	struct words argv = { 0 };
	compiler_add_command(&job->compiler, &argv);
	if (wants_hooks(a) && a->mode == CC_COMPILE)
		words_add(&argv, "-g");
	for (size_t i = 0; i < a->words.len; i++)
		if (a->words.at[i].role != ROLE_OURS)
			emit(&argv, &a->words.at[i]);
	if (wants_hooks(a) && a->mode == CC_PREPROCESS)
		add_flags(job, true, &argv);
	if (wants_hooks(a) && a->mode == CC_COMPILE) {
		add_flags(job, false, &argv);
		/* clang would warn that assembler sources do not use heddle's flags. */
		if (job->compiler.family == COMPILER_CLANG && a->sources > a->c_sources)
			words_add(&argv, "-Wno-unused-command-line-argument");
	}
	int rc = process_run(&argv, PROCESS_INHERIT, NULL, &job->outcome->status, err);
	words_release(&argv);
	if (!rc && !job->outcome->status && a->has_bitcode && a->mode == CC_COMPILE)
		rc = bitcode_add_all(&job->compiler, a, &job->outcome->notes, err);
	return rc;
}

static int make_temporary(struct job *job, struct err *err)
{
	const char *dir = getenv("TMPDIR");
	struct buf path = { 0 };
	buf_printf(&path, "%s/heddle-cc-XXXXXX", dir && *dir ? dir : "/tmp");
	if (!mkdtemp(path.at)) {
		int rc = err_set(err, ERR_IO, "cannot create a temporary directory %s: %s", path.at,
				 strerror(errno));
		buf_release(&path);
		return rc;
	}
	job->temporary = buf_take(&path);
	return 0;
}

static void remove_temporary(struct job *job)
{
	DIR *dir = job->temporary ? opendir(job->temporary) : NULL;
	if (!dir)
		return;
	struct dirent *entry;
	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			unlinkat(dirfd(dir), entry->d_name, 0);
	closedir(dir);
	rmdir(job->temporary);
	mem_free(job->temporary);
}

/* Compile one source of a split command to its temporary object. */
static int compile_one(struct job *job, const struct cc_word *source, const char *object,
		       const struct side_names *names, struct err *err)
{
	const struct cc_args *a = &job->args;
	bool has_hooks = source->input == INPUT_C && wants_hooks(a);
	struct words argv = { 0 };
	compiler_add_command(&job->compiler, &argv);
	if (has_hooks)
		words_add(&argv, "-g");
	for (size_t i = 0; i < a->words.len; i++) {
		const struct cc_word *w = &a->words.at[i];
		if (w->role == ROLE_BOTH || w->role == ROLE_COMPILE ||
		    (w->role == ROLE_DEPEND && !names))
			emit(&argv, w);
	}
	if (names)
		side_names_flags(names, a, &job->compiler, &argv);
	if (has_hooks)
		add_flags(job, false, &argv);
	if (job->compiler.family == COMPILER_CLANG)
		words_add(&argv, "-Wno-unused-command-line-argument");
	words_add(&argv, "-c");
	emit_input(&argv, source);
	words_add(&argv, "-o");
	words_add(&argv, object);
	int status = 0;
	int rc = process_run(&argv, PROCESS_INHERIT, NULL, &status, err);
	if (status && !job->outcome->status)
		job->outcome->status = status;
	words_release(&argv);
	if (!rc && !status && a->has_bitcode && source->input == INPUT_C)
		rc = bitcode_add(&job->compiler, a, source, object, &job->outcome->notes, err);
	return rc;
}

/* The object's name keeps the source's base name, because linkers and debuggers show it. */
static char *object_name(const struct job *job, const char *source, size_t number)
{
	const char *base = file_base_name(source);
	struct buf path = { 0 };
	buf_printf(&path, "%s/%zu-%.*s.o", job->temporary, number, (int)strcspn(base, "."), base);
	return buf_take(&path);
}

static int compile_sources(struct job *job, struct words *link_inputs, struct err *err)
{
	const struct cc_args *a = &job->args;
	struct side_files side = { 0 };
	int rc = 0;
	if (a->has_side_files && a->sources)
		rc = side_files_query(&side, &job->compiler, a, err);
	size_t number = 0;
	for (size_t i = 0; i < a->words.len && !rc; i++) {
		const struct cc_word *w = &a->words.at[i];
		if (w->role != ROLE_INPUT || w->input == INPUT_LINKER)
			continue;
		char *object = object_name(job, w->text, number);
		rc = compile_one(job, w, object, side_files_of(&side, number), err);
		words_take(link_inputs, object);
		number++;
	}
	side_files_release(&side);
	return rc;
}

static int link_program(struct job *job, const struct words *objects, struct err *err)
{
	const struct cc_args *a = &job->args;
	struct words user = { 0 };
	size_t next = 0;
	for (size_t i = 0; i < a->words.len; i++) {
		const struct cc_word *w = &a->words.at[i];
		if (w->role == ROLE_INPUT && w->input != INPUT_LINKER)
			words_add(&user, objects->list.at[next++]);
		else if (w->role == ROLE_INPUT || w->role == ROLE_BOTH || w->role == ROLE_LINK ||
			 w->role == ROLE_OUTPUT)
			emit(&user, w);
	}
	struct link_step step = {
		.compiler = &job->compiler,
		.args = a,
		.words = &user,
		.temporary = job->temporary,
		.has_runtime = !a->is_shared && !a->is_relocatable && !a->has_no_libc &&
			       !a->is_freestanding,
		.notes = &job->outcome->notes,
	};
	int rc = link_run(&step, &job->outcome->status, err);
	words_release(&user);
	return rc;
}

static int run_link(struct job *job, struct err *err)
{
	int rc = make_temporary(job, err);
	if (rc)
		return rc;
	struct words objects = { 0 };
	rc = compile_sources(job, &objects, err);
	if (!rc && !job->outcome->status)
		rc = link_program(job, &objects, err);
	words_release(&objects);
	return rc;
}

static int run_as_given(struct job *job, int argc, char **argv, struct err *err)
{
	struct words same = { 0 };
	compiler_add_command(&job->compiler, &same);
	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], "--heddle-verbose") && strcmp(argv[i], "--bitcode") &&
		    strncmp(argv[i], "--for=", strlen("--for=")))
			words_add(&same, argv[i]);
	int rc = process_run(&same, PROCESS_INHERIT, NULL, &job->outcome->status, err);
	words_release(&same);
	return rc;
}

/* clang's OpenMP calls another library than gcc's, and heddle has none that takes its place. */
static int check_openmp(const struct job *job, struct err *err)
{
	if (!job->args.openmp || job->compiler.family == COMPILER_GCC || job->args.mode == CC_PASS)
		return 0;
	return err_set(
		err, ERR_USAGE,
		"%s is not possible with clang, because heddle has an OpenMP library for gcc "
		"only",
		job->args.openmp);
}

int cc_drive(enum compiler_driver driver, int argc, char **argv, struct cc_outcome *outcome,
	     struct err *err)
{
	struct job job = { .outcome = outcome };
	*outcome = (struct cc_outcome){ 0 };
	/* Signals are blocked until the temporary files are removed. */
	sigset_t before;
	process_block_signals(&before);
	int rc = cc_args_parse(&job.args, argc, argv, err);
	rc = rc ? rc : compiler_detect(&job.compiler, driver, err);
	rc = rc ? rc : check_openmp(&job, err);
	if (!rc) {
		switch (job.args.mode) {
		case CC_PASS:
			rc = run_as_given(&job, argc, argv, err);
			break;
		case CC_PREPROCESS:
		case CC_COMPILE:
			rc = run_unsplit(&job, err);
			break;
		case CC_LINK:
			rc = run_link(&job, err);
			break;
		}
	}
	remove_temporary(&job);
	compiler_release(&job.compiler);
	cc_args_release(&job.args);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return rc;
}
