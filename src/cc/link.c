/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The link step.
 *
 * An executable links the whole runtime archive and exports its interface.  So the runtime also
 * serves instrumented libraries, linked or opened later, and uninstrumented libraries that use
 * threads or memory functions.  The interface is read from the archive (its global symbols of
 * default visibility) and passed as a dynamic list.  Exporting everything, as -rdynamic does,
 * would let the program's own functions override those of plugins.  Symbols are bound at start
 * (-z now), because lazy binding runs the dynamic linker inside arbitrary calls.
 *
 * A shared library gets no runtime.  Its hooks bind to those of the executable, so they stay
 * undefined, and linker options that forbid undefined symbols are dropped.  It gets weak
 * references to the late hooks: they make the linker create PLT entries, to which late call sites
 * can be redirected, and need no definition.
 */
#include "cc/link.h"

#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "binary/hooks.h"
#include "binary/image.h"
#include "binary/own_locks.h"
#include "cc/inspect.h"

#define RUNTIME_NAME "libheddle_rt.a"
#define RUN_RUNTIME_NAME "libheddle_run.a"
#define OPENMP_NAME "libheddle_omp.a"

static int list_exports(void *ctx, const void *member, size_t len)
{
	struct image img;
	const char *reason;
	if (!image_open(&img, member, len, &reason)) {
		for (size_t i = 0; i < img.symbols.len; i++) {
			const struct image_symbol *s = &img.symbols.at[i];
			if (s->is_defined && s->binding != STB_LOCAL &&
			    s->visibility == STV_DEFAULT)
				buf_printf(ctx, "\t%s;\n", s->name);
		}
	}
	image_close(&img);
	return 0;
}

static char *temporary_file(const struct link_step *step, const char *name)
{
	struct buf path = { 0 };
	buf_printf(&path, "%s/%s", step->temporary, name);
	return buf_take(&path);
}

/* Find one of heddle's archives, and append what it exports to the list. */
static int find_archive(const char *name, struct buf *path, struct buf *list, struct err *err)
{
	struct buf bytes = { 0 };
	int rc = file_find_own(name, path, err);
	rc = rc ? rc : file_read(path->at, &bytes, err);
	if (!rc && archive_walk(bytes.at, bytes.len, list_exports, list))
		rc = err_set(err, ERR_FORMAT, "%s is not an archive of objects", path->at);
	buf_release(&bytes);
	return rc;
}

/* The OpenMP library stands in front of the runtime, which it uses.  Of it only what the program or
 * one of its shared libraries calls is linked. */
static int add_runtime(const struct link_step *step, struct words *argv, struct err *err)
{
	struct buf runtime = { 0 }, openmp = { 0 }, list = { 0 }, flag = { 0 };
	char *list_path = temporary_file(step, "exports");
	buf_str(&list, "{\n");
	int rc = find_archive(step->args->is_for_run ? RUN_RUNTIME_NAME : RUNTIME_NAME, &runtime,
			      &list, err);
	rc = rc ? rc : find_archive(OPENMP_NAME, &openmp, &list, err);
	buf_str(&list, "};\n");
	rc = rc ? rc : file_write(list_path, list.at, list.len, err);
	if (!rc) {
		words_add(argv, openmp.at);
		words_add(argv, "-Wl,--whole-archive");
		words_add(argv, runtime.at);
		words_add(argv, "-Wl,--no-whole-archive");
		buf_printf(&flag, "-Wl,--dynamic-list=%s", list_path);
		words_add(argv, flag.at);
		words_add(argv, "-Wl,-z,now");
		words_add(argv, "-Wl,--build-id");
		words_add(argv, "-ldl");
		words_add(argv, "-lpthread");
	}
	mem_free(list_path);
	buf_release(&runtime);
	buf_release(&openmp);
	buf_release(&list);
	buf_release(&flag);
	return rc;
}

/* Where the tool is, for a program that is started without it and is to be watched (src/run). */
static int add_tool_path(const struct link_step *step, struct words *argv, struct err *err)
{
	struct buf tool = { 0 }, text = { 0 };
	if (!step->args->is_for_run || file_find_own("heddle", &tool, err)) {
		buf_release(&tool);
		return 0; /* the program searches in PATH */
	}
	buf_str(&text, "\t.section .rodata.heddle_tool,\"aR\",@progbits\n"
		       "\t.globl heddle_tool_path\nheddle_tool_path:\n\t.asciz \"");
	for (const char *s = tool.at; *s; s++)
		buf_printf(&text, "\\%03o", (unsigned char)*s);
	buf_str(&text, "\"\n\t.section .note.GNU-stack,\"\",@progbits\n");
	char *path = temporary_file(step, "tool.s");
	int rc = file_write(path, text.at, text.len, err);
	words_add(argv, path);
	mem_free(path);
	buf_release(&tool);
	buf_release(&text);
	return rc;
}

/* The references are in a section that --gc-sections retains. */
static int add_late_references(const struct link_step *step, struct words *argv, struct err *err)
{
	struct buf text = { 0 };
	buf_str(&text, "\t.section .heddle_late,\"axR\",@progbits\n");
	for (size_t i = 0; hook_late_forms[i]; i++)
		buf_printf(&text, "\t.weak %s\n\tcall %s@PLT\n", hook_late_forms[i],
			   hook_late_forms[i]);
	buf_str(&text, "\t.section .note.GNU-stack,\"\",@progbits\n");
	char *path = temporary_file(step, "late.s");
	int rc = file_write(path, text.at, text.len, err);
	words_add(argv, path);
	words_add(argv, "-Wl,-z,now");
	words_add(argv, "-Wl,--build-id");
	mem_free(path);
	buf_release(&text);
	return rc;
}

