/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of side files; see side_files.h.  A compile command in the output of -### is a line whose
 * first word is the compiler proper: cc1, cc1plus or, for clang, any program whose second word is
 * -cc1. Assembler sources have no such line.  They write no side files, so they are skipped when
 * lines are matched with sources.
 */
#include "cc/side_files.h"

#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "cc/response.h"

static bool is_compile_command(const struct words *w)
{
	if (w->list.len < 2)
		return false;
	return !strncmp(file_base_name(w->list.at[0]), "cc1", 3) || !strcmp(w->list.at[1], "-cc1");
}

static void set_name(char **slot, const char *value)
{
	mem_free(*slot);
	*slot = mem_strdup(value);
}

/* An option of the form "-name=value". */
static void set_joined_name(char **slot, const char *word, const char *name)
{
	size_t len = strlen(name);
	if (!strncmp(word, name, len) && word[len] == '=')
		set_name(slot, word + len + 1);
}

static void read_names(const struct words *w, struct side_names *n)
{
	const struct {
		const char *option;
		char **slot;
	} wanted[] = {
		/* gcc prints -MD with the default name, then -MF with the user's; the last one
		 * wins. */
		{ "-MD", &n->depend_file },
		{ "-MMD", &n->depend_file },
		{ "-MF", &n->depend_file },
		{ "-dependency-file", &n->depend_file },
		{ "-MT", &n->depend_target },
		{ "-MQ", &n->depend_target },
		{ "-dumpdir", &n->dump_dir },
		{ "-dumpbase", &n->dump_base },
		{ "-dumpbase-ext", &n->dump_extension },
		{ "-main-file-name", &n->dump_base },
		{ "-coverage-notes-file", &n->coverage_notes },
		{ "-coverage-data-file", &n->coverage_data },
	};
	for (size_t i = 0; i < w->list.len; i++) {
		set_joined_name(&n->coverage_notes, w->list.at[i], "-coverage-notes-file");
		set_joined_name(&n->coverage_data, w->list.at[i], "-coverage-data-file");
		for (size_t k = 0; k < sizeof(wanted) / sizeof(*wanted) && i + 1 < w->list.len; k++)
			if (!strcmp(w->list.at[i], wanted[k].option))
				set_name(wanted[k].slot, w->list.at[i + 1]);
	}
}

static const struct cc_word *next_source(const struct cc_args *a, size_t *i)
{
	for (; *i < a->words.len; ++*i) {
		const struct cc_word *w = &a->words.at[*i];
		if (w->role == ROLE_INPUT && w->input != INPUT_LINKER)
			return &a->words.at[(*i)++];
	}
	return NULL;
}

static void read_commands(struct side_files *s, const char *text, const struct cc_args *a)
{
	size_t position = 0;
	const struct cc_word *source = next_source(a, &position);
	while (*text && source) {
		size_t len = strcspn(text, "\n");
		struct words w = { 0 };
		response_split(text, len, &w);
		if (is_compile_command(&w)) {
			for (; source && source->input == INPUT_ASSEMBLER;
			     source = next_source(a, &position))
				(void)vec_add(&s->of);
			if (source)
				read_names(&w, vec_add(&s->of));
			source = next_source(a, &position);
		}
		words_release(&w);
		text += len + (text[len] == '\n');
	}
}

int side_files_query(struct side_files *s, const struct compiler *c, const struct cc_args *a,
		     struct err *err)
{
	struct words argv = { 0 };
	compiler_add_command(c, &argv);
	words_add(&argv, "-###");
	for (size_t i = 0; i < a->words.len; i++) {
		if (a->words.at[i].role == ROLE_OURS)
			continue;
		words_add(&argv, a->words.at[i].text);
		if (a->words.at[i].value)
			words_add(&argv, a->words.at[i].value);
	}
	struct buf output = { 0 };
	buf_str(&output, "");
	int status, rc = process_run(&argv, PROCESS_CAPTURE, &output, &status, err);
	/* If the compiler fails here, the compile steps will show the same message to the user. */
	if (!rc && !status)
		read_commands(s, output.at, a);
	buf_release(&output);
	words_release(&argv);
	return rc;
}

