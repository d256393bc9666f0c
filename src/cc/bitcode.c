/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Three steps for a source: clang compiles it without optimising; heddle-bitcode optimises and
 * numbers it (src/bitcode/prepare.h); objcopy adds it to the object, behind a line that
 * ir/program.h describes.
 */
#include "cc/bitcode.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/process.h"
#include "cc/response.h"
#include "ir/program.h"

/* Options that clang refuses are left out one by one, this many at most. */
#define REFUSED_MAX 32

struct step {
	const struct compiler *compiler; /* the user's */
	const struct cc_args *args;
	const struct cc_word *source;
	struct buf plain, prepared, section; /* paths of temporary files */
	struct buf *notes;
	struct err *err;
};

static bool is_in_path(const char *name)
{
	const char *path = getenv("PATH");
	while (path && *path) {
		size_t len = strcspn(path, ":");
		struct buf file = { 0 };
		buf_printf(&file, "%.*s/%s", (int)len, path, name);
		bool is_there = !access(file.at, X_OK);
		buf_release(&file);
		if (is_there)
			return true;
		path += len + (path[len] == ':');
	}
	return false;
}

static int add_clang(const struct step *s, struct words *argv)
{
	if (s->compiler->family == COMPILER_CLANG) {
		compiler_add_command(s->compiler, argv);
		return 0;
	}
	const char *chosen = getenv("HEDDLE_CLANG");
	if (chosen && *chosen) {
		response_split(chosen, strlen(chosen), argv);
		return 0;
	}
	static const char *const names[] = { "clang-19", "clang" };
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (is_in_path(names[i])) {
			words_add(argv, names[i]);
			return 0;
		}
	}
	return err_set(
		s->err, ERR_SUPPORT,
		"--bitcode needs clang, and there is neither clang-19 nor clang; HEDDLE_CLANG "
		"may name one (Debian: apt install clang-19)");
}

/* What follows -O in the user's last word of that kind. */
static const char *level_of(const struct cc_args *a)
{
	const char *level = "0";
	for (size_t i = 0; i < a->words.len; i++)
		if (a->words.at[i].role != ROLE_INPUT && !strncmp(a->words.at[i].text, "-O", 2))
			level = a->words.at[i].text + 2;
	if (!*level || !strcmp(level, "g"))
		return "1";
	if (strlen(level) > 1)
		return "3"; /* -Ofast */
	return *level >= '4' && *level <= '9' ? "3" : level;
}

static void add_words(const struct step *s, const struct words *refused, struct words *argv)
{
	const struct cc_args *a = s->args;
	for (size_t i = 0; i < a->words.len; i++) {
		const struct cc_word *w = &a->words.at[i];
		bool is_step = !strcmp(w->text, "-c") || !strncmp(w->text, "-flto", 5) ||
			       !strncmp(w->text, "-fopenmp", 8);
		if ((w->role != ROLE_BOTH && w->role != ROLE_COMPILE) || is_step ||
		    words_contain(refused, w->text))
			continue;
		words_add(argv, w->text);
		if (w->value)
			words_add(argv, w->value);
	}
	words_add(argv, "-w");
	words_add(argv, "-Qunused-arguments");
	words_add(argv, "-g");
	if (!strcmp(level_of(a), "0")) {
		words_add(argv, "-Xclang");
		words_add(argv, "-disable-O0-optnone");
	}
	words_add(argv, "-Xclang");
	words_add(argv, "-disable-llvm-passes");
	struct compiler as_clang = *s->compiler;
	as_clang.family = COMPILER_CLANG;
	compiler_preprocess_flags(&as_clang, argv);
	words_add(argv, "-emit-llvm");
	words_add(argv, "-c");
	if (s->source->language) {
		words_add(argv, "-x");
		words_add(argv, s->source->language);
	}
	words_add(argv, s->source->text);
	words_add(argv, "-o");
	words_add(argv, s->plain.at);
}

/* The option that clang's message refuses, NULL if it is about something else. */
static char *refused_option(const char *message)
{
	static const char *const starts[] = { "unknown argument: '", "unknown argument '",
					      "unsupported option '", "unsupported argument '" };
	for (size_t i = 0; i < sizeof(starts) / sizeof(*starts); i++) {
		const char *at = strstr(message, starts[i]);
		if (at) {
			at += strlen(starts[i]);
			return mem_strndup(at, strcspn(at, "'"));
		}
	}
	return NULL;
}