/*
 * Filter for linker options.  For a shared library it drops options that forbid undefined
 * symbols.  For an executable it drops the option to hide all symbols of archives, which would
 * hide the runtime.
 */
struct linker_words {
	struct words *out;
	bool is_shared;
	const char *before; /* an option whose value is the next word, or NULL */
};

static bool is_dropped(const struct linker_words *l, const char *word)
{
	if (l->before && !strcmp(l->before, "-z"))
		return l->is_shared && !strcmp(word, "defs");
	if (l->before)
		return !l->is_shared && !strcmp(word, "ALL");
	if (!l->is_shared)
		return !strcmp(word, "--exclude-libs=ALL");
	return !strcmp(word, "--no-undefined") || !strcmp(word, "-no-undefined") ||
	       !strcmp(word, "-zdefs");
}

static void add_linker_word(struct linker_words *l, const char *word)
{
	static const char *const with_value[] = { "-z", "--exclude-libs" };
	for (size_t i = 0; !l->before && i < sizeof(with_value) / sizeof(*with_value); i++) {
		if (!strcmp(word, with_value[i])) {
			l->before = with_value[i];
			return;
		}
	}
	if (!is_dropped(l, word)) {
		if (l->before) {
			words_add(l->out, "-Xlinker");
			words_add(l->out, l->before);
		}
		words_add(l->out, "-Xlinker");
		words_add(l->out, word);
	}
	l->before = NULL;
}

static void add_linker_list(struct linker_words *l, const char *list)
{
	while (*list) {
		size_t len = strcspn(list, ",");
		char *word = mem_strndup(list, len);
		add_linker_word(l, word);
		mem_free(word);
		list += len + (list[len] == ',');
	}
}

static void add_user_words(const struct link_step *step, struct words *argv)
{
	struct linker_words l = { .out = argv, .is_shared = step->args->is_shared };
	const struct words *user = step->words;
	for (size_t i = 0; i < user->list.len; i++) {
		const char *word = user->list.at[i];
		const char *next = i + 1 < user->list.len ? user->list.at[i + 1] : NULL;
		if (!strncmp(word, "-Wl,", 4)) {
			add_linker_list(&l, word + 4);
		} else if (next && !strcmp(word, "-Xlinker")) {
			add_linker_word(&l, next);
			i++;
		} else if (next && !strcmp(word, "-z")) {
			add_linker_word(&l, word);
			add_linker_word(&l, next);
			i++;
		} else {
			words_add(argv, word);
		}
	}
}

/* Functions of GNU's OpenMP library that heddle's does not have; the linker has said where they are
 * called. */
static int note_device_call(void *ctx, const void *member, size_t len)
{
	const struct link_step *step = ctx;
	struct image img;
	const char *reason;
	if (!image_open(&img, member, len, &reason)) {
		for (size_t i = 0; i < img.symbols.len; i++) {
			const struct image_symbol *s = &img.symbols.at[i];
			if (!s->is_defined && (!strncmp(s->name, "GOMP_target", 11) ||
					       !strncmp(s->name, "GOACC_", 6)))
				buf_printf(step->notes,
					   "note: %s: heddle's OpenMP library has no functions for "
					   "devices and OpenACC\n",
					   s->name);
		}
	}
	image_close(&img);
	return 0;
}

static void note_missing_openmp(const struct link_step *step)
{
	for (size_t i = 0; i < step->words->list.len; i++) {
		const char *word = step->words->list.at[i];
		struct buf bytes = { 0 };
		if (word[0] != '-' && !file_read(word, &bytes, NULL)) {
			if (archive_is(bytes.at, bytes.len))
				archive_walk(bytes.at, bytes.len, note_device_call, (void *)step);
			else
				note_device_call((void *)step, bytes.at, bytes.len);
		}
		buf_release(&bytes);
	}
}

static void note_own_locks(const struct link_step *step)
{
	struct buf text = { 0 };
	own_locks_describe_file(step->args->output ? step->args->output : "a.out", &text);
	if (text.len)
		buf_printf(step->notes, "note: %s\n", text.at);
	buf_release(&text);
}

int link_run(const struct link_step *step, int *status, struct err *err)
{
	struct words argv = { 0 };
	int rc = 0;
	compiler_add_command(step->compiler, &argv);
	add_user_words(step, &argv);
	if (step->has_runtime)
		rc = add_runtime(step, &argv, err);
	if (!rc && step->has_runtime)
		rc = add_tool_path(step, &argv, err);
	else if (step->args->is_shared && !step->args->is_relocatable && !step->args->is_for_run)
		rc = add_late_references(step, &argv, err);
	if (step->compiler->family == COMPILER_GCC)
		words_add(&argv, "-fno-lto");
	else if (step->args->sources)
		words_add(&argv, "-Wno-unused-command-line-argument");
	rc = rc ? rc : process_run(&argv, PROCESS_INHERIT, NULL, status, err);
	if (!rc && *status && step->has_runtime)
		note_missing_openmp(step);
	if (!rc && !*status && step->has_runtime && !step->args->is_quiet)
		note_own_locks(step);
	/* The post-processing serves exact traces, which `heddle run` does not need. */
	if (!rc && !*status && !step->args->is_relocatable && !step->args->is_for_run)
		rc = inspect_output(step, err);
	words_release(&argv);
	return rc;
}