const struct side_names *side_files_of(const struct side_files *s, size_t number)
{
	return number < s->of.len ? &s->of.at[number] : NULL;
}

static void add_pair(struct words *out, const char *option, const char *value)
{
	if (!value)
		return;
	words_add(out, option);
	words_add(out, value);
}

/* An option of clang's inner command; its spelling changed with version 17. */
static void add_clang_option(struct words *out, const struct compiler *c, const char *option,
			     const char *value)
{
	struct buf joined = { 0 };
	if (!value)
		return;
	buf_printf(&joined, "%s=%s", option, value);
	words_add(out, "-Xclang");
	words_add(out, c->major >= 17 ? joined.at : option);
	if (c->major < 17)
		add_pair(out, "-Xclang", value);
	buf_release(&joined);
}

static bool wants_coverage(const struct cc_args *a)
{
	bool wants = false;
	for (size_t i = 0; i < a->words.len; i++)
		wants |= !strcmp(a->words.at[i].text, "--coverage") ||
			 !strcmp(a->words.at[i].text, "-coverage") ||
			 !strcmp(a->words.at[i].text, "-ftest-coverage");
	return wants;
}

/* The source's name with another suffix, in the working directory: where older clangs put
 * coverage files. */
static char *coverage_path(const char *source, const char *suffix)
{
	char directory[4096];
	struct buf path = { 0 };
	const char *dot = strrchr(source, '.');
	buf_printf(&path, "%s/%.*s%s", getcwd(directory, sizeof(directory)) ? directory : ".",
		   (int)(dot ? (size_t)(dot - source) : strlen(source)), source, suffix);
	return buf_take(&path);
}

void side_names_flags(const struct side_names *n, const struct cc_args *a, const struct compiler *c,
		      struct words *out)
{
	bool has_target = false;
	for (size_t i = 0; i < a->words.len; i++) {
		const struct cc_word *w = &a->words.at[i];
		if (w->role != ROLE_DEPEND || !strncmp(w->text, "-MF", 3))
			continue;
		has_target |= !strncmp(w->text, "-MT", 3) || !strncmp(w->text, "-MQ", 3);
		words_add(out, w->text);
		if (w->value)
			words_add(out, w->value);
	}
	add_pair(out, "-MF", n->depend_file);
	if (n->depend_file && n->depend_target && !has_target)
		add_pair(out, "-MQ", n->depend_target);
	if (c->family == COMPILER_GCC) {
		if (n->depend_file && !n->depend_target && n->dump_base) {
			/* gcc's default target is the object that it would make of the source. */
			struct buf target = { 0 };
			const char *dot = strrchr(n->dump_base, '.');
			size_t len = dot ? (size_t)(dot - n->dump_base) : strlen(n->dump_base);
			buf_printf(&target, "%.*s.o", (int)len, n->dump_base);
			add_pair(out, "-MQ", target.at);
			buf_release(&target);
		}
		add_pair(out, "-dumpdir", n->dump_dir ? n->dump_dir : "./");
		add_pair(out, "-dumpbase", n->dump_base);
		add_pair(out, "-dumpbase-ext", n->dump_extension);
		return;
	}
	bool is_default = wants_coverage(a) && !n->coverage_notes && n->dump_base;
	char *notes = is_default ? coverage_path(n->dump_base, ".gcno") : NULL;
	char *data = is_default ? coverage_path(n->dump_base, ".gcda") : NULL;
	add_clang_option(out, c, "-coverage-notes-file", notes ? notes : n->coverage_notes);
	add_clang_option(out, c, "-coverage-data-file", data ? data : n->coverage_data);
	mem_free(notes);
	mem_free(data);
}

void side_files_release(struct side_files *s)
{
	for (size_t i = 0; i < s->of.len; i++) {
		struct side_names *n = &s->of.at[i];
		char *all[] = {
			n->depend_file,	   n->depend_target,  n->dump_dir,	n->dump_base,
			n->dump_extension, n->coverage_notes, n->coverage_data,
		};
		for (size_t k = 0; k < sizeof(all) / sizeof(*all); k++)
			mem_free(all[k]);
	}
	vec_release(&s->of);
}
