/* SPDX-License-Identifier: Apache-2.0 */
/* Entries become temporary files, which heddle-bitcode links and converts. */
#include "ir/program.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/process.h"
#include "binary/image.h"
#include "ir/read.h"

#define HELPER "heddle-bitcode"
#define ENTRY "heddle-bitcode 1 "

void ir_carried_add(struct buf *section, const char *unit, const void *bitcode, size_t len)
{
	buf_printf(section, ENTRY "%zu %s\n", len, unit);
	buf_add(section, bitcode, len);
}

int ir_helper_run(const struct words *arguments, struct err *err)
{
	struct buf path = { 0 }, said = { 0 };
	struct words argv = { 0 };
	int status = 0;
	if (file_find_own(HELPER, &path, NULL)) {
		buf_release(&path);
		return err_set(err, ERR_SUPPORT,
			       HELPER
			       " is not installed beside heddle; it is built where LLVM 19's "
			       "headers are (Debian: apt install llvm-19-dev, then make)");
	}
	words_add(&argv, path.at);
	for (size_t i = 0; i < arguments->list.len; i++)
		words_add(&argv, arguments->list.at[i]);
	buf_str(&said, "");
	int rc = process_run(&argv, PROCESS_CAPTURE, &said, &status, err);
	if (!rc && status > 128)
		rc = err_set(
			err, ERR_FORMAT,
			"LLVM ended with signal %d when it read the bitcode, which is probably "
			"damaged",
			status - 128);
	else if (!rc && status)
		rc = err_set(err, ERR_FORMAT, "%.*s", (int)strcspn(said.at, "\n"), said.at);
	words_release(&argv);
	buf_release(&path);
	buf_release(&said);
	return rc;
}

/* One entry to a temporary file, whose path is appended to `files`. */
static int save(struct words *files, const char *bytes, size_t len, struct err *err)
{
	struct buf path = { 0 };
	int rc = file_temporary(&path, err);
	rc = rc ? rc : file_write(path.at, bytes, len, err);
	words_take(files, buf_take(&path));
	return rc;
}

static int split(const char *program, const char *at, size_t left, struct words *files,
		 struct err *err)
{
	int rc = 0;
	while (!rc) {
		while (left && !*at) {
			at++;
			left--;
		}
		if (!left)
			return 0;
		const char *line_end = memchr(at, '\n', left);
		char *number_end;
		if (!line_end || strncmp(at, ENTRY, strlen(ENTRY)))
			return err_set(err, ERR_FORMAT, "%s: the section " IR_SECTION " is damaged",
				       program);
		unsigned long long len = strtoull(at + strlen(ENTRY), &number_end, 10);
		line_end++;
		left -= (size_t)(line_end - at);
		if (*number_end != ' ' || len > left)
			return err_set(err, ERR_FORMAT, "%s: the section " IR_SECTION " is cut off",
				       program);
		rc = save(files, line_end, (size_t)len, err);
		at = line_end + len;
		left -= (size_t)len;
	}
	return rc;
}

static int extract(const char *program, struct words *files, struct err *err)
{
	struct buf bytes = { 0 };
	struct image img = { 0 };
	const char *reason;
	int rc = file_read(program, &bytes, err);
	if (rc) {
		buf_release(&bytes);
		return rc;
	}
	if (image_open(&img, bytes.at, bytes.len, &reason))
		rc = err_set(err, ERR_FORMAT, "%s: %s", program, reason);
	bool is_found = false;
	for (size_t i = 1; i < img.sections.len && !rc; i++) {
		const unsigned char *content = image_section_bytes(&img, i);
		if (strcmp(image_section_name(&img, i), IR_SECTION) || !content)
			continue;
		is_found = true;
		rc = split(program, (const char *)content, img.sections.at[i].sh_size, files, err);
	}
	if (!rc && !(is_found && files->list.len))
		rc = err_set(err, ERR_PROGRAM,
			     "%s carries no bitcode; build it with 'heddle cc --bitcode'", program);
	image_close(&img);
	buf_release(&bytes);
	return rc;
}

int ir_program_link(const char *program, const char *to, struct err *err)
{
	struct words files = { 0 }, argv = { 0 };
	int rc = extract(program, &files, err);
	words_add(&argv, "link");
	words_add(&argv, to);
	for (size_t i = 0; i < files.list.len; i++)
		words_add(&argv, files.list.at[i]);
	rc = rc ? rc : ir_helper_run(&argv, err);
	for (size_t i = 0; i < files.list.len; i++)
		unlink(files.list.at[i]);
	words_release(&files);
	words_release(&argv);
	return rc;
}

int ir_program_load(const char *program, struct ir_module *m, struct err *err)
{
	struct buf linked = { 0 }, text = { 0 }, code = { 0 };
	struct words argv = { 0 };
	*m = (struct ir_module){ 0 };
	int rc = file_temporary(&linked, err);
	rc = rc ? rc : file_temporary(&text, err);
	rc = rc ? rc : ir_program_link(program, linked.at, err);
	if (!rc) {
		words_add(&argv, "ir");
		words_add(&argv, linked.at);
		words_add(&argv, text.at);
		rc = ir_helper_run(&argv, err);
	}
	rc = rc ? rc : file_read(text.at, &code, err);
	rc = rc ? rc : ir_read(m, code.at, code.len, err);
	if (linked.len)
		unlink(linked.at);
	if (text.len)
		unlink(text.at);
	words_release(&argv);
	buf_release(&linked);
	buf_release(&text);
	buf_release(&code);
	return rc;
}

/* Whether a program defines a function of its own, not one of the runtime's. */
static bool is_in_program(const struct image *img, const char *name)
{
	for (size_t i = 0; i < img->symbols.len; i++) {
		const struct image_symbol *s = &img->symbols.at[i];
		if (s->is_defined && s->type == STT_FUNC && !strcmp(s->name, name) &&
		    !image_is_in_runtime(img, s->address))
			return true;
	}
	return false;
}

int ir_program_missing(const char *program, const struct ir_module *m, struct ir_missing *missing,
		       struct err *err)
{
	static const char assembly[] = "assembly:";
	struct buf bytes = { 0 };
	struct image img = { 0 };
	const char *reason;
	*missing = (struct ir_missing){ 0 };
	int rc = file_read(program, &bytes, err);
	if (!rc && image_open(&img, bytes.at, bytes.len, &reason))
		rc = err_set(err, ERR_FORMAT, "%s: %s", program, reason);
	for (size_t i = 0; i < m->funcs.len && !rc; i++) {
		const struct ir_func *f = &m->funcs.at[i];
		if (f->is_defined || !strncmp(f->name, "llvm.", 5))
			continue;
		if (!strncmp(f->name, assembly, strlen(assembly)))
			words_add(&missing->assembly, f->name + strlen(assembly));
		else
			words_add(is_in_program(&img, f->name) ? &missing->in_program
							       : &missing->in_libraries,
				  f->name);
	}
	image_close(&img);
	buf_release(&bytes);
	return rc;
}

void ir_missing_release(struct ir_missing *missing)
{
	words_release(&missing->in_program);
	words_release(&missing->in_libraries);
	words_release(&missing->assembly);
}