static int compile(const struct step *s, bool *is_compiled)
{
	struct words refused = { 0 };
	struct buf message = { 0 };
	int rc = 0, status = 1;
	for (int tries = 0; tries < REFUSED_MAX && status && !rc; tries++) {
		struct words argv = { 0 };
		buf_clear(&message);
		buf_str(&message, "");
		rc = add_clang(s, &argv);
		add_words(s, &refused, &argv);
		rc = rc ? rc : process_run(&argv, PROCESS_CAPTURE, &message, &status, s->err);
		words_release(&argv);
		char *option = rc || !status ? NULL : refused_option(message.at);
		if (!option)
			break;
		words_take(&refused, option);
	}
	*is_compiled = !status;
	if (!rc && status)
		buf_printf(s->notes, "note: no bitcode of %s: clang says: %.*s\n", s->source->text,
			   (int)strcspn(message.at, "\n"), message.at);
	words_release(&refused);
	buf_release(&message);
	return rc;
}

/* A source may be compiled to several units: the hash of what was compiled is in the name. */
static int name_unit(const struct step *s, struct buf *unit)
{
	struct buf bytes = { 0 };
	int rc = file_read(s->plain.at, &bytes, s->err);
	if (!rc)
		buf_printf(unit, "%s#%08x", s->source->text,
			   (unsigned)hash_bytes(0, bytes.at, bytes.len));
	buf_release(&bytes);
	return rc;
}

static int prepare(const struct step *s, const char *unit)
{
	struct words argv = { 0 };
	words_add(&argv, "prepare");
	words_add(&argv, level_of(s->args));
	words_add(&argv, unit);
	words_add(&argv, s->plain.at);
	words_add(&argv, s->prepared.at);
	int rc = ir_helper_run(&argv, s->err);
	words_release(&argv);
	return rc;
}

static int add_section(const struct step *s, const char *unit, const char *object)
{
	struct buf bytes = { 0 }, section = { 0 }, flag = { 0 };
	struct words argv = { 0 };
	int status = 0, rc = file_read(s->prepared.at, &bytes, s->err);
	if (!rc) {
		ir_carried_add(&section, unit, bytes.at, bytes.len);
		rc = file_write(s->section.at, section.at, section.len, s->err);
	}
	buf_printf(&flag, IR_SECTION "=%s", s->section.at);
	words_add(&argv, "objcopy");
	words_add(&argv, "--add-section");
	words_add(&argv, flag.at);
	words_add(&argv, object);
	buf_clear(&bytes);
	buf_str(&bytes, "");
	rc = rc ? rc : process_run(&argv, PROCESS_CAPTURE, &bytes, &status, s->err);
	if (!rc && status)
		buf_printf(s->notes, "note: no bitcode of %s: objcopy says: %.*s\n",
			   s->source->text, (int)strcspn(bytes.at, "\n"), bytes.at);
	words_release(&argv);
	buf_release(&bytes);
	buf_release(&section);
	buf_release(&flag);
	return rc;
}

static void remove_file(struct buf *path)
{
	if (path->len)
		unlink(path->at);
	buf_release(path);
}

int bitcode_add(const struct compiler *c, const struct cc_args *a, const struct cc_word *source,
		const char *object, struct buf *notes, struct err *err)
{
	struct step s = { .compiler = c, .args = a, .source = source, .notes = notes, .err = err };
	struct buf unit = { 0 };
	bool is_compiled = false;
	if (!strcmp(source->text, "-")) {
		buf_str(notes, "note: no bitcode of standard input, which can be read only once\n");
		return 0;
	}
	int rc = file_temporary(&s.plain, err);
	rc = rc ? rc : file_temporary(&s.prepared, err);
	rc = rc ? rc : file_temporary(&s.section, err);
	rc = rc ? rc : compile(&s, &is_compiled);
	if (!rc && is_compiled) {
		rc = name_unit(&s, &unit);
		rc = rc ? rc : prepare(&s, unit.at);
		rc = rc ? rc : add_section(&s, unit.at, object);
	}
	remove_file(&s.plain);
	remove_file(&s.prepared);
	remove_file(&s.section);
	buf_release(&unit);
	return rc;
}

int bitcode_add_all(const struct compiler *c, const struct cc_args *a, struct buf *notes,
		    struct err *err)
{
	int rc = 0;
	bool has_object = false;
	for (size_t i = 0; i < a->words.len; i++)
		has_object |=
			a->words.at[i].role != ROLE_INPUT && !strcmp(a->words.at[i].text, "-c");
	for (size_t i = 0; i < a->words.len && has_object && !rc; i++) {
		const struct cc_word *w = &a->words.at[i];
		if (w->role != ROLE_INPUT || w->input != INPUT_C)
			continue;
		struct buf object = { 0 };
		const char *base = file_base_name(w->text), *dot = strrchr(base, '.');
		buf_printf(&object, "%.*s.o", (int)(dot ? (size_t)(dot - base) : strlen(base)),
			   base);
		rc = bitcode_add(c, a, w, a->output ? a->output : object.at, notes, err);
		buf_release(&object);
	}
	return rc;
}
